//! The output of a tool call, within bounds: texts and changes of files that come one by one, without
//! an end.

use serde_json::{Value, json};

use super::diff::{changes, patch};
use super::item::text;

/// The most bytes of all texts.
const LONGEST: usize = 64 * 1024;
/// The most bytes of all changes.
const LONGEST_DIFFS: usize = 1024 * 1024;
/// The most texts, and the most changes. Further texts become lines of the last one.
const MOST: usize = 100;
/// The most bytes of a path.
const LONGEST_PATH: usize = 4096;

/// Returns an output without content. `cut` tells of what was left out.
pub(super) fn empty() -> [(&'static str, Value); 3] {
    [("texts", json!([])), ("diffs", json!([])), ("cut", json!({"texts": false, "diffs": false}))]
}

/// Adds a block of content to a tool call.
pub(super) fn add(tool: &mut Value, block: &Value) {
    let kind = block.get("type").and_then(Value::as_str);
    let list = if kind == Some("diff") { "diffs" } else { "texts" };
    let is_cut = tool.get("cut").and_then(|cut| cut.get(list)) == Some(&json!(true));
    let Some(Value::Array(parts)) = tool.get_mut(list).filter(|_| !is_cut) else { return };
    let is_whole = match kind {
        Some("diff") => add_diff(parts, block),
        Some("terminal") => {
            let terminal = block.get("terminalId").and_then(Value::as_str).unwrap_or_default();
            add_text(parts, &format!("[terminal {terminal}]"))
        }
        _ => add_text(parts, &text(block.get("content").unwrap_or(block))),
    };
    if let Some(cut) = tool.get_mut("cut").and_then(|cut| cut.get_mut(list)) {
        *cut = json!(!is_whole);
    }
}

/// Adds a text. Returns false if a part of it is left out.
fn add_text(texts: &mut Vec<Value>, text: &str) -> bool {
    let used: usize = texts.iter().filter_map(Value::as_str).map(str::len).sum();
    let is_full = texts.len() >= MOST;
    let room = LONGEST.saturating_sub(used + usize::from(is_full));
    let shown = beginning(text, room);
    match texts.last_mut() {
        Some(Value::String(last)) if is_full => {
            last.push('\n');
            last.push_str(shown);
        }
        _ => texts.push(json!(shown)),
    }
    shown.len() == text.len()
}

/// Adds a change of a file: two texts in version 1, and a patch in version 2. Returns false if a part
/// of it is left out.
fn add_diff(diffs: &mut Vec<Value>, block: &Value) -> bool {
    let used: usize = diffs.iter().map(|diff| diff.get("rows").map_or(0, size)).sum();
    if diffs.len() >= MOST || used >= LONGEST_DIFFS {
        return false;
    }
    let text = |name: &str| block.get(name).and_then(Value::as_str);
    let first = || block.pointer("/changes/0/path").or_else(|| block.pointer("/changes/0/newPath"));
    let path = block.get("path").or_else(first).and_then(Value::as_str);
    let mut rows = match (text("newText"), block.pointer("/patch/text").and_then(Value::as_str)) {
        (None, Some(text)) => patch(text),
        (new, _) => changes(text("oldText").unwrap_or_default(), new.unwrap_or_default()),
    };
    let (all, mut room) = (rows.len(), LONGEST_DIFFS - used);
    let fits = |row: &&Value| {
        let rest = room.checked_sub(size_of_row(row));
        room = rest.unwrap_or_default();
        rest.is_some()
    };
    rows.truncate(rows.iter().take_while(fits).count());
    let is_whole = rows.len() == all;
    diffs.push(json!({"path": path.map(|path| beginning(path, LONGEST_PATH)), "rows": rows}));
    is_whole
}

fn size(rows: &Value) -> usize {
    rows.as_array().into_iter().flatten().map(size_of_row).sum()
}

/// Returns the bytes of a row, with those around its text.
fn size_of_row(row: &Value) -> usize {
    32 + row.get("text").and_then(Value::as_str).map_or(0, str::len)
}

/// Returns the beginning of a text, in bytes.
pub(super) fn beginning(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    text.get(..end.unwrap_or_default()).unwrap_or_default()
}
