//! Verbs of version 2, and how they degrade in version 1. Each test runs the same agent with a
//! client of either version, and checks every line against the schema of that version.

mod background;
mod entities;
mod messages;
mod setup;
mod steering;
#[cfg(all(feature = "shell", unix))]
mod terminals;

use acp_agent::Agent;
use acp_types::v2;
use serde_json::{Value, json};

use crate::support::Wire;
use crate::{schema, v2_encoding};

/// A client of one version with an open session.
struct Ed {
    version: u64,
    wire: Wire,
    session: String,
}

impl Ed {
    async fn open<A: Agent>(version: u64, agent: A) -> Self {
        let (wire, session) = if version == 2 {
            let (wire, session, _) = v2_encoding::open(agent).await;
            (wire, session)
        } else {
            Wire::open(agent, json!({})).await
        };
        Ed { version, wire, session }
    }

    /// Returns an update, checked against the schema.
    fn checked(&self, message: &Value) -> Value {
        assert_eq!(message["method"], "session/update", "{message}");
        if self.version == 2 {
            let name = "UpdateSessionNotification";
            let read: v2::UpdateSessionNotification = v2_encoding::read(name, &message["params"]);
            assert!(!matches!(read.update, v2::SessionUpdate::Unknown(_)), "{message}");
        } else {
            schema::validate(1, "SessionNotification", &message["params"]);
        }
        message["params"]["update"].clone()
    }

    async fn update(&mut self) -> Value {
        let message = self.wire.recv().await;
        self.checked(&message)
    }

    /// Starts a turn, and reads up to its first own update. Returns the id of the request.
    async fn start(&mut self, text: &str) -> u64 {
        let prompt = self.wire.prompt(&self.session, text).await;
        if self.version == 2 {
            self.wire.answer_to(prompt).await;
            assert_eq!(self.update().await["sessionUpdate"], "user_message");
            assert_eq!(self.update().await["state"], "running");
        }
        prompt
    }

    /// Reads the end of the turn of this request, which has no more updates. Returns the reason,
    /// and the update in version 2.
    async fn end(&mut self, prompt: u64) -> (Value, Value) {
        if self.version == 2 {
            let update = self.update().await;
            assert_eq!(update["state"], "idle", "{update}");
            (update["stopReason"].clone(), update)
        } else {
            (self.wire.stopped(prompt).await.into(), Value::Null)
        }
    }

    /// Runs a turn, and returns its own updates.
    async fn turn(&mut self, text: &str) -> Vec<Value> {
        let prompt = self.start(text).await;
        let mut updates = Vec::new();
        loop {
            let message = self.wire.recv().await;
            if message["id"] == prompt {
                assert_eq!(message["result"]["stopReason"], "end_turn", "{message}");
                return updates;
            }
            let update = self.checked(&message);
            if update["state"] == "idle" && update.get("stopReason").is_some() {
                assert_eq!(update["stopReason"], "end_turn", "{update}");
                return updates;
            }
            updates.push(update);
        }
    }

    /// Asks to cancel a part of the session. Returns the answer.
    async fn cancel(&mut self, what: &str, id: &Value) -> Value {
        let member = if what == "terminal" { "terminalId" } else { "toolCallId" };
        let params = json!({"sessionId": self.session, member: id});
        self.wire.call(&format!("{what}/cancel"), params).await
    }
}

/// Returns the code of an error.
fn code(answer: &Value) -> i64 {
    answer["error"]["code"].as_i64().unwrap_or_else(|| panic!("{answer}"))
}
