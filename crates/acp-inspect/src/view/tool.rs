//! A tool call as an item of a transcript: its first message, and the updates that came later.

use serde_json::{Value, json};

use super::output::{add, beginning, empty};
use super::typed;

/// The longest input or output that is shown, in bytes of JSON.
const LONGEST: usize = 64 * 1024;

/// Texts of an update, and of the item.
const TEXTS: [&str; 3] = ["title", "kind", "status"];
/// Members of an update that have any type, and their names in the item.
const VALUES: [(&str, &str); 2] = [("rawInput", "input"), ("rawOutput", "output")];

/// Returns the id of the tool call that an update is of.
pub(super) fn id(update: &Value) -> &str {
    update.get("toolCallId").and_then(Value::as_str).unwrap_or_default()
}

/// Returns true for the message that begins a tool call in version 1.
pub(super) fn is_begin(update: &Value) -> bool {
    update.get("sessionUpdate").and_then(Value::as_str) == Some("tool_call")
}

/// Makes the item of a tool call.
pub(super) fn item(seq: u64, update: &Value) -> Value {
    let mut tool = json!({
        "id": typed::text(update.get("toolCallId")),
        "title": null,
        "kind": null,
        "status": null,
        "input": null,
        "output": null,
    });
    clear(&mut tool);
    let mut item = json!({"seq": seq, "kind": "tool", "text": null, "tool": tool});
    merge(&mut item, update);
    item
}

/// Adds an update to its tool call: its members replace those before. A member that is not there, is
/// `null` or has the wrong type leaves the one before.
pub(super) fn merge(item: &mut Value, update: &Value) {
    let Some(tool) = item.get_mut("tool") else { return };
    let texts = TEXTS.iter().map(|name| (*name, typed::text(update.get(*name))));
    let values =
        VALUES.iter().map(|(member, name)| (*name, update.get(*member).cloned().unwrap_or_default()));
    for (name, value) in texts.chain(values).filter(|(_, value)| !value.is_null()) {
        if let Some(slot) = tool.get_mut(name) {
            *slot = bounded(value);
        }
    }
    match update.get("content") {
        Some(Value::Array(blocks)) => {
            clear(tool);
            blocks.iter().for_each(|block| add(tool, block));
        }
        // A chunk of version 2.
        Some(block @ Value::Object(_)) => add(tool, block),
        _ => {}
    }
    let title = tool.get("title").cloned();
    if let (Some(slot), Some(title)) = (item.get_mut("text"), title) {
        *slot = title;
    }
}

/// Takes away the output of a tool call.
fn clear(tool: &mut Value) {
    if let Some(tool) = tool.as_object_mut() {
        tool.extend(empty().map(|(name, value)| (name.to_owned(), value)));
    }
}

/// Returns a value, or the beginning of its text if it is long.
fn bounded(value: Value) -> Value {
    let text = match &value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    };
    if text.len() <= LONGEST {
        return value;
    }
    json!(format!("{}…", beginning(&text, LONGEST)))
}
