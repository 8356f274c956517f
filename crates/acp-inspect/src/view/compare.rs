//! Two messages, line by line.

use std::io;

use serde_json::{Value, json};
use similar::{ChangeTag, TextDiff};

use super::PARSED;
use super::message::raw;
use crate::store::Store;

/// Returns the lines of both messages, as pretty-printed JSON. `None` if a message is not there or
/// is longer than 1 MiB.
pub(crate) fn compare(store: &Store, left: u64, right: u64) -> io::Result<Option<Value>> {
    let (Some(left), Some(right)) = (pretty(store, left)?, pretty(store, right)?) else { return Ok(None) };
    let difference = TextDiff::from_lines(&left, &right);
    let rows = difference.iter_all_changes().map(|change| {
        let mark = match change.tag() {
            ChangeTag::Equal => "same",
            ChangeTag::Delete => "left",
            ChangeTag::Insert => "right",
        };
        json!({"mark": mark, "text": change.value().trim_end_matches('\n')})
    });
    Ok(Some(json!({"rows": rows.collect::<Vec<_>>()})))
}

fn pretty(store: &Store, seq: u64) -> io::Result<Option<String>> {
    let Some(line) = raw(store, seq)?.filter(|line| line.len() <= PARSED) else { return Ok(None) };
    // The order of members has no meaning, so it makes no difference.
    let sorted = serde_json::from_slice::<Value>(&line).map(|mut value| {
        value.sort_all_objects();
        value
    });
    let pretty = sorted.ok().and_then(|value| serde_json::to_string_pretty(&value).ok());
    Ok(Some(pretty.unwrap_or_else(|| String::from_utf8_lossy(&line).into_owned()) + "\n"))
}
