//! `Turn::shell`: commands in the client's terminals, or as children of the agent.

mod by_client;
mod options;

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use acp_agent::types::ToolCall;
use acp_agent::{Error, Result, Shell, ShellProblem, StopReason, Turn, agent};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::support::Wire;

/// An agent that runs the lines of its prompts by `sh`.
#[derive(Default)]
struct Runner {
    /// Drops the command that runs.
    drop: Arc<Notify>,
}

impl Runner {
    async fn act(&self, turn: &Turn, how: &str, line: &str) -> Result<String> {
        let shell = turn.shell("sh").arg("-c").args([line]);
        let output = match how {
            "run" => shell.run().await?,
            "quiet" => shell.output().await?,
            "in" => {
                let mut tool = turn.start_tool(ToolCall::new("call-1", "Build")).await?;
                let output = shell.run_in(&mut tool).await?;
                tool.progress("done").await?;
                tool.complete().await?;
                output
            }
            "set" => shell.env("FRUIT", "plum").cwd("sub").output_byte_limit(20).output().await?,
            "short" => {
                let mut kept = Vec::new();
                for limit in [0, 1, 4, usize::MAX] {
                    let output = shell.clone().output_byte_limit(limit).output().await?;
                    kept.push(format!("{}/{}", output.output, output.truncated));
                }
                return Ok(kept.join(" "));
            }
            "many" => return many(shell).await,
            "dropped" => {
                tokio::select! {
                    output = shell.run() => output?,
                    () = self.drop.notified() => return Ok("dropped".to_owned()),
                }
            }
            "left" => {
                tokio::spawn(shell.run());
                self.drop.notified().await;
                return Ok("left".to_owned());
            }
            "none" => turn.shell("no such program").run().await?,
            "nowhere" => turn.shell("true").cwd("none").run().await?,
            "at" => turn.shell("true").cwd(line).output().await?,
            "nul" => turn.shell("true").arg("a\0b").run().await?,
            _ => panic!("{how}"),
        };
        assert_eq!(output.is_success(), output.failure().is_none());
        Ok(format!("{:?} {} {:?} {:?}", output.output, output.truncated, output.exit_code, output.signal))
    }
}

async fn many(shell: Shell) -> Result<String> {
    let mut runs = tokio::task::JoinSet::new();
    for _ in 0..1000 {
        runs.spawn(shell.clone().output());
    }
    let mut succeeded = 0;
    while let Some(run) = runs.join_next().await {
        let output = run.unwrap()?;
        succeeded += usize::from(output.is_success() && output.output == "x\n");
    }
    Ok(succeeded.to_string())
}

#[agent]
impl Runner {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        let text = turn.text();
        let (how, line) = text.split_once(' ').unwrap_or((&text, ""));
        let said = match self.act(&turn, how, line).await {
            Ok(said) => said,
            Err(Error::Shell(error)) => {
                let message = error.to_string();
                assert!(message.contains(error.program()), "{message}");
                assert!(message.contains(error.session_id().as_str()), "{message}");
                match error.problem() {
                    ShellProblem::Client { method, error } => {
                        assert!(message.contains("was not run"), "{message}");
                        format!("{method} {}", error.remote().map_or(0, |error| error.code))
                    }
                    ShellProblem::Lost { method, error } => {
                        assert!(message.contains("its end is not known"), "{message}");
                        format!("lost {method} {}", error.remote().map_or(0, |error| error.code))
                    }
                    ShellProblem::Start(error) => format!("{:?}", error.kind()),
                    problem => format!("{problem:?}"),
                }
            }
            Err(error) => return Err(error),
        };
        turn.say(said).await?;
        Ok(StopReason::EndTurn)
    }
}

/// A session in a folder, with a client of these capabilities.
struct Place {
    folder: tempfile::TempDir,
    drop: Arc<Notify>,
    wire: Wire,
    session: String,
}

impl Place {
    async fn new(terminal: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("sub")).unwrap();
        let runner = Runner::default();
        let drop = Arc::clone(&runner.drop);
        let mut wire = Wire::connect(runner, json!({"terminal": terminal})).await;
        let answer = wire.call("session/new", json!({"cwd": folder.path(), "mcpServers": []})).await;
        let session = answer["result"]["sessionId"].as_str().unwrap().to_owned();
        Place { folder, drop, wire, session }
    }

    fn cwd(&self) -> PathBuf {
        fs::canonicalize(self.folder.path()).unwrap()
    }

    /// Runs a turn, and returns its updates: the last one is what was said.
    async fn turn(&mut self, text: &str) -> (Vec<Value>, String) {
        let (mut updates, answer) = self.wire.turn(&self.session, text).await;
        assert_eq!(answer["result"]["stopReason"], "end_turn", "{answer}");
        let said = updates.pop().unwrap()["content"]["text"].as_str().unwrap().to_owned();
        (updates, said)
    }

    /// Makes a FIFO: a command that has opened it is gone, with all its children, when a reader
    /// comes to its end.
    fn life(&self) -> PathBuf {
        let path = self.folder.path().join("life");
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        path
    }
}

