//! Content blocks, items of tool calls, paths and patches.

use serde_json::Value;

use crate::check::passive::Findings;
use crate::check::passive::updates::is_absolute;

/// Checks a path.
pub(in crate::check) fn path(path: &Value, line: usize, f: &mut Findings) {
    let Some(text) = path.as_str() else { return };
    f.check("v2-path-01", is_absolute(text) && !text.contains("://"), line, || {
        "a path is not absolute, or is a URI".to_owned()
    });
}

/// Checks a block, or a list of blocks.
pub(in crate::check) fn blocks(content: &Value, line: usize, f: &mut Findings) {
    match content {
        Value::Array(blocks) => blocks.iter().for_each(|one| block(one, line, f)),
        one => block(one, line, f),
    }
}

fn block(block: &Value, line: usize, f: &mut Findings) {
    if let Some(priority) = block["annotations"].get("priority").filter(|priority| !priority.is_null()) {
        let fits = priority.as_f64().is_some_and(|priority| (0.0..=1.0).contains(&priority));
        f.check("v2-cont-01", fits, line, || format!("the priority {priority} is not from 0 to 1"));
    }
    if let Some(kind) = block["mimeType"].as_str() {
        f.check("v2-cont-01", kind.contains('/'), line, || "a `mimeType` is not a media type".to_owned());
    }
    if block["type"] != "resource_link" {
        return;
    }
    let size = &block["size"];
    f.check("v2-cont-01", size.is_null() || size.is_u64(), line, || {
        format!("the size {size} of a link is not an integer from 0")
    });
    for icon in block["icons"].as_array().into_iter().flatten() {
        let source = icon["src"].as_str().unwrap_or_default();
        let fits = source.starts_with("https:") || source.starts_with("data:");
        f.check("v2-cont-01", fits, line, || "the source of an icon is not `https:` or `data:`".to_owned());
    }
}

/// Checks an item of a tool call's content.
pub(super) fn item(item: &Value, line: usize, f: &mut Findings) {
    match item["type"].as_str() {
        Some("content") => block(&item["content"], line, f),
        Some("diff") => diff(item, line, f),
        _ => {}
    }
}

fn diff(diff: &Value, line: usize, f: &mut Findings) {
    let changes = diff["changes"].as_array().map_or(&[][..], Vec::as_slice);
    f.check("v2-diff-01", diff["changes"].is_array(), line, || "a diff has no `changes`".to_owned());
    for change in changes {
        let (old, new) = (&change["oldPath"], &change["path"]);
        let fits = match change["operation"].as_str().unwrap_or_default() {
            "add" | "delete" | "modify" => new.is_string(),
            "move" | "copy" => new.is_string() && old.is_string(),
            custom => custom.starts_with('_'),
        };
        f.check("v2-diff-01", fits, line, || {
            "a change lacks its paths, or its `operation` is not one of the protocol".to_owned()
        });
        path(old, line, f);
        path(new, line, f);
    }
    if diff["patch"]["format"] == "git_patch" {
        patch(diff["patch"]["text"].as_str().unwrap_or_default(), changes, line, f);
    }
}

/// Checks a patch, and that it is about the files of the changes.
fn patch(text: &str, changes: &[Value], line: usize, f: &mut Findings) {
    let paths: Vec<&str> = changes
        .iter()
        .flat_map(|change| [change["path"].as_str(), change["oldPath"].as_str()])
        .flatten()
        .collect();
    let mut is_header = false;
    let mut fits = text.starts_with("diff --git ");
    for of_patch in text.lines() {
        if let Some(header) = of_patch.strip_prefix("diff --git ") {
            is_header = true;
            fits &= names_path(header);
            let agrees = header.contains(['"', '\\']) || paths.iter().any(|path| header.ends_with(path));
            f.check("v2-diff-02", agrees, line, || {
                "the patch changes a file that `changes` does not list".to_owned()
            });
        } else if of_patch.starts_with("@@") || of_patch.starts_with("GIT binary") {
            is_header = false;
        } else if let Some(side) = of_patch.strip_prefix("--- ").or_else(|| of_patch.strip_prefix("+++ "))
            && is_header
        {
            fits &= names_path(side);
        }
    }
    f.check("v2-diff-04", fits, line, || {
        "the patch does not begin with `diff --git`, or its paths are not absolute".to_owned()
    });
}

/// Returns true if a header begins with an absolute path, which git may have quoted.
fn names_path(header: &str) -> bool {
    is_absolute(header.strip_prefix('"').unwrap_or(header))
}
