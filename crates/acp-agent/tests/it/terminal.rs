//! The client's terminals.

use std::sync::Mutex;

use acp_agent::types::{TerminalId, ToolCall};
use acp_agent::{Result, StopReason, Terminals, Turn, agent};
use serde_json::{Value, json};

use crate::support::{Wire, check_error};

#[derive(Default)]
struct Operator {
    detached: Mutex<Option<TerminalId>>,
}

impl Operator {
    async fn act(&self, turn: &Turn, terminals: &Terminals) -> Result<String> {
        let command = terminals.command("make");
        let terminal = match &*turn.text() {
            "run" => {
                let result = command.arg("test").run().await?;
                return Ok(format!(
                    "{} {:?}",
                    result.output,
                    result.exit_status.and_then(|exit| exit.exit_code)
                ));
            }
            "run in" => {
                let mut tool = turn.start_tool(ToolCall::new("call-1", "Build")).await?;
                let result = command.run_in(&mut tool).await?;
                tool.progress("done").await?;
                tool.complete().await?;
                return Ok(result.output);
            }
            "relative" => command.cwd("here").arg("x").create().await?,
            "relative run" => return command.cwd("here").run().await.map(|result| result.output),
            "attach" => terminals.attach(self.detached.lock().unwrap().take().unwrap()),
            _ => {
                let command =
                    command.args(["-j", "2"]).env("CC", "clang").cwd("/work").output_byte_limit(1000);
                command.create().await?
            }
        };
        match &*turn.text() {
            "output" => {
                let output = terminal.output().await?;
                return Ok(format!("{} {} {:?}", output.output, output.truncated, output.exit_status));
            }
            "wait" => {
                let exit = terminal.wait_for_exit().await?;
                return Ok(format!("{:?} {:?}", exit.exit_code, exit.signal));
            }
            "kill" => terminal.kill().await?,
            "release" => {
                terminal.release().await?;
                return Ok("released".to_owned());
            }
            "detach" => {
                *self.detached.lock().unwrap() = Some(terminal.detach());
                return Ok("detached".to_owned());
            }
            _ => {}
        }
        Ok(terminal.id().to_string())
    }
}

#[agent]
impl Operator {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        match turn.terminals() {
            Some(terminals) => turn.say(self.act(&turn, &terminals).await?).await?,
            None => turn.say("no terminals").await?,
        }
        Ok(StopReason::EndTurn)
    }
}

async fn open() -> (Wire, String) {
    Wire::open(Operator::default(), json!({"terminal": true})).await
}

/// Answers `terminal/create`.
async fn created(wire: &mut Wire) -> Value {
    let mut request = wire.asked("terminal/create").await;
    wire.answer(&request, json!({"terminalId": "term-1"})).await;
    request["params"].take()
}

/// Answers the next request, which must be of this method and about the terminal.
async fn answered(wire: &mut Wire, session: &str, method: &str, result: Value) {
    let request = wire.asked(method).await;
    assert_eq!(request["params"], json!({"sessionId": session, "terminalId": "term-1"}));
    wire.answer(&request, result).await;
}

#[tokio::test]
async fn a_client_without_terminals_is_not_asked_for_one() {
    for capabilities in [json!({}), json!({"terminal": false})] {
        let (mut wire, session) = Wire::open(Operator::default(), capabilities).await;
        let (updates, _) = wire.turn(&session, "run").await;
        assert_eq!(updates[0]["content"]["text"], "no terminals");
    }
}

#[tokio::test]
async fn a_command_is_built() {
    let (mut wire, session) = open().await;
    wire.prompt(&session, "id").await;
    assert_eq!(
        created(&mut wire).await,
        json!({"sessionId": session, "command": "make", "args": ["-j", "2"], "cwd": "/work",
               "env": [{"name": "CC", "value": "clang"}], "outputByteLimit": 1000})
    );
}

#[tokio::test]
async fn a_relative_directory_stays_here() {
    for text in ["relative", "relative run"] {
        let (mut wire, session) = open().await;
        let (updates, answer) = wire.turn(&session, text).await;
        assert_eq!(updates, Vec::<Value>::new());
        check_error(&answer, -32603, &["must be an absolute path"]);
    }
}

#[tokio::test]
async fn each_method_is_called_and_dropping_releases() {
    let output = json!({"output": "ok", "truncated": true});
    let table = [
        ("output", Some("terminal/output"), output, "ok true None"),
        ("wait", Some("terminal/wait_for_exit"), json!({"exitCode": 2}), "Some(2) None"),
        ("wait", Some("terminal/wait_for_exit"), json!({"signal": "KILL"}), "None Some(\"KILL\")"),
        ("kill", Some("terminal/kill"), json!({}), "term-1"),
        ("kill", Some("terminal/kill"), Value::Null, "term-1"),
        ("id", None, json!({}), "term-1"),
    ];
    for (text, method, result, said) in table {
        let (mut wire, session) = open().await;
        let prompt = wire.prompt(&session, text).await;
        created(&mut wire).await;
        if let Some(method) = method {
            answered(&mut wire, &session, method, result).await;
        }
        // This leaves before the next message of the agent.
        answered(&mut wire, &session, "terminal/release", json!({})).await;
        assert_eq!(wire.said().await, said);
        assert_eq!(wire.stopped(prompt).await, "end_turn");
        assert_eq!(wire.close().await, Vec::<Value>::new());
    }
}

