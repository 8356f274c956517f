//! Messages of a session as items of its transcript.

use std::io;

use serde_json::{Value, json};

use super::turns::answer;
use super::typed;
use crate::store::Store;
use crate::store::entry::{Entry, Kind};

/// The meaning of a message for a reader.
pub(super) enum Said {
    Item(Value),
    /// A prompt of the client.
    Prompt(Value),
    /// Words of a side. Those of one id are one message.
    Words {
        item: Value,
        id: Option<String>,
        /// All that the message has, in the place of what it had.
        is_whole: bool,
    },
    /// A state of the session.
    State {
        seq: u64,
        update: Value,
    },
    /// A tool call, or an update of one.
    Tool {
        seq: u64,
        update: Value,
    },
}

/// Returns the meaning of a message, or `None` if a transcript leaves it out.
pub(super) fn said(
    store: &Store,
    seq: u64,
    entry: &Entry,
    method: &str,
    value: &Value,
) -> io::Result<Option<Said>> {
    Ok(match (method, entry.kind) {
        ("session/prompt", Kind::Request) => prompt(seq, value).map(Said::Prompt),
        ("session/prompt", Kind::Response) => end(seq, value).map(Said::Item),
        ("session/request_permission", Kind::Request) => {
            Some(Said::Item(permission(seq, value, answer(store, entry)?.as_ref())))
        }
        ("session/update", Kind::Notification) => {
            value.pointer("/params/update").and_then(|said| update(seq, said))
        }
        _ => None,
    })
}

fn prompt(seq: u64, value: &Value) -> Option<Value> {
    let blocks = value.pointer("/params/prompt")?.as_array()?;
    Some(json!({"seq": seq, "kind": "user", "text": texts(blocks)}))
}

/// Returns the end of a turn. The answer of version 2 does not end it.
fn end(seq: u64, value: &Value) -> Option<Value> {
    let stop = value.pointer("/result/stopReason").or_else(|| value.pointer("/error/message"))?;
    let usage = typed::usage(value.pointer("/result/usage"));
    Some(json!({"seq": seq, "kind": "end", "text": typed::text(Some(stop)), "usage": usage}))
}

fn permission(seq: u64, asked: &Value, answer: Option<&Value>) -> Value {
    let title = asked.pointer("/params/title").or_else(|| asked.pointer("/params/toolCall/title"));
    let answer = answer.and_then(|answer| {
        let chosen = answer.pointer("/result/outcome/optionId");
        chosen
            .or_else(|| answer.pointer("/result/outcome/outcome"))
            .or_else(|| answer.pointer("/error/message"))
    });
    let options = typed::objects(asked.pointer("/params/options"), &["optionId", "name", "kind"]);
    let (title, answer) = (typed::text(title), typed::text(answer));
    json!({"seq": seq, "kind": "permission", "text": title, "options": options, "answer": answer})
}

fn update(seq: u64, update: &Value) -> Option<Said> {
    match update.get("sessionUpdate")?.as_str()? {
        "user_message_chunk" => Some(words(seq, "user", update, false)),
        "user_message" => Some(words(seq, "user", update, true)),
        "agent_message_chunk" => Some(words(seq, "agent", update, false)),
        "agent_message" => Some(words(seq, "agent", update, true)),
        "agent_thought_chunk" => Some(words(seq, "thought", update, false)),
        "agent_thought" => Some(words(seq, "thought", update, true)),
        "tool_call" | "tool_call_update" | "tool_call_content_chunk" => {
            Some(Said::Tool { seq, update: update.clone() })
        }
        "plan" | "plan_update" => {
            let entries = update.get("entries").or_else(|| update.pointer("/plan/entries"))?;
            let entries = typed::objects(Some(entries), &["content", "status", "priority"]);
            Some(Said::Item(json!({"seq": seq, "kind": "plan", "text": null, "plan": entries})))
        }
        "usage_update" => {
            let usage = typed::usage(Some(update));
            Some(Said::Item(json!({"seq": seq, "kind": "usage", "text": null, "usage": usage})))
        }
        "state_update" => Some(Said::State { seq, update: update.clone() }),
        _ => None,
    }
}

/// Returns words of a side. A whole message without content leaves its words as they are, so it has
/// no text.
fn words(seq: u64, kind: &str, update: &Value, is_whole: bool) -> Said {
    let text = match update.get("content") {
        Some(Value::Array(blocks)) => Some(texts(blocks)),
        Some(Value::Null) => Some(String::new()),
        content => content.map(text),
    };
    let id = update.get("messageId").and_then(Value::as_str).map(str::to_owned);
    Said::Words { item: json!({"seq": seq, "kind": kind, "text": text}), id, is_whole }
}

/// Returns the end of a turn in version 2.
pub(super) fn idle(seq: u64, update: &Value) -> Value {
    let reason = update.get("stopReason").and_then(Value::as_str);
    let error = update.pointer("/error/message").and_then(Value::as_str);
    let text = match (reason, error) {
        (Some(reason), Some(error)) => Some(format!("{reason}: {error}")),
        (reason, _) => reason.map(str::to_owned),
    };
    json!({"seq": seq, "kind": "end", "text": text, "usage": typed::usage(update.get("usage"))})
}

fn texts(blocks: &[Value]) -> String {
    blocks.iter().map(text).collect::<Vec<_>>().join("\n")
}

/// Returns a block of content as text.
pub(super) fn text(block: &Value) -> String {
    let kind = block.get("type").and_then(Value::as_str).unwrap_or("content");
    let named = || block.get("uri").or_else(|| block.pointer("/resource/uri")).and_then(Value::as_str);
    match block.get("text").and_then(Value::as_str) {
        Some(text) => text.to_owned(),
        None => {
            format!("[{kind}{}{}]", if named().is_some() { " " } else { "" }, named().unwrap_or_default())
        }
    }
}