/// Waits until everybody who has the FIFO is gone. Returns what they wrote.
async fn end_of_life(fifo: &Path) -> String {
    let fifo = fifo.to_owned();
    let reading = tokio::task::spawn_blocking(move || {
        let mut text = String::new();
        File::open(fifo).unwrap().read_to_string(&mut text).unwrap();
        text
    });
    tokio::time::timeout(std::time::Duration::from_secs(60), reading)
        .await
        .expect("somebody lives on")
        .unwrap()
}

/// The text in the content of a tool call's update.
fn shown(update: &Value) -> &str {
    update["content"][0]["content"]["text"].as_str().unwrap_or_default()
}

#[tokio::test]
async fn a_child_is_run_and_shown() {
    let mut place = Place::new(false).await;
    let (updates, said) = place.turn("run echo out; echo err >&2; exit 3").await;
    assert_eq!(said, "\"out\\nerr\\n\" false Some(3) None");
    let first = &updates[0];
    assert_eq!((&first["sessionUpdate"], &first["kind"]), (&json!("tool_call"), &json!("execute")));
    assert_eq!(first["title"], "sh -c echo out; echo err >&2; exit 3");
    assert_eq!(first["status"], "in_progress");
    let last = updates.last().unwrap();
    assert_eq!((&last["status"], shown(last)), (&json!("failed"), "```\nout\nerr\n```"));
    assert_eq!(last["content"][1]["content"]["text"], "The command ended with exit code 3.");

    let (updates, said) = place.turn("run printf 'a ```` b\\377'").await;
    assert_eq!(said, "\"a ```` b\u{FFFD}\" false Some(0) None");
    assert_eq!(updates.last().unwrap()["status"], "completed");
    // A fence is longer than what it holds.
    assert_eq!(shown(&updates[1]), "`````\na ```` b\u{FFFD}\n`````");

    let (updates, said) = place.turn("run kill -9 $$").await;
    assert_eq!(said, "\"\" false None Some(\"SIGKILL\")");
    assert_eq!(shown(updates.last().unwrap()), "The command was ended by SIGKILL.");
    assert_eq!(updates.len(), 2, "nothing was printed, and nothing is shown: {updates:?}");
}

#[tokio::test]
async fn without_a_tool_call_nothing_is_shown() {
    let mut place = Place::new(false).await;
    let (updates, said) = place.turn("quiet echo out").await;
    assert_eq!((updates.len(), &*said), (0, "\"out\\n\" false Some(0) None"));
    let (updates, _) = place.turn("in echo out").await;
    let last = &updates[updates.len() - 2];
    assert_eq!((&last["toolCallId"], shown(last)), (&json!("call-1"), "```\nout\n```"));
    assert_eq!(last["content"][1]["content"]["text"], "done");
    assert!(updates.iter().all(|update| update["toolCallId"] == "call-1"), "{updates:?}");
}

#[tokio::test]
async fn environment_directory_and_limit_are_set() {
    let mut place = Place::new(false).await;
    let (_, said) = place.turn("set echo $FRUIT; basename $PWD; seq 100").await;
    assert_eq!(said, "\"\\n95\\n96\\n97\\n98\\n99\\n100\\n\" true Some(0) None");
    let (_, said) = place.turn("set echo $FRUIT; basename $PWD").await;
    assert_eq!(said, "\"plum\\nsub\\n\" false Some(0) None");
    let (_, said) = place.turn("quiet pwd").await;
    assert_eq!(said, format!("{:?} false Some(0) None", format!("{}\n", place.cwd().display())));
}

