//! A question for permission, as far as a person needs it to answer.

use std::io;

use serde_json::{Value, json};

use super::message::raw;
use super::output::beginning;
use crate::store::Store;

/// The most options.
const MOST: usize = 20;
/// The most bytes of a text.
const LONGEST: usize = 4096;
/// The longest id of an option, in bytes. An id is never cut.
const LONGEST_ID: usize = 64 * 1024;

/// Returns a question with its options, or `None` if the message is not JSON. Members of wrong types
/// are `null`, and options without an id are left out: nobody can choose them.
pub(crate) fn question(store: &Store, seq: u64) -> io::Result<Option<Value>> {
    let Some(line) = raw(store, seq)? else { return Ok(None) };
    let Ok(asked) = serde_json::from_slice::<Value>(&line) else { return Ok(None) };
    let text = |pointer: &str| {
        let text = asked.pointer(pointer).and_then(Value::as_str);
        text.map(|text| beginning(text, LONGEST))
    };
    let options = asked.pointer("/params/options").and_then(Value::as_array).into_iter().flatten();
    let options: Vec<_> = options.filter_map(option).take(MOST).collect();
    let command = (text("/params/subject/type") == Some("command"))
        .then(|| json!({"command": text("/params/subject/command"), "cwd": text("/params/subject/cwd")}));
    Ok(Some(json!({
        "title": text("/params/title").or_else(|| text("/params/toolCall/title")),
        "description": text("/params/description"),
        "command": command,
        "options": options,
    })))
}

fn option(option: &Value) -> Option<Value> {
    let id = option.get("optionId")?.as_str().filter(|id| id.len() <= LONGEST_ID)?;
    let text = |name: &str| option.get(name).and_then(Value::as_str).map(|text| beginning(text, LONGEST));
    Some(json!({"optionId": id, "name": text("name"), "kind": text("kind")}))
}
