//! Turns: they end when the session becomes idle.

use acp_client::v1::StopReason;
use acp_client::{Event, StateKind};
use serde_json::json;

use super::{idle, state, text, with_session};

#[tokio::test]
async fn the_text_of_the_answer_is_that_of_messages_that_were_replaced() {
    let (session, mut wire) = with_session().await;
    let turn = session.prompt("hi").await.expect("sent");
    let prompt = wire.expect("session/prompt").await;
    wire.answer(&prompt, json!({"messageId": "m1"})).await;
    let anew = json!({"sessionUpdate": "agent_message", "messageId": "m2", "content": [{"type": "text", "text": "new "}]});
    for update in [state("running"), text("m2", "old"), text("m3", "and more"), anew, idle("end_turn")] {
        wire.update("s1", update).await;
    }
    assert_eq!(turn.finish_with_text().await.expect("it ended").0, "new and more");
}

#[tokio::test]
async fn a_turn_ends_when_the_session_becomes_idle() {
    let (session, mut wire) = with_session().await;
    let mut turn = session.prompt("hi").await.expect("sent");
    let prompt = wire.expect("session/prompt").await;
    assert_eq!(prompt["params"], json!({"sessionId": "s1", "prompt": [{"type": "text", "text": "hi"}]}));
    wire.answer(&prompt, json!({"messageId": "m1"})).await;
    let echo = json!({"sessionUpdate": "user_message_chunk", "messageId": "m1", "content": {"type": "text", "text": "hi"}});
    for update in [echo, state("running"), text("m2", "HI"), idle("end_turn")] {
        wire.update("s1", update).await;
    }
    let mut events = Vec::new();
    while let Some(event) = turn.next().await {
        events.push(event);
    }
    let [Event::State(running), Event::Message(_), Event::State(idle)] = events.as_slice() else {
        panic!("{events:?}")
    };
    assert_eq!(running.kind, StateKind::Running);
    assert!(idle.is_idle());
    assert_eq!(events[1].text(), Some("HI"));
    assert_eq!(turn.finish().await.expect("it ended").stop_reason, StopReason::EndTurn);
}
