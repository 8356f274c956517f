//! Requests that open sessions, the MCP servers in them, and config options.

use std::collections::HashMap;

use serde_json::Value;

use crate::check::passive::Findings;
use crate::check::passive::conversation::{Conversation, Said, What};
use crate::check::v2::path;

pub(super) fn judge(conversation: &Conversation<'_>, f: &mut Findings) {
    for call in conversation.calls() {
        match call.method() {
            "session/new" => {
                setup(call, f);
                f.check("v2-new-01", is_setup(call.params()), call.line, || {
                    "`cwd` is missing, or `mcpServers` is not a list".to_owned()
                });
            }
            "session/resume" => {
                setup(call, f);
                let from = &call.params()["replayFrom"];
                let fits = from.is_null() || from["type"].is_string();
                let named = call.params()["sessionId"].is_string() && is_setup(call.params());
                f.check("v2-res-01", fits && named, call.line, || {
                    "`sessionId` or `cwd` is missing, or `replayFrom` has no `type`".to_owned()
                });
            }
            "session/load" => f.check("v2-res-01", false, call.line, || {
                "the client calls `session/load`, which version 2 does not have".to_owned()
            }),
            _ => {}
        }
    }
    options(conversation, f);
}

fn is_setup(params: &Value) -> bool {
    let servers = &params["mcpServers"];
    params["cwd"].is_string() && (servers.is_null() || servers.is_array())
}

fn setup(call: &Said, f: &mut Findings) {
    let params = call.params();
    path(&params["cwd"], call.line, f);
    params["additionalDirectories"].as_array().into_iter().flatten().for_each(|one| path(one, call.line, f));
    for server in params["mcpServers"].as_array().into_iter().flatten() {
        let text = |name: &str| server[name].is_string();
        let list = |name: &str| server[name].is_null() || server[name].is_array();
        let fits = match server["type"].as_str() {
            Some("stdio") => text("name") && text("command") && list("args") && list("env"),
            Some("http") => text("name") && text("url") && list("headers"),
            Some(custom) => custom.starts_with('_') || custom == "acp",
            None => false,
        };
        f.check("v2-mcp-01", fits, call.line, || {
            "an MCP server has no `type` of version 2, or lacks `name`, `command` or `url`".to_owned()
        });
    }
}

/// Checks config options that the client sets.
fn options(conversation: &Conversation<'_>, f: &mut Findings) {
    let mut sessions: HashMap<String, Value> = HashMap::new();
    for said in &conversation.said {
        if let (false, What::Answer(Some(request))) = (said.is_agents(), said.what) {
            let Some(request) = conversation.said.get(request) else { continue };
            let result = &said.json["result"];
            let session = result["sessionId"].as_str().or(request.session()).unwrap_or_default();
            let lists = ["session/new", "session/resume", "session/set_config_option"];
            if lists.contains(&request.method()) && result.is_object() {
                sessions.insert(session.to_owned(), result["configOptions"].clone());
            }
        }
        if said.is_agents() && said.method() == "session/set_config_option" {
            let known = said.session().and_then(|session| sessions.get(session));
            option(said, known.unwrap_or(&Value::Null), f);
        }
    }
}

fn option(said: &Said, options: &Value, f: &mut Findings) {
    let params = said.params();
    let mut listed = options.as_array().into_iter().flatten();
    let known = listed.any(|option| option["configId"] == params["configId"]);
    f.check("v2-cfg-01", params["configId"].is_string() && known, said.line, || {
        "`configId` is missing, or not one that the agent lists".to_owned()
    });
    let value = &params["value"];
    let fits = match params["type"].as_str() {
        Some("id") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some(custom) => custom.starts_with('_') && !value.is_null(),
        None => false,
    };
    f.check("v2-cfg-02", fits, said.line, || {
        "the option is set without `type`, or with a `value` of another type".to_owned()
    });
}
