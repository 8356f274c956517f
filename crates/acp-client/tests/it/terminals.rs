//! `LocalTerminals`: an agent's commands run, and none of them outlives its terminal.

#![cfg(unix)]

mod asking;
mod ends;
mod limits;

use std::path::PathBuf;
use std::time::Duration;

use acp_client::{LocalTerminals, Session, Terminal};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe;

use crate::common::{Wire, connected, open, with_session};

/// A session whose agent may run commands.
struct Place {
    session: Session,
    wire: Wire,
    terminals: LocalTerminals,
}

impl Place {
    async fn new() -> Self {
        Self::with(LocalTerminals::new()).await
    }

    async fn with(terminals: LocalTerminals) -> Self {
        let served = terminals.grace(Duration::from_millis(100));
        let terminals = served.clone();
        let (session, wire) = with_session(|connect| connect.terminals(served)).await;
        Self { session, wire, terminals }
    }

    async fn call(&mut self, method: &str, mut params: Value) -> Value {
        params["sessionId"] = params.get("sessionId").cloned().unwrap_or(json!("s1"));
        self.wire.call(json!(method), method, params).await
    }

    async fn create(&mut self, mut params: Value) -> Value {
        params["cwd"] = params.get("cwd").cloned().unwrap_or(json!("/"));
        self.call("terminal/create", params).await
    }

    /// Starts a line of shell, and returns its terminal's id.
    async fn start(&mut self, line: &str) -> Value {
        let answer = self.create(json!({"command": "sh", "args": ["-c", line]})).await;
        assert!(answer["result"]["terminalId"].is_string(), "{answer}");
        answer["result"]["terminalId"].clone()
    }

    async fn of(&mut self, method: &str, id: &Value) -> Value {
        self.call(method, json!({"terminalId": id})).await
    }

    /// Runs this command to its end, and returns its output with its exit status.
    async fn run(&mut self, params: Value) -> Value {
        let answer = self.create(params).await;
        let id = answer["result"]["terminalId"].clone();
        assert!(id.is_string(), "{answer}");
        self.of("terminal/wait_for_exit", &id).await;
        let output = self.of("terminal/output", &id).await;
        assert_eq!(self.of("terminal/release", &id).await["result"], json!({}));
        output["result"].clone()
    }

    async fn shell(&mut self, line: &str) -> Value {
        self.run(json!({"command": "sh", "args": ["-c", line]})).await
    }

    /// Returns the terminal, once it shows this text.
    async fn shows(&self, id: &Value, text: &str) -> Terminal {
        let mut terminal = self.terminals.get(&id.as_str().expect("an id").into()).expect("it is there");
        while !terminal.output().output.contains(text) {
            assert!(terminal.changed().await, "instead of {text}: {:?}", terminal.output());
        }
        terminal
    }
}

/// A pipe that processes hold open. It ends when all of them are gone.
struct Leash {
    _folder: TempDir,
    path: PathBuf,
    end: pipe::Receiver,
}

impl Leash {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("leash");
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, mode, 0).expect("made");
        let end = pipe::OpenOptions::new().open_receiver(&path).expect("opened");
        Self { _folder: folder, path, end }
    }

    /// Three levels of processes that hold the pipe open. The deepest ignores the request to end.
    /// The first one then does `last`.
    fn tree(&self, last: &str) -> String {
        let leash = self.path.display();
        format!(
            "exec 9>'{leash}'; sh -c 'sh -c \"trap : TERM; echo up; while :; do sleep 1000; done\" & wait' & {last}"
        )
    }

    /// Waits until no process holds it any more. Some process must have held it.
    async fn freed(mut self) {
        let mut nothing = [0; 1];
        let end = tokio::time::timeout(Duration::from_secs(60), self.end.read(&mut nothing)).await;
        assert_eq!(end.expect("they end").expect("it works"), 0);
    }
}

/// Returns the code of an error, after checking that it names this field and the session.
fn code(answer: &Value, field: &str) -> i64 {
    let error = &answer["error"];
    let message = error["message"].as_str().unwrap_or_else(|| panic!("an error, not {answer}"));
    assert!(message.contains(&format!("`{field}`")) && message.contains("session `"), "{message}");
    assert_eq!(error["data"]["field"], field);
    error["code"].as_i64().expect("a number")
}

