//! Updates and questions whose form differs from that of version 1.

use acp_client::v1::RequestPermissionRequest;
use acp_client::{Event, PermissionAnswer, Result, client};
use serde_json::{Value, json};

use super::{connected, with_session};
use crate::common::open;

async fn event(update: Value) -> Event {
    let (session, mut wire) = with_session().await;
    let mut updates = session.updates();
    wire.update("s1", update).await;
    updates.next().await.expect("an event")
}

#[tokio::test]
async fn updates_are_the_events_of_version_1() {
    let option = json!({"configId": "b", "name": "Quick", "type": "boolean", "currentValue": true});
    let Event::Config(config) =
        event(json!({"sessionUpdate": "config_option_update", "configOptions": [option]})).await
    else {
        panic!("options")
    };
    assert_eq!(config.config_options[0].id.as_str(), "b");
    let command = json!({"type": "command", "name": "plan", "description": "Plans"});
    let Event::Commands(commands) =
        event(json!({"sessionUpdate": "available_commands_update", "availableCommands": [command]})).await
    else {
        panic!("commands")
    };
    assert_eq!(commands.available_commands[0].name, "plan");
    let entry = json!({"content": "look", "priority": "high", "status": "pending"});
    let plan = json!({"type": "items", "planId": "p", "entries": [entry]});
    let Event::Plan(plan) = event(json!({"sessionUpdate": "plan_update", "plan": plan})).await else {
        panic!("a plan")
    };
    assert_eq!(plan.entries[0].content, "look");
    let call =
        json!({"sessionUpdate": "tool_call_update", "toolCallId": "c", "title": "Work", "status": "paused"});
    let Event::ToolCall(call) = event(call).await else { panic!("a tool call") };
    assert_eq!((call.title.as_str(), call.status.as_str()), ("Work", "paused"));
    // The rest is kept as it came.
    let message = json!({"sessionUpdate": "_message", "messageId": "m", "content": []});
    let Event::Unknown(message) = event(message).await else { panic!("a message") };
    assert_eq!(
        (message.tag(), message.members().get("messageId").and_then(|id| id.as_str())),
        ("_message", Some("m"))
    );
}

struct Asked(tokio::sync::mpsc::UnboundedSender<RequestPermissionRequest>);

#[client]
impl Asked {
    async fn request_permission(&self, request: RequestPermissionRequest) -> Result<PermissionAnswer> {
        self.0.send(request).expect("the test listens");
        Ok(PermissionAnswer::AllowOnce)
    }
}

#[tokio::test]
async fn a_question_about_anything_is_put_as_one_about_a_tool_call() {
    let (tell, mut asked) = tokio::sync::mpsc::unbounded_channel();
    let (agent, mut wire) = connected(|connect| connect.client(Asked(tell)), json!({"session": {}})).await;
    let _session = open(&agent, &mut wire, json!({"sessionId": "s1"})).await;
    let table = [
        (json!({"type": "tool_call", "toolCall": {"toolCallId": "c", "title": "Edit"}}), "Edit", Some("c")),
        (json!({"type": "tool_call", "toolCall": {"toolCallId": "c"}}), "May I?", Some("c")),
        (json!({"type": "command", "command": "ls", "cwd": "/work"}), "ls", None),
        (json!({"type": "_trip", "to": "Rome"}), "May I?", None),
        (Value::Null, "May I?", None),
    ];
    let mut ids = Vec::new();
    for (index, (subject, title, id)) in table.into_iter().enumerate() {
        let params = json!({"sessionId": "s1", "title": "May I?", "description": "It is safe.", "subject": subject,
            "options": [{"optionId": "y", "name": "Yes", "kind": "allow_once"}]});
        let answer = wire.call(json!(index), "session/request_permission", params).await;
        assert_eq!(answer["result"]["outcome"], json!({"outcome": "selected", "optionId": "y"}), "{answer}");
        let call = asked.recv().await.expect("asked").tool_call;
        assert_eq!(call.title.as_deref(), Some(title), "{subject}");
        assert!(id.is_none_or(|id| call.tool_call_id.as_str() == id), "{subject}");
        assert_eq!(call.content.map(|content| content.len()), Some(1), "{subject}");
        ids.push(call.tool_call_id);
    }
    ids.dedup();
    assert_eq!(ids.len(), 4, "made up ids are not the same");
}

#[tokio::test]
async fn pieces_have_the_ids_of_their_own_message() {
    let (session, mut wire) = with_session().await;
    let mut updates = session.updates();
    let text = |text: &str| json!({"type": "text", "text": text});
    let piece = |kind: &str, id: &str, content: &Value| json!({"sessionUpdate": kind, "messageId": id, "content": content, "_own": 1, "_meta": {"of": id}});
    // These are not pieces, and end nothing.
    for (member, value) in
        [("content", json!({"type": "text"})), ("messageId", json!(5)), ("content", json!(5))]
    {
        let mut malformed = piece("agent_message_chunk", "m0", &text("lost"));
        malformed[member] = value;
        wire.update("s1", malformed.clone()).await;
        malformed.as_object_mut().expect("an object").remove(member);
        wire.update("s1", malformed).await;
    }
    let sent = [
        ("agent_message_chunk", "m1", "a"),
        ("agent_message_chunk", "m1", "b"),
        ("agent_thought_chunk", "m1", "c"),
        ("user_message_chunk", "m2", "d"),
        ("agent_message_chunk", "m1", "e"),
        ("agent_message_chunk", "m11", "f"),
    ];
    for (kind, id, said) in sent {
        // A session that nobody holds has ids of its own.
        wire.update("s11", piece(kind, "m3", &text("elsewhere"))).await;
        wire.update("s1", piece(kind, id, &text(said))).await;
    }
    for (kind, id, said) in sent {
        let (read, chunk) = match updates.next().await.expect("an event") {
            Event::Message(chunk) => ("agent_message_chunk", chunk),
            Event::Thought(chunk) => ("agent_thought_chunk", chunk),
            Event::UserMessage(chunk) => ("user_message_chunk", chunk),
            other => panic!("{other:?}"),
        };
        assert_eq!((read, chunk.content.as_text()), (kind, Some(said)));
        assert_eq!(chunk.message_id.as_ref().map(|id| id.as_str()), Some(id));
        let meta = chunk.meta.as_ref().and_then(|meta| meta.get("of"));
        assert_eq!(meta.and_then(|of| of.as_str()), Some(id));
    }
}
