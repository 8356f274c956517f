//! Questions to the user.

use acp_agent::types::{
    CreateElicitationRequest, ElicitationFormMode, ElicitationSchema, ElicitationSessionScope,
    StringPropertySchema, ToolCallLocation,
};
use acp_agent::{ElicitationAnswer, Error, Form, Result, StopReason, ToolCall, Turn, agent};
use acp_types::v2;
use serde_json::{Value, json};

use super::{open, read, start, update};
use crate::support::Wire;

struct Asks;

#[agent]
impl Asks {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        match turn.text().as_str() {
            "none" => {
                let asked = turn.ask_with(&ToolCall::edit("Edit"), []).await;
                assert!(matches!(asked, Err(Error::NoOptions)), "{asked:?}");
                turn.say("refused").await?;
            }
            "form" => {
                let form = Form::new("Where?").required("region", StringPropertySchema::new());
                if let ElicitationAnswer::Accept(values) = turn.elicit(form).await? {
                    turn.say(values.text("region").unwrap_or_default()).await?;
                }
            }
            "empty" => {
                let scope = ElicitationSessionScope::new(turn.session_id().clone());
                let form = ElicitationFormMode::new(ElicitationSchema::new(), scope);
                turn.elicit_with(&CreateElicitationRequest::new("Sure?", form)).await?;
            }
            "page" => {
                if let ElicitationAnswer::Accept(page) = turn.elicit_url("Log in", "https://a.b/c").await? {
                    page.complete().await?;
                }
            }
            _ => {
                let call =
                    ToolCall::edit("Edit notes.txt").locations([ToolCallLocation::new("notes.txt").line(0)]);
                turn.say(format!("{:?}", turn.ask(&call).await?)).await?;
            }
        }
        Ok(StopReason::EndTurn)
    }
}

/// Reads up to the next message that is not a state.
async fn next(wire: &mut Wire) -> Value {
    loop {
        let message = wire.recv().await;
        if message["params"]["update"]["sessionUpdate"] != "state_update" {
            return message;
        }
    }
}

#[tokio::test]
async fn a_question_has_a_title_and_the_call_as_its_subject() {
    let (mut wire, session, _) = open(Asks).await;
    for (outcome, said) in [
        (json!({"outcome": "selected", "optionId": "allow-always", "_meta": {"a": 1}}), "AllowAlways"),
        (json!({"outcome": "selected", "optionId": "reject-once"}), "RejectOnce"),
    ] {
        start(&mut wire, &session, "ask").await;
        let question = next(&mut wire).await;
        assert_eq!(question["method"], "session/request_permission");
        let params = &question["params"];
        read::<v2::RequestPermissionRequest>("RequestPermissionRequest", params);
        assert_eq!(params["title"], "Edit notes.txt");
        assert!(params.get("toolCall").is_none(), "{params}");
        let call = &params["subject"]["toolCall"];
        assert_eq!(params["subject"]["type"], "tool_call");
        assert_eq!((&call["kind"], &call["status"]), (&json!("edit"), &json!("pending")));
        assert_eq!(call["locations"], json!([{"path": "/work/notes.txt"}]));
        assert_eq!(params["options"].as_array().unwrap().len(), 3);
        wire.answer(&question, json!({"outcome": outcome})).await;
        assert_eq!(next(&mut wire).await["params"]["update"]["content"]["text"], said);
        assert_eq!(update(&mut wire).await["stopReason"], "end_turn");
    }
    // Neither is consent: the turn fails, or is cancelled.
    for (outcome, reason) in [
        (json!({"outcome": "_later"}), "error"),
        (json!({"outcome": "selected", "optionId": "nope"}), "error"),
        (json!({"outcome": "cancelled", "_meta": {}}), "cancelled"),
    ] {
        start(&mut wire, &session, "ask").await;
        let question = next(&mut wire).await;
        wire.answer(&question, json!({"outcome": outcome})).await;
        let mut end = update(&mut wire).await;
        if end["state"] == "running" {
            end = update(&mut wire).await;
        }
        assert_eq!(end["stopReason"], reason, "{end}");
    }
}

#[tokio::test]
async fn a_question_without_options_is_an_error_in_both_versions() {
    let (mut wire, session, _) = open(Asks).await;
    start(&mut wire, &session, "none").await;
    assert_eq!(next(&mut wire).await["params"]["update"]["content"]["text"], "refused");
    let (mut wire, session) = Wire::open(Asks, json!({})).await;
    let (updates, _) = wire.turn(&session, "none").await;
    assert_eq!(updates[0]["content"]["text"], "refused");
}

#[tokio::test]
async fn a_form_has_a_type_and_fields_also_if_it_has_none() {
    let (mut wire, session, _) = open(Asks).await;
    start(&mut wire, &session, "form").await;
    let question = next(&mut wire).await;
    assert_eq!(question["method"], "elicitation/create");
    read::<v2::CreateElicitationRequest>("CreateElicitationRequest", &question["params"]);
    assert_eq!(question["params"]["requestedSchema"]["type"], "object");
    wire.answer(&question, json!({"action": "accept", "content": {"region": "eu"}})).await;
    assert_eq!(next(&mut wire).await["params"]["update"]["content"]["text"], "eu");
    assert_eq!(update(&mut wire).await["stopReason"], "end_turn");

    start(&mut wire, &session, "empty").await;
    let question = next(&mut wire).await;
    read::<v2::CreateElicitationRequest>("CreateElicitationRequest", &question["params"]);
    assert_eq!(
        question["params"],
        json!({"mode": "form", "sessionId": session, "message": "Sure?",
               "requestedSchema": {"type": "object", "properties": {}}})
    );
}

#[tokio::test]
async fn a_page_is_opened_and_completed() {
    let (mut wire, session, _) = open(Asks).await;
    start(&mut wire, &session, "page").await;
    let question = next(&mut wire).await;
    read::<v2::CreateElicitationRequest>("CreateElicitationRequest", &question["params"]);
    let id = &question["params"]["elicitationId"];
    wire.answer(&question, json!({"action": "accept"})).await;
    let done = next(&mut wire).await;
    assert_eq!((&done["method"], &done["params"]["elicitationId"]), (&json!("elicitation/complete"), id));
}
