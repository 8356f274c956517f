//! Features that an agent must have offered.

use serde_json::{Value, json};

use super::{Conversation, Findings};
use crate::check::passive::conversation::{Said, What};

/// Calls that need a capability.
const CALLS: &[(&str, &str, &str)] = &[
    ("session/load", "/loadSession", "v1-cap-14"),
    ("session/resume", "/sessionCapabilities/resume", "v1-cap-15"),
    ("session/list", "/sessionCapabilities/list", "v1-cap-15"),
    ("session/delete", "/sessionCapabilities/delete", "v1-cap-15"),
    ("session/close", "/sessionCapabilities/close", "v1-cap-15"),
    ("logout", "/auth/logout", "v1-cap-16"),
];

pub(super) fn judge(conversation: &Conversation<'_>, f: &mut Findings) {
    let mut offered = None;
    for said in &conversation.said {
        if let (false, What::Answer(Some(request))) = (said.is_agents(), said.what)
            && conversation.said.get(request).is_some_and(|request| request.method() == "initialize")
            && let Some(result) = said.json.get("result")
        {
            offered = Some(result["agentCapabilities"].clone());
        }
        let Some(offered) = offered.as_ref().filter(|_| said.is_agents()) else { continue };
        match said.method() {
            "session/new" | "session/load" | "session/resume" => setup(said, offered, f),
            "session/prompt" => {
                prompt(said, offered, f);
                whole(said, offered, f);
            }
            _ => {}
        }
        for (method, path, rule) in CALLS.iter().filter(|(method, ..)| *method == said.method()) {
            gate(rule, offered, path, said, &format!("`{method}`"), f);
        }
    }
}

/// Returns true if a marker offers something. A malformed one does not.
fn has(offered: &Value, path: &str) -> bool {
    match offered.pointer(path) {
        Some(Value::Bool(offered)) => {
            *offered && !path.contains("sessionCapabilities") && path != "/auth/logout"
        }
        Some(Value::Object(_)) => path.contains("sessionCapabilities") || path == "/auth/logout",
        _ => false,
    }
}

fn gate(rule: &'static str, offered: &Value, path: &str, said: &Said, what: &str, f: &mut Findings) {
    for rule in [rule, "v1-cap-01"] {
        f.check(rule, has(offered, path), said.line, || {
            format!("the client uses {what}, and the agent has not offered `{}`", path.replace('/', "."))
        });
    }
}

/// A prompt is where a client could have used what was not offered.
fn whole(said: &Said, offered: &Value, f: &mut Findings) {
    for (_, path, rule) in CALLS {
        if !has(offered, path) {
            f.check(rule, true, said.line, String::new);
            f.check("v1-cap-01", true, said.line, String::new);
        }
    }
}

fn setup(said: &Said, offered: &Value, f: &mut Findings) {
    let directories = &said.params()["additionalDirectories"];
    let path = "/sessionCapabilities/additionalDirectories";
    if !has(offered, path) {
        f.check("v1-cap-17", directories.as_array().is_none_or(Vec::is_empty), said.line, || {
            "`additionalDirectories` are given, and the agent has not offered them".to_owned()
        });
    }
    for (kind, path) in [("http", "/mcpCapabilities/http"), ("sse", "/mcpCapabilities/sse")] {
        if !has(offered, path) {
            let servers = said.params()["mcpServers"].as_array();
            let given = servers.into_iter().flatten().any(|server| server["type"] == kind);
            f.check("v1-cap-23", !given, said.line, || {
                format!("an MCP server over `{kind}` is given, and the agent has not offered it")
            });
        }
    }
}

fn prompt(said: &Said, offered: &Value, f: &mut Findings) {
    for (kind, path) in [
        ("image", "/promptCapabilities/image"),
        ("audio", "/promptCapabilities/audio"),
        ("resource", "/promptCapabilities/embeddedContext"),
    ] {
        if !has(offered, path) {
            let blocks = said.params()["prompt"].as_array();
            let given = blocks.into_iter().flatten().any(|block| block["type"] == json!(kind));
            for rule in ["v1-cap-09", "v1-cap-10"] {
                f.check(rule, !given, said.line, || {
                    format!("a block of the type `{kind}` is sent, and the agent has not offered it")
                });
            }
        }
    }
}
