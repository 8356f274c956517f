//! Features that an agent must have offered.

use serde_json::Value;

use crate::check::passive::Findings;
use crate::check::passive::conversation::{Conversation, Said};

pub(super) fn judge(conversation: &Conversation<'_>, f: &mut Findings) {
    let answered = conversation.asked().find(|(request, answer)| {
        request.method() == "initialize" && answer.json.get("result").is_some_and(Value::is_object)
    });
    let Some((_, initialized)) = answered else { return };
    let offered = &initialized.json["result"]["capabilities"]["session"];
    for call in conversation.calls().filter(|call| call.line > initialized.line) {
        match call.method() {
            "session/new" | "session/resume" => setup(call, offered, f),
            "session/prompt" => prompt(call, offered, f),
            "session/delete" => gate(call, offered, "delete", "`session/delete`", f),
            _ => {}
        }
    }
}

fn has(offered: &Value, path: &str) -> bool {
    offered.pointer(&format!("/{}", path.replace('.', "/"))).is_some_and(Value::is_object)
}

/// Checks the use of something that needs a marker.
fn gate(call: &Said, offered: &Value, path: &str, what: &str, f: &mut Findings) {
    f.check("v2-cap-04", has(offered, path), call.line, || {
        format!("the client uses {what}, and the agent has not offered `session.{path}`")
    });
}

fn setup(call: &Said, offered: &Value, f: &mut Findings) {
    // A place where the client could have used what was not offered.
    f.check("v2-cap-04", true, call.line, String::new);
    if call.params()["additionalDirectories"].as_array().is_some_and(|list| !list.is_empty()) {
        gate(call, offered, "additionalDirectories", "`additionalDirectories`", f);
    }
    let servers = call.params()["mcpServers"].as_array().map_or(&[][..], Vec::as_slice);
    let is_given = |kind: &str| servers.iter().any(|server| server["type"] == kind);
    if is_given("http") {
        gate(call, offered, "mcp.http", "an MCP server over HTTP", f);
    }
    if !has(offered, "mcp.stdio") {
        f.check("v2-cap-07", !is_given("stdio"), call.line, || {
            "an MCP server over stdio is given, and the agent has not offered `session.mcp.stdio`".to_owned()
        });
    }
}

fn prompt(call: &Said, offered: &Value, f: &mut Findings) {
    let blocks = call.params()["prompt"].as_array().map_or(&[][..], Vec::as_slice);
    for (kind, path) in
        [("image", "prompt.image"), ("audio", "prompt.audio"), ("resource", "prompt.embeddedContext")]
    {
        if blocks.iter().any(|block| block["type"] == kind) {
            gate(call, offered, path, &format!("a block of the type `{kind}`"), f);
        }
    }
}
