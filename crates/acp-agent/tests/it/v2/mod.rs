//! Version 2, from the same agents.

mod asking;
mod degraded;
mod login;
mod negotiation;
mod open_values;
mod sessions;
mod turn;

use acp_agent::Agent;
use acp_types::v2;
use serde_json::{Value, json};

use crate::support::Wire;

/// Params of `initialize` for version 2.
fn hello() -> Value {
    json!({"protocolVersion": 2, "info": {"name": "ed", "version": "1"}, "capabilities": {}})
}

/// Serves an agent and initializes it with version 2.
async fn connect<A: Agent>(agent: A) -> Wire {
    let mut wire = Wire::serve(agent);
    let answer = wire.call("initialize", hello()).await;
    assert_eq!(answer["result"]["protocolVersion"], 2, "{answer}");
    wire
}

/// Serves an agent, initializes it with version 2 and opens a session.
async fn open<A: Agent>(agent: A) -> (Wire, String) {
    let mut wire = connect(agent).await;
    let session = new_session(&mut wire).await;
    (wire, session)
}

/// Opens a session without the members that may be left out.
async fn new_session(wire: &mut Wire) -> String {
    let answer = wire.call("session/new", json!({"cwd": "/work"})).await;
    answer["result"]["sessionId"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

/// Reads the next message, which must be a `session/update` that the types of version 2 read and
/// write back as it was.
async fn update(wire: &mut Wire) -> Value {
    let message = wire.recv().await;
    assert_eq!(message["method"], "session/update", "{message}");
    let read: v2::UpdateSessionNotification = serde_json::from_value(message["params"].clone()).unwrap();
    assert!(!matches!(read.update, v2::SessionUpdate::Unknown(_)), "{message}");
    assert_eq!(serde_json::to_value(&read).unwrap(), message["params"]);
    message["params"]["update"].clone()
}

/// Reads the next message, which must be this state.
async fn state(wire: &mut Wire, state: &str) -> Value {
    let update = update(wire).await;
    assert_eq!(
        (&update["sessionUpdate"], &update["state"]),
        (&json!("state_update"), &json!(state)),
        "{update}"
    );
    update
}

/// Reads the next message, which must be the end of work for this reason.
async fn idle(wire: &mut Wire, reason: &str) -> Value {
    let update = state(wire, "idle").await;
    assert_eq!(update["stopReason"], reason, "{update}");
    update
}

/// Reads the beginning of a turn: the answer to its prompt, the echo and the state. Returns the id
/// of the message.
async fn inserted(wire: &mut Wire, prompt: u64) -> String {
    let answer = wire.answer_to(prompt).await;
    let id = answer["result"]["messageId"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned();
    let echo = update(wire).await;
    assert_eq!((&echo["sessionUpdate"], &echo["messageId"]), (&json!("user_message"), &json!(id)), "{echo}");
    state(wire, "running").await;
    id
}

/// Reads the next message, which must be a piece of the agent's answer. Returns its text and the id
/// of its message.
async fn said(wire: &mut Wire) -> (String, String) {
    let update = update(wire).await;
    assert_eq!(update["sessionUpdate"], "agent_message_chunk", "{update}");
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    (text(&update["content"]["text"]), text(&update["messageId"]))
}
