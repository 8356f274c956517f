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

/// Updates that both versions have, in the form of version 1 and of version 2.
fn pairs() -> Vec<(Value, Value)> {
    let entries = json!([{"content": "look", "priority": "high", "status": "in_progress"}]);
    let items = json!({"type": "items", "planId": "p", "entries": entries});
    let work = json!({"toolCallId": "c", "title": "Work", "kind": "edit", "status": "in_progress",
        "content": [{"type": "content", "content": {"type": "text", "text": "a"}}], "rawInput": {"a": 1},
        "locations": [{"path": "/a", "line": 1}], "_meta": {"k": 1}});
    let of = |kind: &str, members: &Value| {
        let mut update = members.clone();
        update["sessionUpdate"] = json!(kind);
        update
    };
    let done =
        json!({"toolCallId": "c", "status": "completed", "rawOutput": [1], "content": [], "title": "Worked"});
    let command = json!({"name": "plan", "description": "Plans", "input": {"hint": "a task"}});
    let tagged = json!({"type": "command", "name": "plan", "description": "Plans", "input": {"type": "text", "hint": "a task"}});
    let quick = |id: &str| json!({id: "b", "name": "Quick", "type": "boolean", "currentValue": true});
    let mut pairs = vec![
        (of("tool_call", &work), of("tool_call_update", &work)),
        (of("tool_call_update", &done), of("tool_call_update", &done)),
        (of("plan", &json!({"entries": entries})), of("plan_update", &json!({"plan": items}))),
        (of("plan", &json!({"entries": []})), {
            let mut items = items;
            items["entries"] = json!([]);
            of("plan_update", &json!({"plan": items}))
        }),
        (
            of("available_commands_update", &json!({"availableCommands": [command]})),
            of("available_commands_update", &json!({"availableCommands": [tagged]})),
        ),
        (
            of("config_option_update", &json!({"configOptions": [quick("id")]})),
            of("config_option_update", &json!({"configOptions": [quick("configId")]})),
        ),
    ];
    pairs.extend(alike().into_iter().map(|update| (update.clone(), update)));
    pairs.iter().for_each(|(_, second)| super::events::check(second));
    pairs
}

/// Updates whose form is the same in both versions.
fn alike() -> Vec<Value> {
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
            for (update, _) in pairs() {
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
            for (_, update) in pairs() {
                wire.update("s1", update).await;
            }
            wire.update("s1", idle(reason)).await;
        });
        assert_eq!(of_first.0.len(), pairs().len() + 2, "{:?}", of_first.0);
        assert_eq!(of_first, of_second, "{reason}");
    }
}
