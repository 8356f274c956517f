//! Requests that open and close sessions, and the MCP servers in them.

use serde_json::Value;

use super::{Conversation, Findings};
use crate::check::passive::conversation::Said;
use crate::check::passive::updates::is_absolute;

pub(super) fn judge(conversation: &Conversation<'_>, f: &mut Findings) {
    for call in conversation.calls() {
        let params = call.params();
        let rule = match call.method() {
            "session/new" => "v1-new-02",
            "session/load" => "v1-load-01",
            "session/resume" => "v1-res-01",
            "session/close" => {
                f.check("v1-close-01", params["sessionId"].is_string(), call.line, || {
                    "`sessionId` is missing".to_owned()
                });
                continue;
            }
            _ => continue,
        };
        let servers = &params["mcpServers"];
        // Only `session/resume` may leave the servers out. `null` is an empty list.
        let listed = is_list(params, "mcpServers") || call.method() == "session/resume";
        let named = call.method() == "session/new" || params["sessionId"].is_string();
        f.check(rule, listed && named && params["cwd"].is_string(), call.line, || {
            "a required member is missing: `cwd`, `mcpServers`, or `sessionId` of a stored session".to_owned()
        });
        paths(call, f);
        for server in servers.as_array().into_iter().flatten() {
            server_of(server, call.line, f);
        }
    }
}

/// Returns true if a required list is there. `null` reads as an empty one.
fn is_list(object: &Value, name: &str) -> bool {
    object.get(name).is_some_and(|list| list.is_array() || list.is_null())
}

fn paths(call: &Said, f: &mut Findings) {
    let mut path = |rule: &'static str, path: &Value| {
        let Some(text) = path.as_str() else { return };
        for rule in [rule, "v1-rpc-24"] {
            f.check(rule, is_absolute(text), call.line, || "a path is not absolute".to_owned());
        }
    };
    path("v1-new-03", &call.params()["cwd"]);
    for directory in call.params()["additionalDirectories"].as_array().into_iter().flatten() {
        path("v1-new-07", directory);
    }
}

fn server_of(server: &Value, line: usize, f: &mut Findings) {
    let text = |name: &str| server[name].is_string();
    if server["type"].is_string() {
        let fits = text("name") && text("url") && is_list(server, "headers");
        f.check("v1-mcp-05", fits, line, || {
            "a server over HTTP or SSE lacks `name`, `url` or `headers`".to_owned()
        });
        return;
    }
    let fits = text("name") && text("command") && is_list(server, "args") && is_list(server, "env");
    f.check("v1-mcp-04", fits && server.get("type").is_none(), line, || {
        "a server over stdio lacks `name`, `command`, `args` or `env`".to_owned()
    });
    if let Some(command) = server["command"].as_str() {
        for rule in ["v1-mcp-06", "v1-rpc-24"] {
            f.check(rule, is_absolute(command), line, || {
                "the `command` of a server is not an absolute path".to_owned()
            });
        }
    }
}
