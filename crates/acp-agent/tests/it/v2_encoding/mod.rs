//! Values of the vocabulary in the form of version 2. Each message is what the schema of version 2
//! allows, and reads as the types of version 2.

mod patches;
mod questions;
mod settings;
mod updates;

use acp_agent::Agent;
use acp_types::FromNode;
use serde_json::{Value, json};

use crate::schema;
use crate::support::Wire;

/// Checks a value against a definition of the schema, and reads it as the type of that name.
pub(crate) fn read<T: FromNode>(definition: &str, value: &Value) -> T {
    schema::validate(2, definition, value);
    let (read, report) = acp_types::from_str_reporting(&value.to_string()).unwrap();
    assert!(report.notes().is_empty(), "{:?} in {value}", report.notes());
    read
}

/// Serves an agent of version 2 and opens a session below `/work`. Returns the answer, too.
pub(crate) async fn open<A: Agent>(agent: A) -> (Wire, String, Value) {
    let mut wire = Wire::serve(agent);
    let hello = json!({"protocolVersion": 2, "info": {"name": "ed", "version": "1"},
                       "capabilities": {"elicitation": {"form": {}, "url": {}}}});
    let answer = wire.call("initialize", hello).await;
    assert_eq!(answer["result"]["protocolVersion"], 2, "{answer}");
    let opened = wire.call("session/new", json!({"cwd": "/work"})).await;
    let result = opened["result"].clone();
    read::<acp_types::v2::NewSessionResponse>("NewSessionResponse", &result);
    (wire, result["sessionId"].as_str().unwrap().to_owned(), result)
}

/// Reads the next update. Every update is checked.
pub(crate) async fn update(wire: &mut Wire) -> Value {
    let message = wire.recv().await;
    assert_eq!(message["method"], "session/update", "{message}");
    read::<acp_types::v2::UpdateSessionNotification>("UpdateSessionNotification", &message["params"]);
    message["params"]["update"].clone()
}

/// Starts a turn, and reads up to its first own update.
pub(crate) async fn start(wire: &mut Wire, session: &str, text: &str) {
    let prompt = wire.prompt(session, text).await;
    wire.answer_to(prompt).await;
    assert_eq!(update(wire).await["sessionUpdate"], "user_message");
    assert_eq!(update(wire).await["state"], "running");
}

/// Runs a turn without questions, and returns its own updates.
pub(crate) async fn turn(wire: &mut Wire, session: &str, text: &str) -> Vec<Value> {
    start(wire, session, text).await;
    let mut updates = Vec::new();
    loop {
        let update = update(wire).await;
        if update["sessionUpdate"] == "state_update" {
            assert_eq!(update["stopReason"], "end_turn", "{update}");
            return updates;
        }
        updates.push(update);
    }
}