#[tokio::test]
async fn what_cannot_be_started_is_an_error_and_a_failed_call() {
    let mut place = Place::new(false).await;
    for (text, problem) in [("none", "NotFound"), ("nowhere", "NoDirectory"), ("nul", "InvalidInput")] {
        let (updates, said) = place.turn(text).await;
        assert_eq!(said, problem, "{text}");
        let last = updates.last().unwrap();
        assert_eq!(last["status"], "failed", "{text}");
        assert!(shown(last).contains("was not run"), "{last}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn output_is_shown_while_the_command_runs() {
    let mut place = Place::new(false).await;
    let life = place.life();
    place.wire.prompt(&place.session, "run echo one; echo two > life; echo three").await;
    assert_eq!(place.wire.update().await["status"], "in_progress");
    // It waits for a reader of the FIFO.
    let update = place.wire.update().await;
    assert_eq!((shown(&update), &update["status"]), ("```\none\n```", &Value::Null));
    assert_eq!(end_of_life(&life).await, "two\n");
    let last = loop {
        let update = place.wire.update().await;
        if update["status"] == "completed" {
            break update;
        }
        assert!(shown(&update).starts_with("```\none\n"), "{update}");
    };
    assert_eq!(last["content"], Value::Null);
    assert_eq!(place.wire.said().await, "\"one\\nthree\\n\" false Some(0) None");
}

#[tokio::test]
async fn a_flood_of_output_is_bounded() {
    let mut place = Place::new(false).await;
    let (updates, said) = place.turn("run head -c 100000000 /dev/zero | tr '\\0' x; echo end").await;
    assert!(said.ends_with("xend\\n\" true Some(0) None"));
    assert!(said.len() < 1024 * 1024 + 100, "{}", said.len());
    for update in updates.iter().filter(|update| update["content"].is_array()) {
        assert!(shown(update).len() < 17 * 1024, "{}", shown(update).len());
    }
    let last = shown(&updates[updates.len() - 2]);
    assert!(last.starts_with("```\n…\nxxx") && last.ends_with("xend\n```"));
}

async fn a_thousand(place: &mut Place) {
    let (updates, said) = place.turn("many echo x").await;
    assert_eq!((updates.len(), &*said), (0, "1000"));
}

#[tokio::test]
async fn a_thousand_commands_at_once_all_end() {
    a_thousand(&mut Place::new(false).await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_commands_at_once_all_end_on_threads() {
    a_thousand(&mut Place::new(false).await).await;
}

/// A command with a child, both deaf to SIGTERM, that live until they are killed.
const DEAF: &str = "trap '' TERM; exec 3>life; echo up >&3; (while :; do sleep 1; done) & echo up; wait";

/// Starts it and waits until it is up, and for its start to be shown.
async fn deaf(place: &mut Place, how: &str) -> (u64, tokio::task::JoinHandle<String>) {
    let life = place.life();
    let prompt = place.wire.prompt(&place.session, &format!("{how} {DEAF}")).await;
    let ended = tokio::spawn(async move { end_of_life(&life).await });
    assert_eq!(place.wire.update().await["status"], "in_progress");
    assert_eq!(shown(&place.wire.update().await), "```\nup\n```");
    (prompt, ended)
}

#[tokio::test]
async fn a_cancel_ends_the_command_and_all_that_it_started() {
    let mut place = Place::new(false).await;
    let (prompt, ended) = deaf(&mut place, "run").await;
    place.wire.cancel(&place.session).await;
    // What it has printed stays, and the call has failed.
    assert_eq!(shown(&place.wire.update().await), "```\nup\n```");
    assert_eq!(place.wire.update().await["status"], "failed");
    // When the turn is answered, everything is gone.
    assert_eq!(place.wire.stopped(prompt).await, "cancelled");
    assert_eq!(ended.await.unwrap(), "up\n");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dropped_command_is_killed() {
    let mut place = Place::new(false).await;
    let (_, ended) = deaf(&mut place, "dropped").await;
    place.drop.notify_one();
    assert_eq!(place.wire.update().await["status"], "failed");
    assert_eq!(place.wire.said().await, "dropped");
    assert_eq!(ended.await.unwrap(), "up\n");
}

#[tokio::test]
async fn the_end_of_the_turn_ends_the_command() {
    let mut place = Place::new(false).await;
    let (prompt, ended) = deaf(&mut place, "left").await;
    place.drop.notify_one();
    assert_eq!(place.wire.said().await, "left");
    assert_eq!(place.wire.stopped(prompt).await, "end_turn");
    assert_eq!(ended.await.unwrap(), "up\n");
}

#[tokio::test]
async fn what_a_command_leaves_behind_ends_with_it() {
    let mut place = Place::new(false).await;
    let life = place.life();
    let ended = tokio::spawn(async move { end_of_life(&life).await });
    let (_, said) = place.turn("run exec 3>life; sleep 1000 & echo started").await;
    assert_eq!(said, "\"started\\n\" false Some(0) None");
    ended.await.unwrap();
}
