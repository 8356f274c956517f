//! Messages: whole ones, pieces, and their `_meta`.

use serde_json::{Value, json};

use crate::check::case::{Case, case};
use crate::check::client_side::stage::Stage;
use crate::check::subject::Step;

pub(super) const CASES: &[Case<Stage>] = &[
    case!("v2-msg-02", "a message of the agent with the id of the user's message", shared_id).survives(),
    case!("v2-msg-03", "a message is written, replaced, cleared and written again", upserts).survives(),
    case!("v2-msg-04", "pieces of two messages and of a thought, by turns", interleaved).survives(),
    case!("v2-msg-05", "pieces and whole messages with `_meta`", metas).survives(),
    case!("v2-meta-01", "`_meta` of messages and tool calls: keys are set, removed and replaced", patches)
        .survives(),
];

/// Returns a block of text.
pub(super) fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

/// Returns a piece of a message of this tag.
fn piece(tag: &str, id: &str, said: &str) -> Value {
    json!({"sessionUpdate": format!("{tag}_chunk"), "messageId": id, "content": text(said)})
}

/// Sends updates, and checks that the client goes on.
pub(super) async fn takes(t: &mut Stage, updates: impl IntoIterator<Item = Value>, of: &str) -> Step {
    for update in updates {
        t.update(update).await?;
    }
    t.stays_in_turn(of).await
}

async fn shared_id(t: &mut Stage) -> Step {
    t.turn().await?;
    // It is the id that the answer to the prompt has.
    let id = "acp-check-message-1";
    let whole = json!({"sessionUpdate": "agent_message", "messageId": id, "content": [text("messages of three kinds")]});
    let updates = [whole, piece("agent_message", id, " there"), piece("agent_thought", id, "hm")];
    takes(t, updates, "messages of three kinds with one id").await
}

async fn upserts(t: &mut Stage) -> Step {
    let id = "acp-check-whole";
    let whole =
        |content: Value| json!({"sessionUpdate": "agent_message", "messageId": id, "content": content});
    let updates = [
        piece("agent_message", id, "one"),
        json!({"sessionUpdate": "agent_message", "messageId": id}),
        whole(json!([text("two"), text("three")])),
        whole(Value::Null),
        piece("agent_message", id, "four"),
        whole(json!([])),
    ];
    takes(t, updates, "a message that is replaced").await
}

async fn interleaved(t: &mut Stage) -> Step {
    let updates = [
        piece("agent_message", "acp-check-a", "one"),
        piece("agent_message", "acp-check-b", "two"),
        piece("agent_thought", "acp-check-c", "hm"),
        piece("agent_message", "acp-check-a", "three"),
    ];
    takes(t, updates, "pieces of several messages").await
}

async fn metas(t: &mut Stage) -> Step {
    let id = "acp-check-meta";
    let updates = [json!({"a": 1}), json!({}), Value::Null, json!({"b": [null]})].map(|meta| {
        json!({"sessionUpdate": "agent_message_chunk", "messageId": id, "content": text("x"), "_meta": meta})
    });
    takes(t, updates, "pieces with `_meta`").await
}

async fn patches(t: &mut Stage) -> Step {
    let metas = [
        json!({"a": {"deep": null}, "b": 1}),
        json!({"a": null}),
        json!({"b": [1, {"c": null}]}),
        Value::Null,
    ];
    for meta in metas {
        let message = json!({"sessionUpdate": "agent_message", "messageId": "acp-check-p", "_meta": meta});
        let call = json!({"sessionUpdate": "tool_call_update", "toolCallId": "acp-check-p", "_meta": meta});
        takes(t, [message, call], "a change of `_meta`").await?;
    }
    Ok(())
}
