//! Questions to the user in the middle of a turn.

use acp_agent::{Form, Result, StopReason, ToolCall, Turn, agent};
use serde_json::json;

use super::{hello, idle, inserted, new_session, open, said, state};
use crate::support::Wire;

struct Asks;

#[agent]
impl Asks {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        let call = ToolCall::edit("Edit notes.txt");
        match turn.text().as_str() {
            "both" => {
                let (first, second) = tokio::join!(turn.ask(&call), turn.ask(&call));
                turn.say(format!("{} {}", first?.is_allowed(), second?.is_allowed())).await?;
            }
            "meanwhile" => {
                let (answer, said) = tokio::join!(turn.ask(&call), turn.say("meanwhile"));
                said?;
                turn.say(format!("{}", answer?.is_allowed())).await?;
            }
            "all" => {
                let (answer, form) = tokio::join!(turn.ask(&call), turn.elicit(Form::new("Who?")));
                let outcome = format!("{} {}", answer.is_err(), form.is_err());
                turn.uncancelled().say(outcome).await?;
                turn.say(format!("{}", answer?.is_allowed())).await?;
            }
            _ => turn.say(format!("{}", turn.ask(&call).await?.is_allowed())).await?,
        }
        Ok(StopReason::EndTurn)
    }
}

const ALLOWED: &str = "allow-once";

#[tokio::test]
async fn a_turn_that_waits_for_the_user_says_so() {
    let (mut wire, session) = open(Asks).await;
    let allowed = || json!({"outcome": {"outcome": "selected", "optionId": ALLOWED}});
    let prompt = wire.prompt(&session, "one").await;
    inserted(&mut wire, prompt).await;
    state(&mut wire, "requires_action").await;
    let question = wire.asked("session/request_permission").await;
    wire.answer(&question, allowed()).await;
    state(&mut wire, "running").await;
    assert_eq!(said(&mut wire).await.0, "true");
    idle(&mut wire, "end_turn").await;

    // An answer to one of two changes nothing.
    let prompt = wire.prompt(&session, "both").await;
    inserted(&mut wire, prompt).await;
    state(&mut wire, "requires_action").await;
    let first = wire.asked("session/request_permission").await;
    let second = wire.asked("session/request_permission").await;
    wire.answer(&first, allowed()).await;
    wire.answer(&second, allowed()).await;
    state(&mut wire, "running").await;
    assert_eq!(said(&mut wire).await.0, "true true");
    idle(&mut wire, "end_turn").await;

    // A turn that sends something meanwhile does not only wait.
    let prompt = wire.prompt(&session, "meanwhile").await;
    inserted(&mut wire, prompt).await;
    state(&mut wire, "requires_action").await;
    let question = wire.asked("session/request_permission").await;
    state(&mut wire, "running").await;
    assert_eq!(said(&mut wire).await.0, "meanwhile");
    wire.answer(&question, allowed()).await;
    assert_eq!(said(&mut wire).await.0, "true");
    idle(&mut wire, "end_turn").await;
}

#[tokio::test]
async fn a_cancel_withdraws_the_question_before_the_turn_ends() {
    let (mut wire, session) = open(Asks).await;
    let prompt = wire.prompt(&session, "one").await;
    inserted(&mut wire, prompt).await;
    state(&mut wire, "requires_action").await;
    let question = wire.asked("session/request_permission").await;
    wire.cancel(&session).await;
    let withdrawn = wire.recv().await;
    assert_eq!(
        (&withdrawn["method"], &withdrawn["params"]["requestId"]),
        (&json!("$/cancel_request"), &question["id"])
    );
    idle(&mut wire, "cancelled").await;
    // An answer that comes late does nothing.
    wire.answer(&question, json!({"outcome": {"outcome": "selected", "optionId": ALLOWED}})).await;
    assert_eq!(wire.close().await, [json!(null); 0]);
}

/// Every question of the turn is withdrawn, then come the last updates, then the end.
#[tokio::test]
async fn a_cancel_withdraws_all_questions_before_the_last_updates() {
    let mut wire = Wire::serve(Asks);
    let mut hello = hello();
    hello["capabilities"] = json!({"elicitation": {"form": {}}});
    wire.call("initialize", hello).await;
    let session = new_session(&mut wire).await;
    let prompt = wire.prompt(&session, "all").await;
    inserted(&mut wire, prompt).await;
    state(&mut wire, "requires_action").await;
    let permission = wire.asked("session/request_permission").await;
    let form = wire.asked("elicitation/create").await;
    wire.cancel(&session).await;
    let mut withdrawn = Vec::new();
    for _ in 0..2 {
        let message = wire.recv().await;
        assert_eq!(message["method"], "$/cancel_request", "{message}");
        withdrawn.push(message["params"]["requestId"].clone());
    }
    assert!(withdrawn.contains(&permission["id"]) && withdrawn.contains(&form["id"]), "{withdrawn:?}");
    // Answers that come late do nothing.
    wire.answer(&permission, json!({"outcome": {"outcome": "selected", "optionId": ALLOWED}})).await;
    wire.answer(&form, json!({"action": "accept", "content": {}})).await;
    state(&mut wire, "running").await;
    assert_eq!(said(&mut wire).await.0, "true true");
    idle(&mut wire, "cancelled").await;
    assert_eq!(wire.close().await, [json!(null); 0]);
}
