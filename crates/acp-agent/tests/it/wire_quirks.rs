//! Quirks that were seen in real clients: one test for each, with a client that has it.

use acp_agent::{Error, Result, StopReason, ToolCall, Turn, agent};
use serde_json::{Value, json};

use crate::support::{Wire, check_error};

/// Follows the order in the prompt, and says the result.
struct Worker;

#[agent]
impl Worker {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        match turn.text().as_str() {
            "write" => {
                let fs = turn.fs().ok_or_else(|| Error::not_offered("the client's file system"))?;
                fs.write_text("/work/a", "new").await?;
                turn.say("written").await?;
            }
            "ask" => {
                let decision = turn.ask(&ToolCall::new("c", "Delete everything")).await?;
                turn.say(format!("{}", decision.is_allowed())).await?;
            }
            "terminal" => turn.say(format!("{}", turn.terminals().is_some())).await?,
            text => turn.say(text.to_owned()).await?,
        }
        Ok(StopReason::EndTurn)
    }
}

fn files() -> Value {
    json!({"fs": {"readTextFile": true, "writeTextFile": true}})
}

#[tokio::test]
async fn lines_of_half_a_megabyte_with_all_of_unicode() {
    let (mut wire, session) = Wire::open(Worker, json!({})).await;
    let text = "\u{2028}\u{2029}\u{200f}שלום 🦀👩‍👩‍👧".repeat(20_000);
    let (updates, answer) = wire.turn(&session, &text).await;
    assert_eq!(updates[0]["content"]["text"], text);
    assert_eq!(answer["result"]["stopReason"], "end_turn");
}

