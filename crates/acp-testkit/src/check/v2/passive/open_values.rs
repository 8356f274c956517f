//! Values of open lists: those of the protocol, and those that begin with `_`.

use serde_json::Value;

use crate::check::passive::Findings;
use crate::check::passive::conversation::Conversation;

/// The tags of updates, those of the unstable schema among them.
const TAGS: &[&str] = &[
    "user_message_chunk",
    "user_message",
    "agent_message_chunk",
    "agent_message",
    "agent_thought_chunk",
    "agent_thought",
    "state_update",
    "tool_call_content_chunk",
    "tool_call_update",
    "terminal_update",
    "terminal_output_chunk",
    "plan_update",
    "plan_removed",
    "available_commands_update",
    "config_option_update",
    "session_info_update",
    "usage_update",
    "notice",
    "compaction_update",
    "compaction_summary_chunk",
    "subagent_update",
    "session_message",
    "session_message_chunk",
];

const BLOCKS: &[&str] = &["text", "image", "audio", "resource_link", "resource"];

/// Members of updates whose values are an open list: the tag, the place, the values.
const MEMBERS: &[(&str, &str, &[&str])] = &[
    ("state_update", "/state", &["running", "idle", "requires_action", "unknown"]),
    (
        "tool_call_update",
        "/kind",
        &["read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"],
    ),
    (
        "tool_call_update",
        "/status",
        &["pending", "in_progress", "paused", "completed", "failed", "cancelled"],
    ),
    ("tool_call_content_chunk", "/content/type", &["content", "diff", "terminal"]),
    ("plan_update", "/plan/type", &["items", "file", "markdown"]),
    ("notice", "/severity", &["info", "warning", "error"]),
    ("compaction_update", "/status", &["in_progress", "completed", "failed", "cancelled"]),
    ("agent_message_chunk", "/content/type", BLOCKS),
    ("agent_thought_chunk", "/content/type", BLOCKS),
];

const OPTION_KINDS: &[&str] = &["allow_once", "allow_always", "reject_once", "reject_always"];
const CATEGORIES: &[&str] = &["mode", "model", "model_config", "thought_level"];

pub(super) fn judge(conversation: &Conversation<'_>, f: &mut Findings) {
    for (said, tag, update) in conversation.updates() {
        known("sessionUpdate", &update["sessionUpdate"], TAGS, said.line, f);
        for (_, place, values) in MEMBERS.iter().filter(|(of, _, _)| *of == tag) {
            if let Some(value) = update.pointer(place) {
                known(place, value, values, said.line, f);
            }
        }
        categories(&update["configOptions"], said.line, f);
    }
    for (_, answer) in conversation.answered() {
        categories(&answer.json["result"]["configOptions"], answer.line, f);
    }
    for call in conversation.calls().filter(|call| call.method() == "session/request_permission") {
        for option in call.params()["options"].as_array().into_iter().flatten() {
            known("kind", &option["kind"], OPTION_KINDS, call.line, f);
        }
    }
}

fn categories(options: &Value, line: usize, f: &mut Findings) {
    for option in options.as_array().into_iter().flatten() {
        known("category", &option["category"], CATEGORIES, line, f);
    }
}

/// Checks a value that is one of the protocol, or custom.
fn known(name: &str, value: &Value, values: &[&str], line: usize, f: &mut Findings) {
    let Some(text) = value.as_str() else { return };
    f.check("v2-ext-01", values.contains(&text) || text.starts_with('_'), line, || {
        format!("`{text}` as `{name}` is not a value of the protocol and does not begin with `_`")
    });
}
