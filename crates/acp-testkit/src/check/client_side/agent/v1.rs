//! The capabilities and settings of the agent in version 1.

use serde_json::{Value, json};

/// Returns the result of `initialize`.
pub(super) fn initialize(capabilities: &Value) -> Value {
    json!({
        "protocolVersion": 1,
        "agentCapabilities": capabilities,
        "agentInfo": {"name": "acp-check", "version": env!("CARGO_PKG_VERSION")},
        "authMethods": [{"id": "acp-check-login", "name": "Log in"}],
    })
}

/// Returns the capabilities of an agent that offers everything.
pub(super) fn capabilities() -> Value {
    json!({
        "loadSession": true,
        "promptCapabilities": {"image": true, "audio": true, "embeddedContext": true},
        "mcpCapabilities": {"http": true, "sse": true},
        "sessionCapabilities": {
            "list": {}, "resume": {}, "close": {}, "delete": {}, "additionalDirectories": {},
        },
        "auth": {"logout": {}},
    })
}

/// Returns the modes that sessions have.
fn modes() -> Value {
    json!({
        "currentModeId": "ask",
        "availableModes": [{"id": "ask", "name": "Ask"}, {"id": "do", "name": "Do"}],
    })
}

/// Returns a config option with two values.
pub(in crate::check::client_side) fn pace() -> Value {
    json!({
        "id": "pace", "name": "Pace", "type": "select", "currentValue": "slow",
        "options": [{"value": "slow", "name": "Slow"}, {"value": "fast", "name": "Fast"}],
    })
}

/// Returns the result that opens a session.
pub(super) fn setup() -> Value {
    let on = json!({"id": "on", "name": "On", "type": "boolean", "currentValue": false});
    json!({"modes": modes(), "configOptions": [pace(), on]})
}
