//! The client's answers to requests of the agent.

use serde_json::Value;

use super::{Conversation, Findings};
use crate::check::passive::conversation::Said;

/// Judges the answers. With `is_open` the outcomes of permission requests are an open list.
pub(in crate::check::client_side) fn judge(conversation: &Conversation<'_>, is_open: bool, f: &mut Findings) {
    for (request, answer) in conversation.answered() {
        let Some(result) = answer.json.get("result") else { continue };
        match request.method() {
            "session/request_permission" => permission(request, answer, is_open, f),
            "fs/write_text_file" => {
                let empty = result.is_null() || result.is_object();
                f.check("v1-fs-05", empty, answer.line, || {
                    "the answer to a write is neither an object nor `null`".to_owned()
                });
            }
            "terminal/output" => {
                let status = &result["exitStatus"];
                let fits = result["output"].is_string()
                    && result["truncated"].is_boolean()
                    && (status.is_null() || exit(status));
                f.check("v1-term-04", fits, answer.line, || {
                    "`output`, `truncated` or `exitStatus` is missing or malformed".to_owned()
                });
            }
            "terminal/wait_for_exit" => {
                f.check("v1-term-05", result.is_null() || exit(result), answer.line, || {
                    "`exitCode` or `signal` is malformed".to_owned()
                });
            }
            "elicitation/create" => elicitation(request, answer, result, f),
            _ => {}
        }
    }
}

fn exit(status: &Value) -> bool {
    let (code, signal) = (&status["exitCode"], &status["signal"]);
    status.is_object() && (code.is_null() || code.is_u64()) && (signal.is_null() || signal.is_string())
}

fn permission(request: &Said, answer: &Said, is_open: bool, f: &mut Findings) {
    let outcome = &answer.json["result"]["outcome"];
    let custom = is_open && outcome["outcome"].as_str().is_some_and(|outcome| outcome.starts_with('_'));
    let selected = outcome["outcome"] == "selected";
    let fits = (selected && outcome["optionId"].is_string()) || outcome["outcome"] == "cancelled" || custom;
    f.check("v1-perm-03", fits, answer.line, || {
        "the answer is neither `selected` with an `optionId` nor `cancelled`".to_owned()
    });
    if selected {
        let options = request.params()["options"].as_array();
        let offered = options.into_iter().flatten().any(|option| option["optionId"] == outcome["optionId"]);
        let lines = || vec![request.line, answer.line];
        f.check_lines("v1-perm-04", offered || !fits, lines, || {
            "the chosen option is not one of those offered".to_owned()
        });
    }
}

fn elicitation(request: &Said, answer: &Said, result: &Value, f: &mut Findings) {
    let action = result["action"].as_str().unwrap_or_default();
    // Actions are open: others than these are a custom one's matter.
    f.check("v1-eli-15", result["action"].is_string() && !action.is_empty(), answer.line, || {
        "`action` is missing or not a string".to_owned()
    });
    if action != "accept" || request.params()["mode"] != "form" {
        return;
    }
    let schema = &request.params()["requestedSchema"];
    let content = &result["content"];
    let lines = || vec![request.line, answer.line];
    let required = schema["required"].as_array().into_iter().flatten();
    let missing = required.filter_map(Value::as_str).find(|name| content.get(*name).is_none());
    f.check_lines("v1-eli-16", missing.is_none(), lines, || {
        format!("the form lacks the required `{}`", missing.unwrap_or_default())
    });
    let properties = schema["properties"].as_object();
    let odd = properties
        .into_iter()
        .flatten()
        .find(|(name, property)| content.get(name.as_str()).is_some_and(|value| !fits(value, property)));
    f.check_lines("v1-eli-07", odd.is_none(), lines, || {
        let name = odd.map(|(name, _)| name.as_str()).unwrap_or_default();
        format!("the value of `{name}` does not fit the form")
    });
}

/// Returns true if a value of a form fits its property.
fn fits(value: &Value, property: &Value) -> bool {
    match property["type"].as_str() {
        Some("string") => value.as_str().is_some_and(|text| {
            let length = text.chars().count() as u64;
            let one_of = property["enum"].as_array();
            property["minLength"].as_u64().is_none_or(|least| length >= least)
                && property["maxLength"].as_u64().is_none_or(|most| length <= most)
                && one_of.is_none_or(|values| values.contains(value))
        }),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        Some("boolean") => value.is_boolean(),
        Some("array") => value.is_array(),
        _ => true,
    }
}
