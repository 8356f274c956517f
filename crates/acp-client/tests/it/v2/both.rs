//! One client, and an agent of each version: it sees the same.

use acp_client::{Event, Session};
use serde_json::{Value, json};

use super::{BOTH, idle, initialized, state};
use crate::common::{Wire, open, pipe};

async fn with_session(answer: Value) -> (Session, Wire) {
    let (transport, mut wire) = pipe();
    let connecting = acp_client::connect(transport).versions(BOTH);
    let (agent, ()) = tokio::join!(connecting.into_future(), async {
        let request = wire.expect("initialize").await;
        wire.answer(&request, answer).await;
    });
    let session = open(&agent.expect("connected"), &mut wire, json!({"sessionId": "s1"})).await;
    (session, wire)
}

/// Reads a turn, as a client does that knows nothing of versions.
async fn read(session: Session) -> (Vec<Event>, String) {
    let mut turn = session.prompt("hi").await.expect("sent");
    let mut events = Vec::new();
    while let Some(event) = turn.next().await {
        events.push(event);
    }
    let reason = turn.finish().await.expect("it ended").stop_reason().map(ToString::to_string);
    (events, reason.unwrap_or_default())
}

/// Updates that both versions have.
fn updates() -> Vec<Value> {
    let text = |text: &str| json!({"type": "text", "text": text});
    vec![
        json!({"sessionUpdate": "agent_thought_chunk", "messageId": "t", "content": text("hm")}),
        json!({"sessionUpdate": "agent_message_chunk", "messageId": "a", "content": text("one ")}),
        json!({"sessionUpdate": "agent_message_chunk", "messageId": "a", "content": text("two")}),
        json!({"sessionUpdate": "notice", "severity": "warning", "title": "slow"}),
        json!({"sessionUpdate": "usage_update", "used": 5, "size": 9}),
        json!({"sessionUpdate": "session_info_update", "title": "Greeting"}),
        json!({"sessionUpdate": "_own", "x": 1}),
    ]
}

#[tokio::test]
async fn the_events_of_a_turn_are_the_same() {
    for reason in ["end_turn", "max_tokens", "refusal", "_own"] {
        let first = json!({"protocolVersion": 1, "agentInfo": {"name": "robot", "version": "1"}});
        let (session, mut wire) = with_session(first).await;
        let (of_first, ()) = tokio::join!(read(session), async {
            let prompt = wire.expect("session/prompt").await;
            for update in updates() {
                wire.update("s1", update).await;
            }
            wire.answer(&prompt, json!({"stopReason": reason})).await;
        });
        let (session, mut wire) = with_session(initialized(json!({"session": {}}))).await;
        let (of_second, ()) = tokio::join!(read(session), async {
            let prompt = wire.expect("session/prompt").await;
            wire.answer(&prompt, json!({"messageId": "m1"})).await;
            let content = json!({"type": "text", "text": "hi"});
            let echo = json!({"sessionUpdate": "user_message_chunk", "messageId": "m1", "content": content});
            wire.update("s1", echo).await;
            wire.update("s1", state("running")).await;
            for update in updates() {
                wire.update("s1", update).await;
            }
            wire.update("s1", idle(reason)).await;
        });
        assert_eq!(of_first.0.len(), updates().len() + 2, "{:?}", of_first.0);
        assert_eq!(of_first, of_second, "{reason}");
    }
}
