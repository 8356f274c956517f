//! Behaviour of real agents, whatever the protocol says: one test for each, with an agent that
//! shows it.

mod sessions;
mod values;

use std::time::Duration;

use acp_client::v1::{StopReason, ToolCallContent};
use acp_client::{
    Connect, Event, LocalFs, LocalTerminals, PermissionAnswer, PermissionPolicy, Session, Transcript, Turn,
    Value as Json,
};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::common::{Wire, chunk, connected, open, pipe, with_session};

fn plain(connect: Connect) -> Connect {
    connect
}

async fn prompt(session: &Session, wire: &mut Wire) -> (Turn, Value) {
    let (turn, request) = tokio::join!(session.prompt("go"), wire.expect("session/prompt"));
    (turn.expect("sent"), request)
}

async fn events(turn: &mut Turn) -> Vec<Event> {
    let mut events = Vec::new();
    while let Some(event) = turn.next().await {
        events.push(event);
    }
    events
}

fn ask(tool_call: &Value) -> Value {
    json!({"sessionId": "s1", "toolCall": tool_call, "options": [
        {"optionId": "no", "name": "No", "kind": "reject_once"},
        {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
    ]})
}

#[tokio::test]
async fn lines_of_half_a_megabyte_with_all_of_unicode() {
    let (session, mut wire) = with_session(plain).await;
    let (mut turn, request) = prompt(&session, &mut wire).await;
    // Line and paragraph separators and a right-to-left mark are text and not ends of lines.
    let text = "\u{2028}\u{2029}\u{200f}שלום 🦀👩‍👩‍👧".repeat(20_000);
    let commands = json!({"sessionUpdate": "available_commands_update",
                          "availableCommands": [{"name": "skill", "description": "d", "_meta": {"body": text}}]});
    wire.update("s1", commands).await;
    wire.text("s1", &text).await;
    wire.answer(&request, json!({"stopReason": "end_turn"})).await;
    let events = events(&mut turn).await;
    let [Event::Commands(commands), Event::Message(_)] = events.as_slice() else { panic!("both come") };
    assert!(as_json(commands).to_string().len() > 563_187, "with all of its body");
    assert_eq!(events[1].text(), Some(text.as_str()));
}

/// Some agents cut titles and outputs by counting UTF-16, or bytes.
#[tokio::test]
async fn text_that_is_cut_within_a_character() {
    let policy = PermissionPolicy::allow_once();
    let offers = json!({"sessionCapabilities": {"list": {}}});
    let (agent, mut wire) = connected(|connect| connect.permissions(policy), offers).await;
    let session = open(&agent, &mut wire, json!({"sessionId": "s1"})).await;
    let (mut turn, request) = prompt(&session, &mut wire).await;
    // The output of JSON.stringify for such text, and bytes that are not UTF-8.
    let message = json!({"jsonrpc": "2.0", "id": 7, "method": "session/request_permission",
                         "params": ask(&json!({"toolCallId": "c", "title": "rm ?"}))});
    wire.raw(format!("{message}\n").replace('?', r"\ud83d")).await;
    let answer = wire.receive().await;
    assert_eq!((&answer["id"], &answer["result"]["outcome"]["optionId"]), (&json!(7), &json!("yes")));
    let update = json!({"jsonrpc": "2.0", "method": "session/update",
                        "params": {"sessionId": "s1", "update": chunk("half ?")}});
    for half in [&br"\ud83d"[..], br"\uDE00", b"\xf0\x9f\x98", b"\xff"] {
        let line = update.to_string();
        let (before, after) = line.split_once('?').expect("a place for it");
        wire.raw([before.as_bytes(), half, after.as_bytes(), b"\n"].concat()).await;
    }
    wire.answer(&request, json!({"stopReason": "end_turn"})).await;
    let said: Vec<_> = events(&mut turn).await.iter().map(|event| event.text().map(str::to_owned)).collect();
    assert_eq!(said, vec![Some("half \u{fffd}".to_owned()); 4]);

    let mut list = agent.list_sessions();
    let (listed, ()) = tokio::join!(list.next(), async {
        let request = wire.expect("session/list").await;
        let sessions = json!([{"sessionId": "s1", "cwd": "/work", "title": "A bug ?"}]);
        let answer = json!({"jsonrpc": "2.0", "id": request["id"], "result": {"sessions": sessions}});
        wire.raw(format!("{answer}\n").replace('?', r"\ud83d")).await;
    });
    let listed = listed.expect("one").expect("listed");
    assert_eq!(listed.title.as_deref(), Some("A bug \u{fffd}"));
    let faults = agent.faults();
    assert!(faults.iter().all(|fault| fault.contains("not Unicode")) && faults.len() >= 4, "{faults:?}");
    assert_eq!(agent.lost_messages(), 0);
}

/// Deeper than any reader goes. No id in it is that of the message.
fn unreadable() -> String {
    format!(r#"{}{{"id":99}}{}"#, "[".repeat(200), "]".repeat(200))
}

#[tokio::test]
async fn messages_that_cannot_be_read_keep_nobody_waiting() {
    let (agent, mut wire) = connected(plain, json!({})).await;
    wire.raw("a stray print\n").await;
    for line in [
        format!(r#"{{"jsonrpc":"2.0","id":"q","method":"fs/read_text_file","params":{}}}"#, unreadable()),
        format!(r#"{{"params":{},"method":"fs/read_text_file","id":"q"}}"#, unreadable()),
    ] {
        wire.raw(format!("{line}\n")).await;
        let answer = wire.receive().await;
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!("q"), &json!(-32700)), "{answer}");
    }
    let (answer, ()) = tokio::join!(agent.ext_request::<Json>("_x", &()), async {
        let request = wire.expect("_x").await;
        let line = format!(r#"{{"jsonrpc":"2.0","result":{},"id":{}}}"#, unreadable(), request["id"]);
        wire.raw(format!("{line}\n")).await;
    });
    let error = answer.expect_err("it cannot be read").to_string();
    assert!(error.contains("`_x`") && error.contains("not a valid response"), "{error}");
    assert_eq!(agent.lost_messages(), 3, "{:?}", agent.faults());
    // An update in which nothing else is readable, and one that is JSON but not an update.
    wire.raw(format!(r#"{{"jsonrpc":"2.0","method":"session/update","params":{}}}"#, unreadable())).await;
    wire.raw("\n").await;
    wire.send(json!({"jsonrpc": "2.0", "method": "session/update", "params": {"update": {}}})).await;
    open(&agent, &mut wire, json!({"sessionId": "s1"})).await;
    assert_eq!(agent.lost_messages(), 5, "{:?}", agent.faults());
}

fn as_json<T: serde_core::Serialize>(value: &T) -> Json {
    Json::new(value).expect("it is JSON")
}

#[tokio::test]
async fn errors_of_any_code_and_data_and_errors_without_an_id() {
    let (agent, mut wire) = connected(plain, json!({})).await;
    let inner = r#"{"error":{"code":400,"status":"INVALID_ARGUMENT"}}"#;
    let table = [
        (json!({"code": 400, "message": inner}), None),
        (json!({"code": 0, "message": ""}), None),
        (json!({"code": -32603, "message": "m", "data": null}), None),
        (json!({"code": -1, "message": "m", "data": "text"}), Some("\"text\"")),
        (json!({"code": 529, "message": "m", "data": {"a": 1}}), Some(r#"{"a":1}"#)),
        (json!({"code": 1, "message": "m", "data": [1, "b"]}), Some(r#"[1,"b"]"#)),
    ];
    for (error, data) in table {
        let (answer, ()) = tokio::join!(agent.ext_request::<Json>("_x", &()), async {
            let request = wire.expect("_x").await;
            wire.fail(&request, error.clone()).await;
        });
        let answer = answer.expect_err("an error");
        let told = answer.agent_error().expect("the agent's");
        assert_eq!(
            (json!(told.code), json!(told.message)),
            (error["code"].clone(), error["message"].clone())
        );
        let null_or_absent = |text: Option<String>| text.filter(|text| text != "null");
        assert_eq!(null_or_absent(told.data.as_ref().map(ToString::to_string)).as_deref(), data);
    }
    // Their requests are unknown, so they are noted and have no effect.
    wire.send(json!({"jsonrpc": "2.0", "error": {"code": -32603, "message": "private"}})).await;
    wire.send(json!({"jsonrpc": "2.0", "id": null, "error": {"code": 429, "message": "private"}})).await;
    open(&agent, &mut wire, json!({"sessionId": "s1"})).await;
    let faults = agent.faults().concat();
    assert!(faults.contains("(code -32603)") && faults.contains("(code 429)"), "{faults}");
    assert!(!faults.contains("private"), "{faults}");
}

#[tokio::test(start_paused = true)]
async fn a_call_whose_error_has_no_id_ends_by_its_timeout() {
    let options = acp_client::Options::default().request_timeout(Duration::from_secs(30));
    let (agent, mut wire) = connected(|connect| connect.options(options), json!({})).await;
    let (answer, ()) = tokio::join!(agent.ext_request::<Json>("_x", &()), async {
        wire.expect("_x").await;
        wire.send(json!({"jsonrpc": "2.0", "error": {"code": -32603, "message": "m"}})).await;
    });
    assert!(answer.expect_err("no answer").to_string().contains("within 30s"));
}

#[tokio::test]
async fn extension_requests_without_a_prefix_are_not_known_and_notifications_ignored() {
    let (session, mut wire) = with_session(plain).await;
    for notification in ["qwen/notify/session/model-changed", "_auth/status_update"] {
        wire.send(json!({"jsonrpc": "2.0", "method": notification, "params": {"sessionId": "s1"}})).await;
    }
    let params = json!({"sessionId": "s1"});
    let answer = wire.call(json!(1), "craft/drainMidTurnQueue", params).await;
    assert_eq!(answer["error"]["code"], -32601, "{answer}");
    let (turn, request) = prompt(&session, &mut wire).await;
    wire.answer(&request, json!({"stopReason": "end_turn"})).await;
    turn.finish().await.expect("nothing was disturbed");
}

/// A policy that reports when it is asked and when it is dropped, and never answers.
fn never() -> (PermissionPolicy, mpsc::UnboundedReceiver<&'static str>) {
    struct Gone(mpsc::UnboundedSender<&'static str>);
    impl Drop for Gone {
        fn drop(&mut self) {
            let _ = self.0.send("dropped");
        }
    }
    let (tell, told) = mpsc::unbounded_channel();
    let policy = PermissionPolicy::ask(move |_| {
        let _ = tell.send("asked");
        let gone = Gone(tell.clone());
        async move {
            std::future::pending::<()>().await;
            drop(gone);
            PermissionAnswer::Cancelled
        }
    });
    (policy, told)
}

#[tokio::test]
async fn an_agent_takes_a_permission_request_back() {
    let (policy, mut told) = never();
    let (session, mut wire) = with_session(|connect| connect.permissions(policy)).await;
    let (turn, request) = prompt(&session, &mut wire).await;
    let params = ask(&json!({"toolCallId": "c"}));
    wire.send(json!({"jsonrpc": "2.0", "id": "p", "method": "session/request_permission", "params": params}))
        .await;
    assert_eq!(told.recv().await, Some("asked"));
    wire.send(json!({"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": "p"}})).await;
    let answer = wire.receive().await;
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!("p"), &json!(-32800)), "{answer}");
    assert_eq!(told.recv().await, Some("dropped"), "the question is gone from the screen, too");
    wire.answer(&request, json!({"stopReason": "end_turn"})).await;
    assert_eq!(turn.finish().await.expect("ends").stop_reason, StopReason::EndTurn);
}

#[tokio::test]
async fn terminals_that_this_client_never_made() {
    let (session, mut wire) = with_session(|connect| connect.terminals(LocalTerminals::new())).await;
    let (mut turn, request) = prompt(&session, &mut wire).await;
    let content = json!([{"type": "terminal", "terminalId": "theirs"}]);
    let call = json!({"sessionUpdate": "tool_call", "toolCallId": "c", "title": "ls", "content": content});
    wire.update("s1", call).await;
    let output = json!({"terminal_output": {"terminal_id": "theirs", "data": "a.rs\n"}});
    wire.update("s1", json!({"sessionUpdate": "tool_call_update", "toolCallId": "c", "_meta": output})).await;
    let exit = json!({"terminal_exit": {"terminal_id": "theirs", "exit_code": 0}});
    let done =
        json!({"sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "completed", "_meta": exit});
    wire.update("s1", done).await;
    for method in ["terminal/output", "terminal/kill", "terminal/release", "terminal/wait_for_exit"] {
        let params = json!({"sessionId": "s1", "terminalId": "theirs"});
        let answer = wire.call(json!(method), method, params).await;
        assert_eq!(answer["error"]["code"], -32002, "{answer}");
    }
    wire.answer(&request, json!({"stopReason": "end_turn"})).await;
    let mut transcript = Transcript::new();
    for event in events(&mut turn).await {
        transcript.fold(event);
    }
    let run = transcript.tool_call(&"c".into()).expect("folded");
    let [ToolCallContent::Terminal(terminal)] = run.call.content.as_slice() else { panic!("{run:?}") };
    assert_eq!(terminal.terminal_id.as_str(), "theirs");
    let meta = as_json(&run.call.meta).to_string();
    assert!(meta.contains("a.rs") && meta.contains("terminal_exit"), "there to be shown: {meta}");
}

#[tokio::test]
async fn agents_that_wait_for_the_answer_when_they_are_cancelled_and_agents_that_do_not() {
    for waits in [true, false] {
        let (policy, mut told) = never();
        let (session, mut wire) = with_session(|connect| connect.permissions(policy)).await;
        let (turn, request) = prompt(&session, &mut wire).await;
        let params = ask(&json!({"toolCallId": "c"}));
        wire.send(
            json!({"jsonrpc": "2.0", "id": 7, "method": "session/request_permission", "params": params}),
        )
        .await;
        assert_eq!(told.recv().await, Some("asked"));
        turn.cancel().expect("connected");
        let answer_to_turn = json!({"stopReason": "cancelled"});
        if !waits {
            wire.answer(&request, answer_to_turn.clone()).await;
        }
        wire.expect("session/cancel").await;
        let answer = wire.receive().await;
        assert_eq!(
            (&answer["id"], &answer["result"]["outcome"]["outcome"]),
            (&json!(7), &json!("cancelled"))
        );
        if waits {
            wire.answer(&request, answer_to_turn).await;
        }
        assert_eq!(turn.finish().await.expect("ends").stop_reason, StopReason::Cancelled);
        assert_eq!(told.recv().await, Some("dropped"));
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn agents_that_outlive_the_end_of_their_input_are_ended_with_all_they_started() {
    // A wrapper, an agent and its daemon. None of them ends at the end of its input, and one
    // ignores even TERM.
    let script = r#"
        echo $$ >&2
        sh -c 'trap "" TERM; echo $$ >&2; while :; do sleep 0.1; done' <&- &
        sh -c 'echo $$ >&2; exec sleep 1000' <&- &
        read -r line; id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
        printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":1}}\n' "$id"
        while read -r line; do :; done
        sleep 1000
    "#;
    let (tell, mut pids) = mpsc::unbounded_channel();
    let command = acp_client::Command::new("sh").args(["-c", script]).grace(Duration::from_millis(100));
    let command = command.on_stderr(move |line| tell.send(line.to_owned()).unwrap_or_default());
    let agent = acp_client::spawn(command).await.expect("started");
    let mut all = Vec::new();
    for _ in 0..3 {
        all.push(pids.recv().await.expect("a process id"));
    }
    agent.close().await;
    for pid in all {
        assert_eq!(crate::common::processes::running(&pid), None);
    }
}

#[tokio::test]
async fn files_that_do_not_exist_are_told_apart_from_other_failures() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = LocalFs::rooted(folder.path()).expect("it can be opened");
    let (_session, mut wire) = with_session(|connect| connect.fs(files)).await;
    let path = |name: &str| folder.path().join(name).display().to_string();
    let new = path("new.txt");
    let missing = wire.call(json!(1), "fs/read_text_file", json!({"sessionId": "s1", "path": new})).await;
    assert_eq!(missing["error"]["code"], -32002, "{missing}");
    let outside =
        wire.call(json!(2), "fs/read_text_file", json!({"sessionId": "s1", "path": "/etc/none"})).await;
    assert_eq!(outside["error"]["code"], -32602, "{outside}");
    // A missing file can be created.
    let made = wire
        .call(json!(3), "fs/write_text_file", json!({"sessionId": "s1", "path": new, "content": "x"}))
        .await;
    assert!(made.get("result").is_some(), "{made}");
    assert_eq!(std::fs::read_to_string(new).expect("made"), "x");
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_takes_nine_seconds_to_start() {
    let (transport, mut wire) = pipe();
    let (agent, ()) = tokio::join!(acp_client::connect(transport).into_future(), async {
        let request = wire.expect("initialize").await;
        tokio::time::sleep(Duration::from_secs(9)).await;
        wire.answer(&request, json!({"protocolVersion": 1})).await;
    });
    agent.expect("that is not too long");
}