#[tokio::test]
async fn terminals_are_offered_by_those_who_serve_them() {
    for (terminals, wants) in [(None, false), (Some(LocalTerminals::new()), true)] {
        let (transport, mut wire) = crate::common::pipe();
        let connect = acp_client::connect(transport);
        let connect = match terminals {
            Some(terminals) => connect.terminals(terminals),
            None => connect,
        };
        let (agent, request) = tokio::join!(connect.into_future(), wire.initialize(json!({})));
        agent.expect("connected");
        assert_eq!(request["params"]["clientCapabilities"]["terminal"].as_bool().unwrap_or(false), wants);
    }
}

#[tokio::test]
async fn output_is_one_text_in_the_order_of_the_writes() {
    let mut place = Place::new().await;
    let output =
        place.shell("for i in 1 2 3; do echo out $i; echo err $i >&2; done; printf end; exit 7").await;
    assert_eq!(output["output"], "out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\nend");
    assert_eq!((&output["truncated"], &output["exitStatus"]), (&json!(false), &json!({"exitCode": 7})));
    let output = place.shell("printf 'a\\377b \\346\\226\\207 \\346'").await;
    assert_eq!(output["output"], "a\u{FFFD}b 文 \u{FFFD}");
    // Stdin is empty, and is not the wire.
    assert_eq!(place.shell("cat; echo $?").await["output"], "0\n");
    let output = place.shell("kill -9 $$").await;
    assert_eq!(output["exitStatus"], json!({"signal": "SIGKILL"}));
}

#[tokio::test]
async fn a_running_command_shows_what_it_has_printed_and_no_status() {
    let mut place = Place::new().await;
    let id = place.start("echo first; sleep 1000").await;
    let terminal = place.shows(&id, "first").await;
    let output = place.of("terminal/output", &id).await["result"].clone();
    assert_eq!((&output["output"], output.get("exitStatus")), (&json!("first\n"), None), "{output}");
    assert_eq!(terminal.request().args, ["-c", "echo first; sleep 1000"]);

    // A killed terminal is still there.
    assert_eq!(place.of("terminal/kill", &id).await["result"], json!({}));
    let output = place.of("terminal/output", &id).await["result"].clone();
    assert_eq!(output["output"], "first\n");
    assert_eq!(output["exitStatus"], json!({"signal": "SIGTERM"}));
    assert_eq!(place.of("terminal/wait_for_exit", &id).await["result"], json!({"signal": "SIGTERM"}));
    assert_eq!(place.of("terminal/kill", &id).await["result"], json!({}), "once more is no error");
    assert_eq!(place.of("terminal/release", &id).await["result"], json!({}));
    // The agent cannot use it any more, but the client can still show it.
    assert!(place.terminals.get(terminal.id()).is_none());
    assert_eq!(terminal.output().output, "first\n");
    assert_eq!(terminal.wait().await.signal.as_deref(), Some("SIGTERM"));
}

#[tokio::test]
async fn everybody_who_waits_is_told() {
    let mut place = Place::new().await;
    let id = place.start("echo on; sleep 1000").await;
    place.shows(&id, "on").await;
    let params = json!({"sessionId": "s1", "terminalId": id});
    for waiter in 0..4 {
        let wait =
            json!({"jsonrpc": "2.0", "id": waiter, "method": "terminal/wait_for_exit", "params": params});
        place.wire.send(wait).await;
    }
    // One request is withdrawn.
    let cancel = json!({"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": 3}});
    place.wire.send(cancel).await;
    let withdrawn = place.wire.receive().await;
    assert_eq!((&withdrawn["id"], &withdrawn["error"]["code"]), (&json!(3), &json!(-32800)));
    let release = json!({"jsonrpc": "2.0", "id": "r", "method": "terminal/release", "params": params});
    place.wire.send(release).await;
    let mut told = Vec::new();
    for _ in 0..4 {
        let answer = place.wire.receive().await;
        if answer["id"] != "r" {
            assert_eq!(answer["result"], json!({"signal": "SIGTERM"}), "{answer}");
        }
        told.push(answer["id"].to_string());
    }
    told.sort();
    assert_eq!(told, ["\"r\"", "0", "1", "2"]);
}

