//! A second prompt while a turn runs.

use acp_client::{Error, Event, SteerOutcome};
use serde_json::{Value, json};

use super::{idle, state, text, with_session};
use crate::common::Wire;

async fn accept(wire: &mut Wire, prompt: &Value, id: &str) {
    wire.answer(prompt, json!({"messageId": id})).await;
    let content = json!([{"type": "text", "text": "hi"}]);
    wire.update("s1", json!({"sessionUpdate": "user_message", "messageId": id, "content": content})).await;
}

#[tokio::test]
async fn one_idle_ends_both_prompts() {
    let (session, mut wire) = with_session().await;
    assert!(session.agent().can_be_steered());
    let mut turn = session.prompt("hi").await.expect("sent");
    assert_eq!(turn.message_id(), None);
    let first = wire.expect("session/prompt").await;
    accept(&mut wire, &first, "m1").await;
    wire.update("s1", state("running")).await;
    let steered = tokio::spawn(turn.steer("and tests").into_future());
    let second = wire.expect("session/prompt").await;
    assert_eq!(
        second["params"],
        json!({"sessionId": "s1", "prompt": [{"type": "text", "text": "and tests"}]})
    );
    accept(&mut wire, &second, "m2").await;
    let outcome = steered.await.expect("no panic").expect("taken").outcome;
    assert_eq!(outcome, SteerOutcome::Injected);
    for update in [text("m3", "done"), idle("end_turn")] {
        wire.update("s1", update).await;
    }
    let mut said = String::new();
    while let Some(event) = turn.next().await {
        assert!(
            !matches!(event, Event::UserMessage(_) | Event::MessageReplaced { .. }),
            "an echo is not shown"
        );
        said.extend(event.text());
    }
    assert_eq!(said, "done");
    assert_eq!(turn.message_id().map(|id| id.as_str()), Some("m1"));
    turn.finish().await.expect("it ended");
    // The next turn is another one.
    let turn = session.prompt("next").await.expect("sent");
    let third = wire.expect("session/prompt").await;
    accept(&mut wire, &third, "m4").await;
    for update in [state("running"), idle("max_tokens")] {
        wire.update("s1", update).await;
    }
    assert_eq!(turn.finish().await.expect("it ended").stop_reason.as_str(), "max_tokens");
}

#[tokio::test]
async fn a_prompt_that_is_held_starts_a_turn() {
    let (session, mut wire) = with_session().await;
    let turn = session.prompt("hi").await.expect("sent");
    let first = wire.expect("session/prompt").await;
    accept(&mut wire, &first, "m1").await;
    wire.update("s1", state("running")).await;
    let steered = tokio::spawn(turn.steer("and tests").into_future());
    let second = wire.expect("session/prompt").await;
    wire.update("s1", idle("end_turn")).await;
    turn.finish().await.expect("it ended");
    accept(&mut wire, &second, "m2").await;
    let outcome = steered.await.expect("no panic").expect("taken").outcome;
    assert_eq!(outcome, SteerOutcome::StartedNewTurn);
    for update in [state("running"), text("m3", "done"), idle("end_turn")] {
        wire.update("s1", update).await;
    }
    let mut updates = session.updates();
    while updates.next().await.expect("an event").text() != Some("done") {}
}

#[tokio::test]
async fn a_prompt_that_is_refused_is_to_be_sent_later() {
    let (session, mut wire) = with_session().await;
    let turn = session.prompt("hi").await.expect("sent");
    let first = wire.expect("session/prompt").await;
    accept(&mut wire, &first, "m1").await;
    wire.update("s1", state("running")).await;
    for (code, is_later) in [(-32600, true), (-32603, false)] {
        let steered = tokio::spawn(turn.steer("and tests").into_future());
        let second = wire.expect("session/prompt").await;
        wire.fail(&second, json!({"code": code, "message": "busy"})).await;
        match steered.await.expect("no panic") {
            Ok(response) => assert!(is_later && response.outcome == SteerOutcome::PromptRequired),
            Err(error) => assert!(!is_later && matches!(error, Error::Agent { .. }), "{error}"),
        }
    }
    // One that is withdrawn is asked back.
    let steered = tokio::spawn(turn.steer("and tests").into_future());
    let second = wire.expect("session/prompt").await;
    steered.abort();
    let withdrawn = wire.expect("$/cancel_request").await;
    assert_eq!(withdrawn["params"]["requestId"], second["id"]);
    wire.update("s1", idle("end_turn")).await;
    turn.finish().await.expect("it ended");
    // Without a turn nothing is sent.
    let response = session.steer("now").await.expect("answered here");
    assert_eq!(response.outcome, SteerOutcome::PromptRequired);
    let turn = session.prompt("hi").await.expect("sent");
    let prompt = wire.expect("session/prompt").await;
    accept(&mut wire, &prompt, "m5").await;
    for update in [state("running"), idle("end_turn")] {
        wire.update("s1", update).await;
    }
    turn.finish().await.expect("it ended");
}
