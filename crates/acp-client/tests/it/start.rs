//! Starting an agent as a child process: its environment, folder, stderr, limits and end.

#![cfg(target_os = "linux")]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use acp_client::{Agent, CloseReason, Command, Error};
use tokio::sync::mpsc;

use crate::common::processes::running;

/// Answers `initialize` with this name.
const ANSWER: &str = r#"
read -r line; id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":1,"agentInfo":{"name":"%s","version":"1"}}}\n' "$id" "$NAME"
"#;

fn shell(script: &str) -> Command {
    Command::new("/bin/sh").arg("-c").arg(script)
}

fn name(agent: &Agent) -> &str {
    agent.info().map_or("", |info| info.name.as_str())
}

#[tokio::test]
async fn environment_and_folder_are_those_that_were_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path().canonicalize().expect("it is there");
    let path = std::env::var("PATH").expect("there is a path");
    let script = format!(
        r#"NAME="$(pwd -P)|$A|${{CARGO_PKG_NAME-none}}|${{CARGO_MANIFEST_DIR-none}}";{ANSWER}read -r line"#
    );
    // Cargo sets these for a test.
    let package = env!("CARGO_PKG_NAME");
    let manifest = env!("CARGO_MANIFEST_DIR");
    let table = [
        (shell(&script).env("A", "a"), format!("a|{package}|{manifest}")),
        (shell(&script).env_clear().env("PATH", &path), "|none|none".to_owned()),
        (shell(&script).env_inherit(["PATH", "CARGO_PKG_NAME"]).env("A", "a"), format!("a|{package}|none")),
        (shell(&script).env_remove("CARGO_PKG_NAME"), format!("|none|{manifest}")),
    ];
    for (command, wanted) in table {
        let agent = acp_client::spawn(command.current_dir(&folder)).await.expect("it starts");
        assert_eq!(name(&agent), format!("{}|{wanted}", folder.display()));
        agent.close().await;
    }
}

#[tokio::test]
async fn stderr_is_heard_by_line_and_the_status_of_the_end_is_told() {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&lines);
    let script = format!("echo starting >&2; {ANSWER} read -r line; echo 'last words' >&2; exit 3");
    let command =
        shell(&script).on_stderr(move |line| heard.lock().expect("not poisoned").push(line.to_owned()));
    let agent = acp_client::spawn(command).await.expect("it starts");
    let error = agent.new_session("/").await.expect_err("it leaves");
    let Error::Closed { reason: CloseReason::Exited(exit), .. } = &error else { panic!("{error:?}") };
    assert_eq!((exit.status, exit.stderr_tail.as_str()), (Some(3), "starting\nlast words\n"));
    assert!(matches!(agent.wait().await, CloseReason::Exited(_)));
    assert_eq!(*lines.lock().expect("not poisoned"), ["starting", "last words"]);
}

#[tokio::test]
async fn an_agent_that_never_answers_is_given_up_with_what_it_said() {
    // The time until its words arrive depends on the machine, so it gets more and more time.
    for limit in [100, 1_000, 10_000, 60_000].map(Duration::from_millis) {
        let silent = shell("echo 'waiting for a licence' >&2; exec sleep 1000").grace(Duration::ZERO);
        let error = acp_client::spawn(silent).initialize_timeout(limit).await.expect_err("silent");
        assert!(matches!(&error, Error::InitializeTimeout { waited, .. } if *waited == limit), "{error:?}");
        if error.to_string().contains("waiting for a licence") {
            return;
        }
    }
    panic!("the error never has the agent's words");
}

/// The usual mistakes: a program that is not an agent, and one that is it with an argument only.
#[tokio::test]
async fn a_program_that_says_other_things_is_told_from_an_agent_that_ends() {
    let usage = shell("echo 'usage: tool COMMAND'; echo '  help'; echo why >&2; exit 2");
    let error = acp_client::spawn(usage).await.expect_err("it ends");
    let Error::NotAnAgent { noise: 2, reason: CloseReason::Exited(_) } = &error else { panic!("{error:?}") };
    let text = error.to_string();
    assert!(
        text.starts_with("`initialize` has no answer, and 2 lines on stdout are not messages: "),
        "{text}"
    );
    assert!(text.ends_with("; the process exited with status 2; its last words on stderr:\nwhy"), "{text}");

    let ends = shell("exit 2");
    let error = acp_client::spawn(ends).await.expect_err("it ends");
    assert!(matches!(error, Error::Closed { .. }), "{error:?}");

    // The line may come late on a busy machine.
    for limit in [100, 1_000, 10_000, 60_000].map(Duration::from_millis) {
        let prompt = shell("echo 'Ask me anything'; exec sleep 1000").grace(Duration::ZERO);
        let error = acp_client::spawn(prompt).initialize_timeout(limit).await.expect_err("silent");
        if matches!(error, Error::InitializeTimeout { noise: 1, .. }) {
            assert!(error.to_string().contains(", and a line on stdout is not a message: "), "{error}");
            return;
        }
    }
    panic!("the line never comes");
}

/// A wrapper that starts a wrapper that starts an agent and a daemon beside it, like package
/// runners do. Each prints its process id.
fn wrapped() -> (Command, mpsc::UnboundedReceiver<String>) {
    let (tell, pids) = mpsc::unbounded_channel();
    let agent = format!("echo $$ >&2; sh -c 'echo $$ >&2; exec sleep 1000' <&- & {ANSWER} sleep 1000");
    // A background process of a shell has no stdin, unless it is handed on.
    let wrapper = r#"exec 3<&0; echo $$ >&2; LEVEL=$((LEVEL - 1)); export LEVEL
        if [ "$LEVEL" -gt 0 ]; then /bin/sh -c "$WRAPPER" <&3 & else /bin/sh -c "$AGENT" <&3 & fi; wait"#;
    let command =
        shell(wrapper).env("WRAPPER", wrapper).env("AGENT", agent).env("LEVEL", "2").env("NAME", "inner");
    let command = command.grace(Duration::from_millis(50));
    (command.on_stderr(move |line| tell.send(line.to_owned()).unwrap_or_default()), pids)
}

#[tokio::test]
async fn an_agent_behind_wrappers_is_ended_with_all_of_them() {
    for run in 0..20 {
        let (command, mut pids) = wrapped();
        let agent = acp_client::spawn(command).await.expect("it starts");
        assert_eq!(name(&agent), "inner");
        let mut all = Vec::new();
        for _ in 0..4 {
            all.push(pids.recv().await.expect("a process id"));
        }
        assert!(all.iter().all(|pid| running(pid).is_some()));
        if run % 2 == 0 {
            agent.close().await;
            assert!(!all.iter().any(|pid| running(pid).is_some()), "in run {run}");
        } else {
            drop(agent);
            // The last writer of stderr is gone.
            assert_eq!(pids.recv().await, None);
            while all.iter().any(|pid| running(pid).is_some()) {
                tokio::task::yield_now().await;
            }
        }
    }
}