/// A client that cuts text by counting UTF-16. `JSON.stringify` writes half a character then.
#[tokio::test]
async fn text_that_is_cut_within_a_character() {
    let (mut wire, session) = Wire::open(Worker, json!({})).await;
    let params = json!({"sessionId": session, "prompt": [{"type": "text", "text": "half ?"}]}).to_string();
    let params = params.replace('?', r"\ud83d");
    wire.send_line(&format!(r#"{{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{params}}}"#))
        .await;
    assert_eq!(wire.said().await, "half \u{fffd}");
    assert_eq!(wire.stopped(1).await, "end_turn");
}

#[tokio::test]
async fn messages_that_cannot_be_read_keep_nobody_waiting() {
    let (mut wire, session) = Wire::open(Worker, json!({})).await;
    // This is nested deeper than any reader goes. The id in it is not the id of the message.
    let deep = format!(r#"{}{{"id":99}}{}"#, "[".repeat(200), "]".repeat(200));
    for line in [
        format!(r#"{{"jsonrpc":"2.0","id":"q","method":"session/prompt","params":{deep}}}"#),
        format!(r#"{{"params":{deep},"method":"session/prompt","jsonrpc":"2.0","id":"q"}}"#),
    ] {
        wire.send_line(&line).await;
        let answer = wire.recv().await;
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!("q"), &json!(-32700)), "{answer}");
    }
    let prompt = wire.prompt(&session, "ask").await;
    let ask = wire.asked("session/request_permission").await;
    wire.send_line(&format!(r#"{{"jsonrpc":"2.0","result":{deep},"id":{}}}"#, ask["id"])).await;
    check_error(&wire.answer_to(prompt).await, -32603, &[]);
    assert_eq!(wire.turn(&session, "hello").await.1["result"]["stopReason"], "end_turn");
}

#[tokio::test]
async fn any_version_is_asked_for_with_and_without_client_info() {
    let newer = if cfg!(feature = "v2") { &[][..] } else { &[2, 99] };
    for asked in [0, 1].iter().chain(newer) {
        let mut wire = Wire::serve(Worker);
        let answer =
            wire.call("initialize", json!({"protocolVersion": asked, "clientCapabilities": {}})).await;
        assert_eq!(answer["result"]["protocolVersion"], 1, "asked for {asked}");
        wire.new_session().await;
    }
}

#[tokio::test]
async fn a_login_that_nobody_offered_is_refused_and_nothing_else_changes() {
    let mut wire = Wire::connect(Worker, json!({})).await;
    let answer = wire.call("authenticate", json!({"methodId": "the-first"})).await;
    check_error(&answer, -32601, &["authenticate"]);
    let session = wire.new_session().await;
    assert_eq!(wire.turn(&session, "hello").await.1["result"]["stopReason"], "end_turn");
}

#[tokio::test]
async fn a_session_in_the_folder_dot_is_refused_by_name() {
    let mut wire = Wire::connect(Worker, json!({})).await;
    wire.refused("session/new", json!({"cwd": ".", "mcpServers": []}), -32602, &["cwd"]).await;
    wire.new_session().await;
}

#[tokio::test]
async fn members_come_in_any_order() {
    let (mut wire, session) = Wire::open(Worker, json!({})).await;
    let params = json!({"prompt": [{"text": "hello", "type": "text"}], "sessionId": session});
    wire.send_line(&format!(r#"{{"params":{params},"method":"session/prompt","id":1,"jsonrpc":"2.0"}}"#))
        .await;
    assert_eq!(wire.said().await, "hello");
    assert_eq!(wire.stopped(1).await, "end_turn");
}

#[tokio::test]
async fn ids_of_any_kind_come_back_as_they_were() {
    let (mut wire, session) = Wire::open(Worker, json!({})).await;
    let params = json!({"sessionId": session, "prompt": []});
    for id in ["0", "-1", "9007199254740993", r#""6f1d2e8a-8d0c-4d61-9c9e-1f2b7a0f9d10""#, r#""""#] {
        let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"session/prompt","params":{params}}}"#);
        wire.send_line(&line).await;
        let answer = loop {
            let line = wire.try_recv_line().await.unwrap();
            if !line.contains("session/update") {
                break line;
            }
        };
        assert!(answer.contains(&format!(r#""id":{id}"#)), "{answer}");
    }
    // An id that cannot be written back unchanged cannot be answered.
    let line = format!(
        r#"{{"jsonrpc":"2.0","id":12345678901234567890,"method":"session/prompt","params":{params}}}"#
    );
    wire.send_line(&line).await;
    assert_eq!(wire.recv().await["error"]["code"], -32600);
}

#[tokio::test]
async fn ids_of_both_sides_may_be_the_same() {
    let (mut wire, session) = Wire::open(Worker, files()).await;
    let prompt = json!({"sessionId": session, "prompt": [{"type": "text", "text": "write"}]});
    // The agent's ids also begin with 0.
    wire.send(json!({"jsonrpc": "2.0", "id": 0, "method": "session/prompt", "params": prompt})).await;
    let write = wire.asked("fs/write_text_file").await;
    wire.answer(&write, json!({})).await;
    assert_eq!(wire.said().await, "written");
    assert_eq!(wire.stopped(0).await, "end_turn");
}

#[tokio::test]
async fn a_file_is_written_with_the_result_null() {
    let (mut wire, session) = Wire::open(Worker, files()).await;
    let prompt = wire.prompt(&session, "write").await;
    let write = wire.asked("fs/write_text_file").await;
    wire.answer(&write, Value::Null).await;
    assert_eq!(wire.said().await, "written");
    assert_eq!(wire.stopped(prompt).await, "end_turn");
}

/// Such a client never answers unknown requests.
#[tokio::test]
async fn what_a_client_did_not_announce_is_never_asked_of_it() {
    let (mut wire, session) = Wire::open(Worker, json!({"telepathy": true, "fs": {}})).await;
    assert_eq!(wire.turn(&session, "terminal").await.0[0]["content"]["text"], "false");
    let (updates, answer) = wire.turn(&session, "write").await;
    assert!(updates.is_empty(), "{updates:?}");
    check_error(&answer, -32603, &["file system"]);
}

/// Errors without an id as answers to the agent's requests, and answers that nobody waits for.
#[tokio::test]
async fn errors_without_an_id_end_nothing() {
    let (mut wire, session) = Wire::open(Worker, files()).await;
    let prompt = wire.prompt(&session, "ask").await;
    let ask = wire.asked("session/request_permission").await;
    for odd in [
        json!({"jsonrpc": "2.0", "error": {"code": -32603, "message": "m"}}),
        json!({"jsonrpc": "2.0", "id": null, "error": {"code": 400, "message": "m", "data": []}}),
        json!({"jsonrpc": "2.0", "id": "nobody", "result": null}),
        json!({"jsonrpc": "2.0", "method": "vendor/notify", "params": {"sessionId": session}}),
    ] {
        wire.send(odd).await;
    }
    let first = ask["params"]["options"][0]["optionId"].clone();
    wire.answer(&ask, json!({"outcome": {"outcome": "selected", "optionId": first}})).await;
    assert_eq!(wire.said().await, "true");
    assert_eq!(wire.stopped(prompt).await, "end_turn");
}

#[tokio::test]
async fn a_prompt_is_taken_back_instead_of_cancelled_and_the_question_with_it() {
    let (mut wire, session) = Wire::open(Worker, json!({})).await;
    let prompt = wire.prompt(&session, "ask").await;
    let ask = wire.asked("session/request_permission").await;
    wire.notify("$/cancel_request", json!({"requestId": prompt})).await;
    let taken_back = wire.recv().await;
    assert_eq!(taken_back["method"], "$/cancel_request", "{taken_back}");
    assert_eq!(taken_back["params"]["requestId"], ask["id"]);
    let answer = wire.answer_to(prompt).await;
    assert_eq!(answer["result"]["stopReason"], "cancelled", "{answer}");
    // The client answers all the same, and sends more requests.
    wire.answer(&ask, json!({"outcome": {"outcome": "cancelled"}})).await;
    assert_eq!(wire.turn(&session, "hello").await.1["result"]["stopReason"], "end_turn");
}

#[tokio::test]
async fn extension_requests_without_a_prefix_are_not_known() {
    let mut wire = Wire::connect(Worker, json!({})).await;
    wire.refused(
        "session/set_model",
        json!({"sessionId": "s", "modelId": "m"}),
        -32601,
        &["session/set_model"],
    )
    .await;
    wire.refused("craft/drainMidTurnQueue", json!({}), -32601, &["craft/drainMidTurnQueue"]).await;
}
