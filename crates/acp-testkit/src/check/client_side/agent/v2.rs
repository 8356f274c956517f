//! The capabilities and settings of the agent in version 2, and its turns.

use serde_json::{Value, json};

use super::{Agent, update_of};
use crate::check::client::with;
use crate::peer::Message;

/// Returns the result of `initialize`.
pub(super) fn initialize(capabilities: &Value) -> Value {
    json!({
        "protocolVersion": 2,
        "capabilities": capabilities,
        "info": {"name": "acp-check", "version": env!("CARGO_PKG_VERSION")},
    })
}

/// Returns the result of `initialize` of an agent that offers everything.
pub(super) fn everything() -> Value {
    let capabilities = json!({"session": {
        "prompt": {"image": {}, "audio": {}, "embeddedContext": {}},
        "mcp": {"stdio": {}, "http": {}},
        "delete": {},
        "additionalDirectories": {},
    }});
    let login = json!([{"type": "agent", "methodId": "acp-check-login", "name": "Log in"}]);
    with(initialize(&capabilities), "authMethods", login)
}

/// Returns a config option with two values.
pub(in crate::check::client_side) fn pace() -> Value {
    json!({
        "configId": "pace", "name": "Pace", "type": "select", "currentValue": "slow",
        "options": [{"value": "slow", "name": "Slow"}, {"value": "fast", "name": "Fast"}],
    })
}

/// Returns the result that opens a session.
pub(super) fn setup() -> Value {
    let on = json!({"configId": "on", "name": "On", "type": "boolean", "currentValue": false});
    json!({"configOptions": [pace(), on]})
}

/// Returns the name that version 1 has for a method.
pub(super) fn operation(method: &str) -> &str {
    match method {
        "auth/login" => "authenticate",
        "auth/logout" => "logout",
        "authenticate" | "logout" | "session/load" | "session/set_mode" => "",
        method => method,
    }
}

/// Refuses a client of an earlier version.
pub(super) fn speaks(asked: Option<u64>) -> Result<(), Value> {
    match asked {
        Some(asked @ 0..=1) => {
            let data = json!({"requested": asked, "supported": [2]});
            Err(json!({"code": -32022, "message": "the checker speaks version 2", "data": data}))
        }
        _ => Ok(()),
    }
}

impl Agent {
    /// Returns the answer to a prompt, whose message gets its place.
    pub(super) fn accept(&mut self) -> Value {
        self.inserted += 1;
        self.is_inserted = true;
        json!({"messageId": self.message()})
    }

    /// Returns the id of the last prompt's message.
    fn message(&self) -> String {
        format!("acp-check-message-{}", self.inserted)
    }

    /// Returns the lines with which the turn of a prompt begins.
    pub(super) fn begin(&self, prompt: &Message) -> Vec<Value> {
        let session = session_of(prompt);
        let content = prompt.params().get("prompt").cloned().unwrap_or_default();
        let echo = json!({"sessionUpdate": "user_message", "messageId": self.message(), "content": content});
        let running = json!({"sessionUpdate": "state_update", "state": "running"});
        vec![update_of(&session, &echo), update_of(&session, &running)]
    }

    /// Returns the lines that make the session of a prompt idle, in this state. A prompt that was
    /// held gets its place before.
    pub(in crate::check::client_side) fn idle(&mut self, prompt: &Message, state: &Value) -> Vec<Value> {
        let mut lines = Vec::new();
        if !self.is_inserted {
            let accepted = self.accept();
            lines.push(json!({"jsonrpc": "2.0", "id": prompt.id(), "result": accepted}));
            lines.extend(self.begin(prompt));
        }
        let state = with(state.clone(), "sessionUpdate", "state_update".into());
        lines.push(update_of(&session_of(prompt), &state));
        lines
    }
}

fn session_of(prompt: &Message) -> String {
    let session = prompt.params().get("sessionId").and_then(Value::as_str);
    session.unwrap_or_default().to_owned()
}