#[tokio::test]
async fn a_terminal_that_is_none_of_the_sessions_is_not_found() {
    let mut place = Place::new().await;
    let other = open(place.session.agent(), &mut place.wire, json!({"sessionId": "s2"})).await;
    let (id, released) = (place.start("sleep 1000").await, place.start("true").await);
    place.of("terminal/release", &released).await;
    for method in ["terminal/output", "terminal/wait_for_exit", "terminal/kill", "terminal/release"] {
        for (id, session) in [(&json!("none"), "s1"), (&released, "s1"), (&id, other.id().as_str())] {
            let answer = place.call(method, json!({"terminalId": id, "sessionId": session})).await;
            assert_eq!(code(&answer, "terminalId"), -32002, "{method}");
        }
    }
    let output = place.of("terminal/output", &id).await;
    assert_eq!(output["result"].get("exitStatus"), None, "the other session has not touched it: {output}");
}

#[tokio::test]
async fn a_terminal_is_gone_from_its_release_on_also_while_its_command_still_ends() {
    let folder = tempfile::tempdir().expect("a folder");
    let fifo = folder.path().join("fifo");
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, mode, 0).expect("made");
    let served = LocalTerminals::new().grace(Duration::from_secs(600));
    let terminals = served.clone();
    let (session, wire) = with_session(|connect| connect.terminals(served)).await;
    let mut place = Place { session, wire, terminals };
    // Busy, because a shell misses a signal that comes right before it blocks or while it forks.
    let line = "trap 'echo asked; read line <&8; exit 5' TERM; echo up; while :; do :; done";
    let id = place.start(&format!("exec 8<>'{}'; {line}", fifo.display())).await;
    let mut terminal = place.shows(&id, "up").await;
    let params = json!({"sessionId": "s1", "terminalId": id});
    place
        .wire
        .send(json!({"jsonrpc": "2.0", "id": "r", "method": "terminal/release", "params": params}))
        .await;
    while !terminal.output().output.contains("asked") {
        assert!(terminal.changed().await);
    }
    for method in ["terminal/output", "terminal/wait_for_exit", "terminal/kill", "terminal/release"] {
        assert_eq!(code(&place.of(method, &id).await, "terminalId"), -32002, "{method}");
    }
    assert_eq!(terminal.output().exit_status, None, "it got the time that it has");
    tokio::task::spawn_blocking(|| std::fs::write(fifo, "\n")).await.expect("no panic").expect("written");
    let answer = place.wire.receive().await;
    assert_eq!((&answer["id"], &answer["result"]), (&json!("r"), &json!({})), "{answer}");
    assert_eq!(terminal.wait().await.exit_code, Some(5));
}

#[tokio::test]
async fn one_connection_does_not_see_the_terminals_of_another() {
    let mut place = Place::new().await;
    let id = place.start("sleep 1000").await;
    let terminals = place.terminals.clone();
    let (_session, mut wire) = with_session(|connect| connect.terminals(terminals)).await;
    let params = json!({"sessionId": "s1", "terminalId": id});
    assert_eq!(code(&wire.call(json!(1), "terminal/kill", params).await, "terminalId"), -32002);
}

#[tokio::test]
async fn a_command_gets_its_arguments_its_folder_and_its_environment() {
    let folder = tempfile::tempdir().expect("a folder");
    let real = folder.path().canonicalize().expect("it is there");
    let terminals = LocalTerminals::new().env("OURS", "ours").env("BOTH", "ours");
    let mut place = Place::with(terminals).await;
    let output = place.run(json!({"command": "printf", "args": ["%s|", "$HOME", "a b", ""]})).await;
    assert_eq!(output["output"], "$HOME|a b||");
    let env = json!([{"name": "BOTH", "value": "its"}, {"name": "ITS", "value": "a=b"}]);
    let line = "echo $OURS $BOTH $ITS ${PATH:+path}; pwd";
    let output = place.run(json!({"command": "sh", "args": ["-c", line], "env": env, "cwd": real})).await;
    assert_eq!(output["output"], format!("ours its a=b path\n{}\n", real.display()));
    // A relative path of the command starts there.
    std::os::unix::fs::symlink("/bin/echo", folder.path().join("say")).expect("linked");
    assert_eq!(place.run(json!({"command": "./say", "args": ["hi"], "cwd": real})).await["output"], "hi\n");

    let mut place = Place::with(LocalTerminals::new().env_clear().env("ONLY", "this")).await;
    assert_eq!(place.run(json!({"command": "/usr/bin/env"})).await["output"], "ONLY=this\n");
    let terminals = LocalTerminals::new().env_inherit(["PATH"]).env_inherit(["NOT SET"]).env("OURS", "x");
    let output = Place::with(terminals).await.run(json!({"command": "env"})).await["output"].clone();
    let mut names: Vec<_> =
        output.as_str().expect("text").lines().map(|line| line.split('=').next()).collect();
    names.sort_unstable();
    assert_eq!(names, [Some("OURS"), Some("PATH")], "{output}");
}

