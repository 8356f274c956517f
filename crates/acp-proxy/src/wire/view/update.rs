//! Updates of sessions. Kinds that version 1 does not have are unknown kinds to its types, which
//! keep them as they are.

use serde_json::{Value, json};

use super::members::{add, each, has};
use super::{config, diff};

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

/// Turns the diffs in the content of a tool call.
pub(super) fn contents_to_v1(call: &mut Value) {
    each(call, "content", diff::to_v1);
}

pub(super) fn contents_to_v2(call: &mut Value) {
    each(call, "content", diff::to_v2);
}
