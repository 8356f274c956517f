//! The states of turns with an agent of version 1: a client of both versions has one way to follow
//! them.

use acp_client::v1::{RequestPermissionRequest, StopReason};
use acp_client::{Event, PermissionAnswer, Session, StateKind, client};
use serde_json::json;
use std::sync::Arc;
use tokio::sync::Notify;

use super::BOTH;
use crate::common::{Wire, open, pipe};

struct Patient(Arc<Notify>);

#[client]
impl Patient {
    async fn request_permission(&self, _: RequestPermissionRequest) -> acp_client::Result<PermissionAnswer> {
        self.0.notified().await;
        Ok(PermissionAnswer::AllowOnce)
    }
}

async fn with_session(answer: Arc<Notify>) -> (Session, Wire) {
    let (transport, mut wire) = pipe();
    let connecting = acp_client::connect(transport).versions(BOTH).client(Patient(answer));
    let (agent, ()) = tokio::join!(connecting.into_future(), async {
        let request = wire.expect("initialize").await;
        wire.answer(&request, json!({"protocolVersion": 1})).await;
    });
    let session = open(&agent.expect("connected"), &mut wire, json!({"sessionId": "s1"})).await;
    (session, wire)
}

fn kind(event: Option<Event>) -> StateKind {
    match event {
        Some(Event::State(state)) => state.kind,
        other => panic!("a state, not {other:?}"),
    }
}

#[tokio::test]
async fn the_states_of_a_turn_are_those_that_version_2_reports() {
    let answer = Arc::new(Notify::new());
    let (session, mut wire) = with_session(Arc::clone(&answer)).await;
    let mut turn = session.prompt("hi").await.expect("sent");
    let prompt = wire.expect("session/prompt").await;
    assert_eq!(kind(turn.next().await), StateKind::Running);
    wire.text("s1", "one").await;
    assert_eq!(turn.next().await.expect("an event").text(), Some("one"));
    let ask = json!({"sessionId": "s1", "toolCall": {"toolCallId": "c"}, "options": [
        {"optionId": "y", "name": "Yes", "kind": "allow_once"}]});
    wire.send(json!({"jsonrpc": "2.0", "id": "q", "method": "session/request_permission", "params": ask}))
        .await;
    assert_eq!(kind(turn.next().await), StateKind::RequiresAction);
    answer.notify_one();
    assert_eq!(wire.receive().await["result"]["outcome"]["optionId"], "y");
    assert_eq!(kind(turn.next().await), StateKind::Running);
    wire.text("s1", "two").await;
    wire.answer(&prompt, json!({"stopReason": "refusal"})).await;
    assert_eq!(turn.next().await.expect("an event").text(), Some("two"));
    let idle = StateKind::Idle { stop_reason: Some(StopReason::Refusal), error: None };
    assert_eq!(kind(turn.next().await), idle);
    assert!(turn.next().await.is_none());
    let response = turn.finish().await.expect("it ended");
    assert_eq!((response.stop_reason(), response.background()), (Some(&StopReason::Refusal), None));
}

#[tokio::test]
async fn a_turn_that_fails_ends_in_idle() {
    let (session, mut wire) = with_session(Arc::default()).await;
    let mut turn = session.prompt("hi").await.expect("sent");
    let prompt = wire.expect("session/prompt").await;
    wire.fail(&prompt, json!({"code": -32603, "message": "no model"})).await;
    assert_eq!(kind(turn.next().await), StateKind::Running);
    assert_eq!(kind(turn.next().await), StateKind::Idle { stop_reason: None, error: None });
    assert!(turn.next().await.is_none());
    turn.finish().await.expect_err("it failed");
}

#[tokio::test]
async fn a_client_of_version_1_sees_no_states() {
    let (session, mut wire) = crate::common::with_session(|connect| connect).await;
    let mut turn = session.prompt("hi").await.expect("sent");
    let prompt = wire.expect("session/prompt").await;
    wire.answer(&prompt, json!({"stopReason": "end_turn"})).await;
    assert!(turn.next().await.is_none());
}
