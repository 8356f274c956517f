//! A session as people read it.

use std::io;

use serde_json::{Value, json};

use super::PARSED;
use crate::store::Store;
use crate::store::entry::{Entry, Kind};

/// The most items of a page.
const MOST: usize = 200;

/// Returns the items of a session behind a message. Neighbouring chunks of one speaker are one item.
/// `next` is the message that the next page begins behind.
pub(crate) fn transcript(store: &Store, session: &str, after: u64, limit: usize) -> io::Result<Value> {
    let limit = limit.clamp(1, MOST);
    let (mut items, mut more): (Vec<Value>, bool) = (Vec::new(), false);
    let mut seq = after;
    while let Some((at, entry, method)) = next(store, session, seq) {
        if entry.length as usize > PARSED {
            seq = at;
            continue;
        }
        let line = store.line(&entry, PARSED)?;
        let value: Value = serde_json::from_slice(&line).unwrap_or_default();
        if let Some(item) = item(at, &entry, &method, &value)
            && !items.last_mut().is_some_and(|last| joins(last, &item))
        {
            if items.len() == limit {
                more = true;
                break;
            }
            items.push(item);
        }
        seq = at;
    }
    Ok(json!({"items": items, "more": more, "next": seq}))
}

/// Returns the next message of a session, with its method.
fn next(store: &Store, session: &str, after: u64) -> Option<(u64, Entry, String)> {
    let state = store.lock();
    let mut seq = after.checked_add(1)?;
    loop {
        let entry = state.entry(seq)?;
        if state.sessions.name(entry.session) == Some(session) {
            return Some((seq, *entry, state.methods.name(entry.method).unwrap_or_default().to_owned()));
        }
        seq += 1;
    }
}

fn item(seq: u64, entry: &Entry, method: &str, value: &Value) -> Option<Value> {
    match (method, entry.kind) {
        ("session/prompt", Kind::Request) => {
            let blocks = value.pointer("/params/prompt")?.as_array()?;
            let texts: Vec<String> = blocks.iter().map(text).collect();
            Some(json!({"seq": seq, "kind": "user", "text": texts.join("\n")}))
        }
        ("session/prompt", Kind::Response) => {
            let stop = value.pointer("/result/stopReason").or_else(|| value.pointer("/error/message"));
            Some(json!({"seq": seq, "kind": "end", "text": stop, "usage": value.pointer("/result/usage")}))
        }
        ("session/request_permission", Kind::Request) => {
            let title = value.pointer("/params/toolCall/title");
            Some(json!({"seq": seq, "kind": "permission", "text": title}))
        }
        ("session/update", Kind::Notification) => update(seq, value.pointer("/params/update")?),
        _ => None,
    }
}

fn update(seq: u64, update: &Value) -> Option<Value> {
    let said = |kind: &str| Some(json!({"seq": seq, "kind": kind, "text": update.get("content").map(text)}));
    match update.get("sessionUpdate")?.as_str()? {
        "user_message_chunk" => said("user"),
        "agent_message_chunk" => said("agent"),
        "agent_thought_chunk" => said("thought"),
        "tool_call" | "tool_call_update" => Some(tool(seq, update)),
        "plan" => Some(json!({"seq": seq, "kind": "plan", "text": null, "plan": update.get("entries")})),
        "usage_update" => Some(json!({"seq": seq, "kind": "usage", "text": null, "usage": update})),
        _ => None,
    }
}

fn tool(seq: u64, update: &Value) -> Value {
    let content = update.get("content").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let is_diff = |block: &&Value| block.get("type").and_then(Value::as_str) == Some("diff");
    let diff = |block: &Value| json!({"path": block.get("path"), "old": block.get("oldText"), "new": block.get("newText")});
    let diffs: Vec<Value> = content.iter().filter(is_diff).map(diff).collect();
    json!({"seq": seq, "kind": "tool", "text": update.get("title"), "tool": {
        "id": update.get("toolCallId"),
        "title": update.get("title"),
        "kind": update.get("kind"),
        "status": update.get("status"),
        "input": update.get("rawInput"),
        "output": update.get("rawOutput"),
        "diffs": diffs,
    }})
}

/// Returns a block of content as text.
fn text(block: &Value) -> String {
    let kind = block.get("type").and_then(Value::as_str).unwrap_or("content");
    let named = || block.get("uri").or_else(|| block.pointer("/resource/uri")).and_then(Value::as_str);
    match block.get("text").and_then(Value::as_str) {
        Some(text) => text.to_owned(),
        None => {
            format!("[{kind}{}{}]", if named().is_some() { " " } else { "" }, named().unwrap_or_default())
        }
    }
}

/// Adds a chunk to the item before it. Returns false if they are not of one speaker.
fn joins(last: &mut Value, item: &Value) -> bool {
    let is_text = matches!(item.get("kind").and_then(Value::as_str), Some("user" | "agent" | "thought"));
    if !is_text || last.get("kind") != item.get("kind") {
        return false;
    }
    let (Some(Value::String(whole)), Some(more)) =
        (last.get_mut("text"), item.get("text").and_then(Value::as_str))
    else {
        return false;
    };
    whole.push_str(more);
    true
}
