//! The lines of a change.

use std::time::Duration;

use serde_json::{Value, json};
use similar::{ChangeTag, TextDiff};

/// The lines around a change that are shown.
const AROUND: usize = 3;
/// The most lines of a change.
const MOST: usize = 2000;
/// The most characters of a line.
const WIDEST: usize = 2000;
/// The time after which a change of large texts is shown less finely.
const PATIENCE: Duration = Duration::from_millis(200);

/// Returns the lines that two texts differ in, and some around them. `gap` stands for lines that both
/// have.
pub(super) fn changes(old: &str, new: &str) -> Vec<Value> {
    let difference = TextDiff::configure().timeout(PATIENCE).diff_lines(old, new);
    let mut rows = Vec::new();
    for (at, group) in difference.grouped_ops(AROUND).iter().enumerate() {
        if at > 0 {
            rows.push(row("gap", ""));
        }
        for change in group.iter().flat_map(|op| difference.iter_changes(op)) {
            if rows.len() == MOST {
                rows.push(row("gap", "there are more lines"));
                return rows;
            }
            let mark = match change.tag() {
                ChangeTag::Equal => "same",
                ChangeTag::Delete => "left",
                ChangeTag::Insert => "right",
            };
            rows.push(row(mark, change.value()));
        }
    }
    rows
}

/// Returns the lines of a unified patch.
pub(super) fn patch(text: &str) -> Vec<Value> {
    let lines = text.lines().filter(|line| !line.starts_with("--- ") && !line.starts_with("+++ "));
    let marked = lines.take(MOST).map(|line| match (line.get(..1), line.get(1..)) {
        (Some("-"), Some(rest)) => row("left", rest),
        (Some("+"), Some(rest)) => row("right", rest),
        (Some(" "), Some(rest)) => row("same", rest),
        _ if line.starts_with("@@") => row("gap", line),
        _ => row("same", line),
    });
    marked.collect()
}

fn row(mark: &str, text: &str) -> Value {
    let text = text.trim_end_matches(['\n', '\r']);
    json!({"mark": mark, "text": text.chars().take(WIDEST).collect::<String>()})
}
