//! Updates of sessions. Kinds that version 1 does not have are unknown kinds to its types, which
//! keep them as they are.

use serde_json::{Value, json};

use super::config;
use super::members::{add, each, has};

/// The name of a diff of version 2 in the view. It may be about many files, so the type of version
/// 1 cannot hold it.
const CHANGES: &str = "_changes";

pub(super) fn to_v1(params: &mut Value) {
    let Some(update) = params.get_mut("update") else { return };
    match update.get("sessionUpdate").and_then(Value::as_str) {
        Some("tool_call_update") => contents_to_v1(update),
        Some("config_option_update") => config::options_to_v1(update),
        Some("plan_update") if update.pointer("/plan/entries").is_some() => {
            let entries = update.pointer_mut("/plan/entries").map(Value::take).unwrap_or_default();
            if let Value::Object(members) = update {
                members.insert("sessionUpdate".to_owned(), json!("plan"));
                members.insert("entries".to_owned(), entries);
            }
        }
        _ => {}
    }
}

pub(super) fn to_v2(params: &mut Value) {
    let Some(update) = params.get_mut("update") else { return };
    match update.get("sessionUpdate").and_then(Value::as_str) {
        Some("tool_call_update") => contents_to_v2(update),
        Some("tool_call") => {
            contents_to_v2(update);
            if let Value::Object(members) = update {
                members.insert("sessionUpdate".to_owned(), json!("tool_call_update"));
            }
        }
        Some("config_option_update") => config::options_to_v2(update),
        Some("available_commands_update") => each(update, "availableCommands", |command| {
            add(command, "type", json!("command"));
            if let Some(input) = command.get_mut("input").filter(|input| has(input, "hint")) {
                add(input, "type", json!("text"));
            }
        }),
        Some("plan") => plan_to_v2(update),
        _ => {}
    }
}

fn plan_to_v2(update: &mut Value) {
    let Value::Object(members) = update else { return };
    let entries = members.remove("entries").unwrap_or_else(|| json!([]));
    members.insert("sessionUpdate".to_owned(), json!("plan_update"));
    let plan = members.entry("plan").or_insert_with(|| json!({"type": "items", "planId": "plan"}));
    if let Value::Object(plan) = plan {
        plan.insert("entries".to_owned(), entries);
    }
}

/// Renames the diffs in the content of a tool call.
pub(super) fn contents_to_v1(call: &mut Value) {
    each(call, "content", |content| {
        if content.get("changes").is_some() && content.get("type") == Some(&json!("diff")) {
            retype(content, CHANGES);
        }
    });
}

pub(super) fn contents_to_v2(call: &mut Value) {
    each(call, "content", |content| {
        if content.get("type") == Some(&json!(CHANGES)) {
            retype(content, "diff");
        } else if content.get("newText").is_some() {
            diff_to_v2(content);
        }
    });
}

fn retype(content: &mut Value, name: &str) {
    if let Value::Object(members) = content {
        members.insert("type".to_owned(), json!(name));
    }
}

/// Makes a diff of version 2 of one of version 1, which a handler has added. It names the file, and
/// has no patch.
fn diff_to_v2(content: &mut Value) {
    let operation = if has(content, "oldText") { "modify" } else { "add" };
    let Value::Object(members) = content else { return };
    members.remove("oldText");
    members.remove("newText");
    let path = members.remove("path").unwrap_or_default();
    members.insert("changes".to_owned(), json!([{"operation": operation, "path": path}]));
}
