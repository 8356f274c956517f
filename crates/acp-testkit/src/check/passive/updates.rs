//! The content of updates: blocks, tool calls, plans, notices, compactions.

use std::collections::HashSet;

use serde_json::Value;

use super::conversation::{Conversation, Said, What};
use super::findings::Findings;

const STATUSES: &[&str] = &["pending", "in_progress", "completed", "failed"];
const KINDS: &[&str] =
    &["read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"];

pub(super) fn judge(conversation: &Conversation<'_>, f: &mut Findings) {
    let mut ended = HashSet::new();
    for (said, tag, update) in conversation.updates() {
        match tag {
            "agent_message_chunk" | "user_message_chunk" | "agent_thought_chunk" => {
                block(&update["content"], said.line, f);
            }
            "tool_call" | "tool_call_update" => tool_call(update, said, f),
            "plan" => plan(update, said.line, f),
            "session_info_update" => {
                let foreign = ["sessionId", "cwd", "additionalDirectories"];
                let found = foreign.iter().find(|name| update.get(**name).is_some());
                f.check("v1-info-02", found.is_none(), said.line, || {
                    format!("a `session_info_update` carries `{}`", found.copied().unwrap_or_default())
                });
            }
            "notice" => {
                let titled = update["title"].as_str().is_some_and(|title| !title.is_empty());
                f.check("v1-not-01", titled, said.line, || "a notice has no title".to_owned());
            }
            "compaction_update" => compaction(update, said.line, &mut ended, f),
            _ => {}
        }
    }
    for call in conversation.calls().filter(|call| call.method() == "session/request_permission") {
        tool_call(&call.params()["toolCall"], call, f);
        if is_allowed(conversation, call) {
            announced(conversation, call, f);
        }
    }
    sessions_list(conversation, f);
}

/// Returns true if a path is absolute on some system.
pub(in crate::check) fn is_absolute(path: &str) -> bool {
    let drive = matches!(path.as_bytes(), [letter, b':', b'\\' | b'/', ..] if letter.is_ascii_alphabetic());
    path.starts_with('/') || path.starts_with("\\\\") || drive
}

/// Checks a path of the wire, for its own rule and for the rule about all paths.
pub(super) fn path(rule: Option<&'static str>, path: &Value, line: usize, f: &mut Findings) {
    let Some(text) = path.as_str() else { return };
    for rule in rule.into_iter().chain(["v1-rpc-24"]) {
        f.check(rule, is_absolute(text), line, || "a path is not absolute".to_owned());
    }
}

pub(in crate::check) fn block(block: &Value, line: usize, f: &mut Findings) {
    let text = |name: &str| block[name].is_string();
    let kind = block["type"].as_str().unwrap_or_default();
    let known = ["text", "image", "audio", "resource_link", "resource"].contains(&kind);
    f.check("v1-cont-01", known, line, || "a content block has no known `type`".to_owned());
    match kind {
        "image" | "audio" => {
            let data = block["data"].as_str();
            let base64 = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
            let fits = data.is_some_and(|data| data.bytes().all(base64)) && text("mimeType");
            f.check("v1-cont-03", fits, line, || format!("an {kind} lacks base64 `data` or `mimeType`"));
        }
        "resource" => {
            let resource = &block["resource"];
            let content = resource["text"].is_string() || resource["blob"].is_string();
            f.check("v1-cont-04", resource["uri"].is_string() && content, line, || {
                "a resource lacks `uri`, or both `text` and `blob`".to_owned()
            });
        }
        "resource_link" => {
            let size = &block["size"];
            let fits = text("uri") && text("name") && (size.is_null() || size.is_i64());
            f.check("v1-cont-05", fits, line, || {
                "a resource link lacks `uri` or `name`, or its `size` is not an integer".to_owned()
            });
        }
        _ => {}
    }
}

