//! The client that the checker plays in version 2.

use serde_json::{Value, json};

use crate::check::client::{self, Permission, with};
use crate::peer::Message;

/// Returns the capabilities of a client that offers everything.
pub(in crate::check) fn everything() -> Value {
    json!({"elicitation": {"form": {}, "url": {}}, "auth": {"terminal": {}}})
}

/// Returns the params of `initialize`.
pub(in crate::check) fn initialize(capabilities: &Value) -> Value {
    json!({
        "protocolVersion": 2,
        "info": {"name": "acp-check", "version": env!("CARGO_PKG_VERSION")},
        "capabilities": capabilities,
    })
}

/// Returns the params of `initialize` of a client of this version, with the members of version 1
/// as well.
pub(in crate::check) fn of_version(version: u16) -> Value {
    let params = with(initialize(&json!({})), "protocolVersion", version.into());
    let info = params.get("info").cloned().unwrap_or_default();
    with(params, "clientInfo", info)
}

/// Returns the answer to a request, or `None` if it waits for the scenario. A client of version 2
/// has no files and no terminals.
pub(in crate::check) fn answer(request: &Message, permission: Permission) -> Option<Value> {
    match request.method() {
        Some("session/request_permission") => client::answer(request, permission),
        Some("elicitation/create") if permission == Permission::HeldForms => None,
        Some("elicitation/create") => client::answer(request, permission),
        _ => {
            let error = json!({"code": -32601, "message": "the checker has no such method"});
            Some(json!({"jsonrpc": "2.0", "id": request.id(), "error": error}))
        }
    }
}
