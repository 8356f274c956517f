//! Diffs in the content of a tool call: version 1 has the texts of one file, and version 2 changes
//! of files with a patch.
//!
//! A change to one file is a diff of version 1 if its patch has the whole text: that is so for a
//! file that is added or deleted. The view keeps the changes and the patch beside the texts. A
//! patch of a modified file has parts of its text only, so the view leaves it under another name.

use serde_json::{Value, json};

use super::members::has;

/// The name of a diff of version 2 in the view whose texts are not known, or not of one file.
const CHANGES: &str = "_changes";
/// The name of a diff in both versions.
const DIFF: &str = "diff";

/// The texts of one file.
#[derive(PartialEq, Eq)]
struct Texts {
    path: String,
    old: Option<String>,
    new: String,
}

pub(super) fn to_v1(content: &mut Value) {
    if content.get("changes").is_none() || content.get("type") != Some(&json!(DIFF)) {
        return;
    }
    let texts = of_changes(content);
    let Value::Object(members) = content else { return };
    let Some(Texts { path, old, new }) = texts else {
        members.insert("type".to_owned(), json!(CHANGES));
        return;
    };
    members.insert("path".to_owned(), path.into());
    members.insert("newText".to_owned(), new.into());
    if let Some(old) = old {
        members.insert("oldText".to_owned(), old.into());
    }
}

pub(super) fn to_v2(content: &mut Value) {
    let is_same = of_changes(content).is_some_and(|texts| of_members(content) == Some(texts));
    if content.get("newText").is_some() && !is_same {
        return changed_to_v2(content);
    }
    let Value::Object(members) = content else { return };
    if is_same {
        for name in ["path", "oldText", "newText"] {
            members.remove(name);
        }
    } else if members.get("type") == Some(&json!(CHANGES)) {
        members.insert("type".to_owned(), json!(DIFF));
    }
}

/// Makes a diff of version 2 of one of version 1 that a handler has made or changed. It names the
/// file, and has no patch.
fn changed_to_v2(content: &mut Value) {
    let operation = if has(content, "oldText") { "modify" } else { "add" };
    let Value::Object(members) = content else { return };
    for name in ["oldText", "newText", "patch"] {
        members.remove(name);
    }
    let path = members.remove("path").unwrap_or_default();
    members.insert("changes".to_owned(), json!([{"operation": operation, "path": path}]));
}

/// Returns the texts that a diff of version 1 has.
fn of_members(content: &Value) -> Option<Texts> {
    let text = |name: &str| content.get(name).and_then(Value::as_str).map(str::to_owned);
    Some(Texts { path: text("path")?, old: text("oldText"), new: text("newText")? })
}

/// Returns the texts that the patch of a diff of version 2 has, if it has them whole.
fn of_changes(content: &Value) -> Option<Texts> {
    let [change] = content.get("changes")?.as_array()?.as_slice() else { return None };
    if has(change, "fileType") && change.get("fileType")? != "text" {
        return None;
    }
    let path = change.get("path")?.as_str()?.to_owned();
    let patch = content.get("patch")?;
    if patch.get("format")? != "git_patch" {
        return None;
    }
    let patch = patch.get("text")?.as_str()?;
    match change.get("operation")?.as_str()? {
        "add" => Some(Texts { path, old: None, new: whole(patch, '+')? }),
        "delete" => Some(Texts { path, old: Some(whole(patch, '-')?), new: String::new() }),
        _ => None,
    }
}

/// Returns the lines of a patch whose only hunk has nothing but lines of this sign, as many as its
/// head says.
fn whole(patch: &str, sign: char) -> Option<String> {
    let mut lines = patch.split_inclusive('\n');
    let head = lines.by_ref().find(|line| line.starts_with("@@ "))?;
    let (side, other) = if sign == '+' { ("+1", "-0,0") } else { ("-1", "+0,0") };
    let mut count = None;
    for span in head.split(' ').skip(1).take(2) {
        match span.strip_prefix(side) {
            Some("") => count = Some(1),
            Some(rest) => count = rest.strip_prefix(',').and_then(|count| count.parse::<usize>().ok()),
            None if span == other => {}
            None => return None,
        }
    }
    let mut text = String::new();
    let mut seen = 0;
    for line in lines {
        if let Some(line) = line.strip_prefix(sign).filter(|line| line.ends_with('\n')) {
            text.push_str(line);
            seen += 1;
        } else if line.starts_with('\\') && Some(seen) == count && text.ends_with('\n') {
            // The last line has no end.
            text.pop();
        } else {
            return None;
        }
    }
    (Some(seen) == count).then_some(text)
}
