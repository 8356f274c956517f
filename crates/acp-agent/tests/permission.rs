//! Asking for permission: only an offered answer that allows is consent.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod support;

use acp_agent::types::{PermissionOption, PermissionOptionKind, ToolKind};
use acp_agent::{Result, StopReason, ToolCall, Turn, agent};
use serde_json::{Value, json};
use support::{Wire, check_error};

struct Careful;

#[agent]
impl Careful {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        let call = ToolCall::new("call-1", "Delete everything").kind(ToolKind::Delete);
        if turn.text() == "choose" {
            let colours = [("r", "Red"), ("b", "Blue")]
                .map(|(id, name)| PermissionOption::new(id, name, PermissionOptionKind::AllowOnce))
                .into_iter()
                .chain([PermissionOption::new("n", "None", "never_again")]);
            let chosen = turn.ask_with(&call, colours).await?;
            turn.say(format!("{} {}", chosen.name, chosen.kind)).await?;
        } else {
            let decision = turn.ask(&call).await?;
            turn.say(format!("{decision:?} {}", decision.is_allowed())).await?;
        }
        Ok(StopReason::EndTurn)
    }
}

async fn asked(text: &str) -> (Wire, u64, Value) {
    let (mut wire, session) = Wire::open(Careful, json!({})).await;
    let prompt = wire.prompt(&session, text).await;
    let ask = wire.recv().await;
    assert_eq!(ask["method"], "session/request_permission");
    assert_eq!(ask["params"]["sessionId"], session);
    (wire, prompt, ask)
}

fn selected(option: &str) -> Value {
    json!({"outcome": {"outcome": "selected", "optionId": option}})
}

#[tokio::test]
async fn the_question_names_the_call_and_the_usual_options() {
    let (_, _, ask) = asked("").await;
    let call = &ask["params"]["toolCall"];
    assert_eq!(
        (&call["toolCallId"], &call["title"], &call["kind"]),
        (&json!("call-1"), &json!("Delete everything"), &json!("delete"))
    );
    let kinds: Vec<_> =
        ask["params"]["options"].as_array().unwrap().iter().map(|option| option["kind"].clone()).collect();
    assert_eq!(kinds, ["allow_once", "allow_always", "reject_once"]);
}

#[tokio::test]
async fn an_answer_decides() {
    for (option, decision) in [
        ("allow-once", "Allowed true"),
        ("allow-always", "AllowedAlways true"),
        ("reject-once", "Rejected false"),
    ] {
        let (mut wire, prompt, ask) = asked("").await;
        wire.answer(&ask, selected(option)).await;
        assert_eq!(wire.said().await, decision);
        assert_eq!(wire.stopped(prompt).await, "end_turn");
    }
}

#[tokio::test]
async fn options_of_ones_own_come_back() {
    for (option, said) in [("b", "Blue allow_once"), ("n", "None never_again")] {
        let (mut wire, _, ask) = asked("choose").await;
        wire.answer(&ask, selected(option)).await;
        assert_eq!(wire.said().await, said);
    }
}

#[tokio::test]
async fn a_cancelled_question_is_a_cancelled_turn() {
    let answers = [
        json!({"result": {"outcome": {"outcome": "cancelled"}}}),
        json!({"error": {"code": -32800, "message": "cancelled"}}),
    ];
    for mut answer in answers {
        let (mut wire, prompt, ask) = asked("").await;
        answer["jsonrpc"] = json!("2.0");
        answer["id"] = ask["id"].clone();
        wire.send(answer).await;
        assert_eq!(wire.stopped(prompt).await, "cancelled");
    }
}

#[tokio::test]
async fn nothing_else_is_consent() {
    let answers = [
        json!({"result": selected("allow-everything")}),
        json!({"result": {"outcome": {"outcome": "allowed"}}}),
        json!({"result": {"outcome": "selected"}}),
        json!({"result": null}),
        json!({"error": {"code": -32603, "message": "the editor is on fire"}}),
    ];
    for mut answer in answers {
        let (mut wire, prompt, ask) = asked("").await;
        answer["jsonrpc"] = json!("2.0");
        answer["id"] = ask["id"].clone();
        wire.send(answer).await;
        check_error(&wire.answer_to(prompt).await, -32603, &["session/request_permission"]);
    }
}