fn tool_call(call: &Value, said: &Said, f: &mut Findings) {
    let line = said.line;
    if let Some(status) = call.get("status").filter(|status| !status.is_null()) {
        let known = status.as_str().is_some_and(|status| STATUSES.contains(&status));
        f.check("v1-tool-06", known, line, || format!("the status {status} is not one of the protocol"));
    }
    if let Some(kind) = call.get("kind").filter(|kind| !kind.is_null()) {
        let known = kind.as_str().is_some_and(|kind| KINDS.contains(&kind));
        f.check("v1-tool-07", known, line, || format!("the kind {kind} is not one of the protocol"));
    }
    if let Some(name) = call.get("name").filter(|name| !name.is_null()) {
        f.check("v1-tool-05", name.is_string(), line, || format!("the name {name} is not a string"));
    }
    for item in call["content"].as_array().into_iter().flatten() {
        let kind = item["type"].as_str().unwrap_or_default();
        let known = ["content", "diff", "terminal"].contains(&kind);
        f.check("v1-tool-08", known, line, || "an item of the content has no known `type`".to_owned());
        match kind {
            "content" => block(&item["content"], line, f),
            "diff" => {
                let fits = item["path"].is_string() && item["newText"].is_string();
                f.check("v1-tool-09", fits, line, || "a diff lacks `path` or `newText`".to_owned());
                path(Some("v1-tool-09"), &item["path"], line, f);
            }
            _ => {}
        }
    }
    for location in call["locations"].as_array().into_iter().flatten() {
        let present = location["path"].is_string();
        f.check("v1-tool-12", present, line, || "a location has no `path`".to_owned());
        path(Some("v1-tool-12"), &location["path"], line, f);
        if let Some(number) = location["line"].as_i64() {
            f.check("v1-rpc-25", number >= 1, line, || format!("the line {number} of a location"));
        }
    }
}

/// Returns true if the checker has allowed a tool call, and its turn has ended.
fn is_allowed(conversation: &Conversation<'_>, request: &Said) -> bool {
    let answer = conversation.said.iter().find(|said| match said.what {
        What::Answer(Some(asked)) => {
            conversation.said.get(asked).is_some_and(|asked| asked.line == request.line)
        }
        _ => false,
    });
    let ended = conversation.answered().any(|(prompt, end)| {
        prompt.session() == request.session() && prompt.line < request.line && end.line > request.line
    });
    ended && answer.is_some_and(|answer| answer.json["result"]["outcome"]["outcome"] == "selected")
}

/// Checks that the tool call of a permission request is reported as a tool call.
fn announced(conversation: &Conversation<'_>, request: &Said, f: &mut Findings) {
    let id = &request.params()["toolCall"]["toolCallId"];
    let reported = conversation.updates().any(|(said, tag, update)| {
        tag == "tool_call" && update["toolCallId"] == *id && said.session() == request.session()
    });
    f.check("v1-tool-01", reported, request.line, || {
        "the agent asks about a tool call that no `tool_call` reports".to_owned()
    });
}

fn plan(update: &Value, line: usize, f: &mut Findings) {
    let entries = update["entries"].as_array();
    let whole = entries.is_some_and(|entries| entries.iter().all(|entry| entry["status"].is_string()));
    f.check("v1-plan-02", whole, line, || "a plan does not list its entries with their status".to_owned());
    for entry in entries.into_iter().flatten() {
        let one_of =
            |name: &str, values: &[&str]| entry[name].as_str().is_some_and(|value| values.contains(&value));
        let fits = entry["content"].is_string()
            && one_of("priority", &["high", "medium", "low"])
            && one_of("status", &["pending", "in_progress", "completed"]);
        f.check("v1-plan-06", fits, line, || {
            "an entry of a plan lacks `content`, or a `priority` or `status` of the protocol".to_owned()
        });
    }
}

fn compaction(update: &Value, line: usize, ended: &mut HashSet<String>, f: &mut Findings) {
    let id = update["compactionId"].to_string();
    f.check("v1-cmp-04", !ended.contains(&id), line, || "a compaction goes on after its end".to_owned());
    let status = update["status"].as_str().unwrap_or_default();
    if ["completed", "failed", "cancelled"].contains(&status) {
        ended.insert(id);
    }
    let filled = |name: &str| match &update[name] {
        Value::Null => false,
        Value::Array(items) => !items.is_empty(),
        _ => true,
    };
    let fits = (status == "completed" || !filled("summary")) && (status == "failed" || !filled("error"));
    f.check("v1-cmp-05", fits, line, || format!("a compaction that is `{status}` has a summary or an error"));
}

fn sessions_list(conversation: &Conversation<'_>, f: &mut Findings) {
    for (request, answer) in conversation.answered() {
        if request.method() != "session/list" || answer.what == What::Answer(None) {
            continue;
        }
        for entry in answer.json["result"]["sessions"].as_array().into_iter().flatten() {
            path(Some("v1-list-12"), &entry["cwd"], answer.line, f);
            if let Some(time) = entry["updatedAt"].as_str() {
                f.check("v1-list-12", is_time(time), answer.line, || {
                    "`updatedAt` is not a time of ISO 8601".to_owned()
                });
            }
        }
    }
}

pub(in crate::check) fn is_time(text: &str) -> bool {
    let date = |(at, byte): (usize, u8)| match at {
        4 | 7 => byte == b'-',
        10 => byte == b'T',
        13 | 16 => byte == b':',
        _ => byte.is_ascii_digit(),
    };
    text.len() >= 19 && text.bytes().take(19).enumerate().all(date)
}
