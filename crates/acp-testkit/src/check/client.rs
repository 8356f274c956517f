//! The client that the checker plays: its capabilities, and its answers to requests of the agent.

use serde_json::{Value, json};

use crate::peer::Message;

/// The client's answers to permission requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Permission {
    /// The first option that allows once, or the first of all.
    Allow,
    /// `cancelled`.
    Cancelled,
    /// None: the scenario answers.
    Held,
    /// The first option that allows once. The scenario answers elicitations, in version 2.
    #[cfg(feature = "v2")]
    HeldForms,
}

/// Returns the capabilities of a client that offers everything.
pub(super) fn everything() -> Value {
    json!({
        "fs": {"readTextFile": true, "writeTextFile": true},
        "terminal": true,
        "elicitation": {"form": {}, "url": {}},
        "session": {"configOptions": {"boolean": {}}, "notices": {}, "compaction": {}},
        "auth": {"terminal": true},
    })
}

/// Returns the params of `initialize`.
pub(super) fn initialize(capabilities: &Value) -> Value {
    json!({
        "protocolVersion": 1,
        "clientCapabilities": capabilities,
        "clientInfo": {"name": "acp-check", "version": env!("CARGO_PKG_VERSION")},
    })
}

/// Returns an object with another value of a member.
pub(super) fn with(mut object: Value, member: &str, value: Value) -> Value {
    if let Some(members) = object.as_object_mut() {
        members.insert(member.to_owned(), value);
    }
    object
}

/// Returns the answer to a request, or `None` if it waits for the scenario.
pub(super) fn answer(request: &Message, permission: Permission) -> Option<Value> {
    let method = request.method().unwrap_or_default();
    let result = match method {
        "session/request_permission" => {
            let outcome = match permission {
                Permission::Held => return None,
                Permission::Cancelled => json!({"outcome": "cancelled"}),
                #[cfg(feature = "v2")]
                Permission::HeldForms => selected(request.params()),
                Permission::Allow => selected(request.params()),
            };
            json!({"outcome": outcome})
        }
        "fs/read_text_file" => json!({"content": "hello\n"}),
        "terminal/create" => json!({"terminalId": format!("term-{}", request.id().unwrap_or(&Value::Null))}),
        "terminal/output" => {
            json!({"output": "hello\n", "truncated": false, "exitStatus": {"exitCode": 0}})
        }
        "terminal/wait_for_exit" => json!({"exitCode": 0}),
        "fs/write_text_file" | "terminal/kill" | "terminal/release" => json!({}),
        "elicitation/create" => json!({"action": "decline"}),
        _ => {
            let error = json!({"code": -32601, "message": "the checker has no such method"});
            return Some(json!({"jsonrpc": "2.0", "id": request.id(), "error": error}));
        }
    };
    Some(json!({"jsonrpc": "2.0", "id": request.id(), "result": result}))
}

/// Returns the outcome that allows.
pub(super) fn selected(params: &Value) -> Value {
    json!({"outcome": "selected", "optionId": allowed(params)})
}

fn allowed(params: &Value) -> Value {
    let options = params.get("options").and_then(Value::as_array);
    let options = options.map_or(&[][..], Vec::as_slice);
    let allows = |option: &&Value| option.get("kind").is_some_and(|kind| kind == "allow_once");
    let option = options.iter().find(allows).or_else(|| options.first());
    option.and_then(|option| option.get("optionId")).cloned().unwrap_or_default()
}
