//! Changes of files in the form of version 2, which says what has changed without the texts.

use std::fmt::Write as _;

use acp_json::{Node, Value};
use acp_types::UnknownVariant;
use acp_types::v1::{Content, ContentBlock, Diff, ToolCallContent};

/// The kind of content that they are.
const DIFF: &str = "diff";

/// Puts changes of files into content of this version. Returns whether there were any.
pub(super) fn put(items: &mut Vec<ToolCallContent>) -> bool {
    let is_of_files =
        |item: &ToolCallContent| matches!(item, ToolCallContent::Unknown(item) if item.tag() == DIFF);
    if !items.iter().any(is_of_files) {
        return false;
    }
    let put = |item: ToolCallContent| match item {
        ToolCallContent::Unknown(changes) if changes.tag() == DIFF => in_this_version(&changes),
        other => vec![other],
    };
    *items = std::mem::take(items).into_iter().flat_map(put).collect();
    true
}

/// Returns a deleted file as one without text, and all else as text: the patch, or what happened.
fn in_this_version(item: &UnknownVariant) -> Vec<ToolCallContent> {
    let members = item.members();
    let patch = members.get("patch").and_then(|patch| patch.get("text")).and_then(Node::as_str);
    if let Some(patch) = patch {
        return vec![text(&fenced(patch))];
    }
    let changes = members.get("changes").cloned().map(Value::into_node);
    let changes = if let Some(Node::Seq(changes)) = changes { changes } else { Vec::new() };
    let (mut items, mut lines) = (Vec::new(), String::new());
    for change in &changes {
        let member = |name: &str| change.get(name).and_then(Node::as_str);
        let (operation, path) = (member("operation").unwrap_or("change"), member("path").unwrap_or_default());
        let _ = match member("oldPath") {
            _ if operation == "delete" => {
                items.push(Diff::new(path, "").into());
                continue;
            }
            Some(old) => writeln!(lines, "{operation}: `{old}` to `{path}`"),
            None => writeln!(lines, "{operation}: `{path}`"),
        };
    }
    if !lines.is_empty() || items.is_empty() {
        items.push(text(lines.trim_end()));
    }
    items
}

fn text(text: &str) -> ToolCallContent {
    Content::new(ContentBlock::text(text)).into()
}

/// Returns the patch in a fence that is longer than any in it.
fn fenced(patch: &str) -> String {
    let longest = patch.split(|of| of != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    let end = if patch.ends_with('\n') { "" } else { "\n" };
    format!("{fence}diff\n{patch}{end}{fence}")
}
