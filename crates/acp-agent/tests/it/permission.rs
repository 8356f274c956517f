//! Asking for permission: only an offered answer that allows is consent.

use acp_agent::types::{PermissionOption, PermissionOptionKind, ToolKind};
use acp_agent::{Permissions, Result, StopReason, ToolCall, Turn, agent};
use serde_json::{Value, json};

use crate::support::{Wire, check_error};

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
        ("allow-once", "AllowOnce true"),
        ("allow-always", "AllowAlways true"),
        ("reject-once", "RejectOnce false"),
    ] {
        let (mut wire, prompt, ask) = asked("").await;
        wire.answer(&ask, selected(option)).await;
        assert_eq!(wire.said().await, decision);
        assert_eq!(wire.stopped(prompt).await, "end_turn");
    }
}

/// Version 1 has a closed list of kinds, so an option of another kind is not offered.
#[tokio::test]
async fn options_of_ones_own_come_back() {
    let (mut wire, _, ask) = asked("choose").await;
    let options = ask["params"]["options"].as_array().unwrap();
    assert!(options.iter().all(|option| option["kind"] != "never_again"), "{options:?}");
    wire.answer(&ask, selected("b")).await;
    assert_eq!(wire.said().await, "Blue allow_once");
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

/// Asks for permission with the key in the prompt's text, for this session or for all sessions.
#[derive(Default)]
struct Remembering {
    everywhere: Permissions,
}

#[agent]
impl Remembering {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        let call = ToolCall::new("call-1", "Fetch").kind(ToolKind::Fetch);
        let text = turn.text();
        let decision = match text.split_once(' ') {
            Some(("everywhere", key)) => self.everywhere.ask(&turn, key, &call).await?,
            Some(("forget", key)) => {
                turn.permissions().forget(key);
                turn.ask_remembered(key, &call).await?
            }
            _ => turn.ask_remembered(text, &call).await?,
        };
        turn.say(format!("{decision:?}")).await?;
        Ok(StopReason::EndTurn)
    }
}

/// Runs a turn in which the user chooses this option. `None` means that the user is not asked.
async fn decided(wire: &mut Wire, session: &str, text: &str, option: Option<&str>) -> String {
    let prompt = wire.prompt(session, text).await;
    if let Some(option) = option {
        let ask = wire.asked("session/request_permission").await;
        let options = ask["params"]["options"].as_array().unwrap();
        let kinds: Vec<_> = options.iter().map(|option| option["kind"].as_str().unwrap()).collect();
        assert_eq!(kinds, ["allow_once", "allow_always", "reject_once", "reject_always"]);
        wire.answer(&ask, selected(option)).await;
    }
    let said = wire.said().await;
    assert_eq!(wire.stopped(prompt).await, "end_turn");
    said
}

#[tokio::test]
async fn a_decision_for_always_is_asked_for_once() {
    let (mut wire, session) = Wire::open(Remembering::default(), json!({})).await;
    let other = wire.new_session().await;
    let script = [
        (&session, "a", Some("allow-once"), "AllowOnce"),
        (&session, "a", Some("allow-always"), "AllowAlways"),
        (&session, "a", None, "AllowAlways"),
        // Another key, and another session.
        (&session, "b", Some("reject-once"), "RejectOnce"),
        (&session, "b", Some("reject-always"), "RejectAlways"),
        (&session, "b", None, "RejectAlways"),
        (&other, "a", Some("reject-always"), "RejectAlways"),
        (&session, "a", None, "AllowAlways"),
        (&session, "forget a", Some("allow-once"), "AllowOnce"),
        (&session, "a", Some("reject-once"), "RejectOnce"),
        // Answers that the agent itself remembers count in all sessions.
        (&session, "everywhere a", Some("allow-always"), "AllowAlways"),
        (&other, "everywhere a", None, "AllowAlways"),
    ];
    for (session, text, option, decision) in script {
        assert_eq!(decided(&mut wire, session, text, option).await, decision, "{text}");
    }
}

#[tokio::test]
async fn an_error_is_not_remembered() {
    let (mut wire, session) = Wire::open(Remembering::default(), json!({})).await;
    let prompt = wire.prompt(&session, "a").await;
    let ask = wire.asked("session/request_permission").await;
    wire.answer(&ask, json!({"outcome": {"outcome": "cancelled"}})).await;
    assert_eq!(wire.stopped(prompt).await, "cancelled");
    assert_eq!(decided(&mut wire, &session, "a", Some("allow-once")).await, "AllowOnce");
}

#[test]
fn decisions_can_be_saved_and_restored() {
    let permissions = Permissions::new();
    permissions.remember("a", true);
    permissions.remember("b", false);
    let restored = Permissions::new();
    for (key, allowed) in permissions.to_vec() {
        restored.remember(key, allowed);
    }
    let said = ["a", "b", "c"].map(|key| restored.remembered(key).map(|decision| format!("{decision:?}")));
    assert_eq!(said, [Some("AllowAlways".to_owned()), Some("RejectAlways".to_owned()), None]);
}