#[tokio::test]
async fn releasing_waits_for_the_client_and_happens_once() {
    let (mut wire, session) = open().await;
    let prompt = wire.prompt(&session, "release").await;
    created(&mut wire).await;
    answered(&mut wire, &session, "terminal/release", json!({})).await;
    assert_eq!(wire.said().await, "released");
    assert_eq!(wire.stopped(prompt).await, "end_turn");

    let prompt = wire.prompt(&session, "release").await;
    created(&mut wire).await;
    let request = wire.asked("terminal/release").await;
    wire.send(json!({"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32002, "message": "gone"}}))
        .await;
    check_error(&wire.answer_to(prompt).await, -32603, &["terminal/release", "gone"]);
    assert_eq!(wire.close().await, Vec::<Value>::new());
}

#[tokio::test]
async fn a_cancelled_turn_releases_its_terminals() {
    let (mut wire, session) = open().await;
    let prompt = wire.prompt(&session, "wait").await;
    created(&mut wire).await;
    let waiting = wire.asked("terminal/wait_for_exit").await;
    wire.cancel(&session).await;
    let cancel = wire.recv().await;
    assert_eq!(
        (&cancel["method"], &cancel["params"]["requestId"]),
        (&json!("$/cancel_request"), &waiting["id"])
    );
    answered(&mut wire, &session, "terminal/release", json!({})).await;
    assert_eq!(wire.stopped(prompt).await, "cancelled");
}

#[tokio::test]
async fn a_terminal_that_nobody_waits_for_any_more_is_released() {
    let (mut wire, session) = open().await;
    let prompt = wire.prompt(&session, "wait").await;
    let request = wire.asked("terminal/create").await;
    wire.cancel(&session).await;
    assert_eq!(wire.stopped(prompt).await, "cancelled");
    // The client has made the terminal all the same.
    wire.answer(&request, json!({"terminalId": "term-1"})).await;
    answered(&mut wire, &session, "terminal/release", json!({})).await;
    assert_eq!(wire.close().await, Vec::<Value>::new());
}

#[tokio::test]
async fn a_terminal_can_outlive_its_turn() {
    let (mut wire, session) = open().await;
    let prompt = wire.prompt(&session, "detach").await;
    created(&mut wire).await;
    assert_eq!(wire.said().await, "detached");
    assert_eq!(wire.stopped(prompt).await, "end_turn");
    wire.prompt(&session, "attach").await;
    answered(&mut wire, &session, "terminal/release", json!({})).await;
    assert_eq!(wire.said().await, "term-1");
}

#[tokio::test]
async fn a_run_is_shown_as_a_tool_call() {
    let table = [
        (json!({"exitCode": 0}), "completed", None, "ok Some(0)"),
        (json!({"exitCode": 2}), "failed", Some("exit code 2"), "ok Some(2)"),
        (json!({"signal": "SIGKILL"}), "failed", Some("SIGKILL"), "ok None"),
        // An unknown end is not a success.
        (json!({}), "failed", Some("nobody knows how"), "ok None"),
    ];
    for (exit, status, reason, said) in table {
        let (mut wire, session) = open().await;
        wire.prompt(&session, "run").await;
        let call = wire.update().await;
        assert_eq!((&call["title"], &call["kind"]), (&json!("make test"), &json!("execute")));
        created(&mut wire).await;
        let shown = wire.update().await;
        assert_eq!(shown["toolCallId"], call["toolCallId"]);
        assert_eq!(shown["content"], json!([{"type": "terminal", "terminalId": "term-1"}]));
        answered(&mut wire, &session, "terminal/wait_for_exit", exit).await;
        answered(&mut wire, &session, "terminal/output", json!({"output": "ok", "truncated": false})).await;
        answered(&mut wire, &session, "terminal/release", json!({})).await;
        let end = wire.update().await;
        assert_eq!((&end["toolCallId"], &end["status"]), (&call["toolCallId"], &json!(status)));
        match reason {
            None => assert_eq!(end.get("content"), None),
            Some(reason) => {
                assert_eq!(end["content"][0]["terminalId"], "term-1");
                assert!(end["content"][1]["content"]["text"].as_str().unwrap().contains(reason), "{end}");
            }
        }
        assert_eq!(wire.said().await, said);
    }
}

#[tokio::test]
async fn a_run_whose_terminal_fails_is_a_tool_call_that_has_failed() {
    let (mut wire, session) = open().await;
    let prompt = wire.prompt(&session, "run").await;
    wire.update().await;
    let request = wire.asked("terminal/create").await;
    wire.send(json!({"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32603, "message": "no pty"}}))
        .await;
    let end = wire.update().await;
    assert_eq!(end["status"], "failed");
    assert!(end["content"][0]["content"]["text"].as_str().unwrap().contains("no pty"), "{end}");
    check_error(&wire.answer_to(prompt).await, -32603, &["terminal/create", "no pty"]);
}

#[tokio::test]
async fn a_run_in_a_tool_call_leaves_its_end_to_the_agent() {
    let (mut wire, session) = open().await;
    wire.prompt(&session, "run in").await;
    wire.update().await;
    created(&mut wire).await;
    assert_eq!(wire.update().await["content"][0]["terminalId"], "term-1");
    answered(&mut wire, &session, "terminal/wait_for_exit", json!({"exitCode": 1})).await;
    answered(&mut wire, &session, "terminal/output", json!({"output": "ok", "truncated": false})).await;
    answered(&mut wire, &session, "terminal/release", json!({})).await;
    assert_eq!(wire.update().await["content"][1]["content"]["text"], "done");
    assert_eq!(wire.update().await["status"], "completed");
    assert_eq!(wire.said().await, "ok");
}