#[tokio::test]
async fn a_line_of_shell_is_run_where_that_is_wanted() {
    let mut place = Place::new().await;
    assert_eq!(code(&place.create(json!({"command": "echo a b"})).await, "command"), -32602);
    let mut place = Place::with(LocalTerminals::new().shell_lines("sh", ["-c"])).await;
    assert_eq!(place.run(json!({"command": "echo a | tr a b"})).await["output"], "b\n");
    assert_eq!(place.run(json!({"command": "echo", "args": ["a | tr a b"]})).await["output"], "a | tr a b\n");
}

#[tokio::test]
async fn without_a_folder_of_its_own_a_command_runs_in_the_sessions() {
    let folder = tempfile::tempdir().expect("a folder");
    let real = folder.path().canonicalize().expect("it is there");
    let (agent, mut wire) = connected(|connect| connect.terminals(LocalTerminals::new()), json!({})).await;
    let (session, ()) = tokio::join!(agent.new_session(&real).into_future(), async {
        let request = wire.expect("session/new").await;
        wire.answer(&request, json!({"sessionId": "s1"})).await;
    });
    let session = session.expect("opened");
    let mut place = Place { session, wire, terminals: LocalTerminals::new() };
    for cwd in [None, Some(Value::Null)] {
        let mut params = json!({"command": "pwd"});
        if let Some(cwd) = cwd {
            params["cwd"] = cwd;
        }
        let id = place.call("terminal/create", params).await["result"]["terminalId"].clone();
        place.of("terminal/wait_for_exit", &id).await;
        let output = place.of("terminal/output", &id).await;
        assert_eq!(output["result"]["output"], format!("{}\n", real.display()));
    }
}

#[tokio::test]
async fn what_cannot_be_started_is_refused() {
    let mut place = Place::with(LocalTerminals::new().max_terminals(1)).await;
    for (params, field) in [
        (json!({"command": ""}), "command"),
        (json!({"command": "no such program"}), "command"),
        (json!({"command": "/etc/passwd"}), "command"),
        (json!({"command": "/"}), "command"),
        (json!({"command": "a\0b"}), "command"),
        (json!({"command": "true", "args": ["\0"]}), "args"),
        (json!({"command": "true", "env": [{"name": "A=B", "value": ""}]}), "env"),
        (json!({"command": "true", "env": [{"name": "", "value": ""}]}), "env"),
        (json!({"command": "true", "env": [{"name": "A", "value": "\0"}]}), "env"),
        (json!({"command": "true", "cwd": "relative"}), "cwd"),
        (json!({"command": "true", "cwd": ""}), "cwd"),
        (json!({"command": "true", "cwd": "/no such folder"}), "cwd"),
        (json!({"command": "true", "cwd": "/etc/passwd"}), "cwd"),
        (json!({"command": "true", "sessionId": "unknown"}), "sessionId"),
    ] {
        assert_eq!(code(&place.create(params.clone()).await, field), -32602, "{params}");
    }
    // Malformed members are refused, not passed over (rule v1-term-10).
    for params in [
        json!({"command": "true", "args": [1]}),
        json!({"command": "true", "env": {"A": "B"}}),
        json!({"command": "true", "cwd": 1}),
        json!({"command": "true", "outputByteLimit": -1}),
    ] {
        assert_eq!(place.create(params.clone()).await["error"]["code"], -32602, "{params}");
    }
    let nulls = json!({"command": "true", "args": null, "env": null, "outputByteLimit": null});
    assert_eq!(
        place.run(nulls).await["exitStatus"],
        json!({"exitCode": 0}),
        "none of them has taken a place"
    );
}
