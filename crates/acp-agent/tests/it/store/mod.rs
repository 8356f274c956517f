//! Sessions that survive the process, as a client sees them in raw lines.

mod blocking;
mod closing;
mod commands;
mod failing;
mod handlers;
mod listing;
mod locking;
mod memory;
mod order;
mod principals;
mod refused;
mod replay;
mod state;
mod told;
mod unavailable;
mod wrapped;

use std::path::Path;

use acp_agent::store::{Journal, SessionStore};
use acp_agent::{Result, Router, StopReason, Turn, op};
use serde_json::{Value, json};

use crate::support::{Wire, reopening};

/// Says each line of the prompt as a message of its own.
async fn lines(_: &(), turn: Turn) -> Result<StopReason> {
    for line in turn.text().lines() {
        turn.say(line).await?;
    }
    Ok(StopReason::EndTurn)
}

fn agent(store: impl SessionStore) -> Router<()> {
    Router::new("lines", "1.0.0", ()).on::<op::Prompt, _>(lines).store(store)
}

/// Connects to an agent whose sessions are in this folder.
async fn connect(folder: &Path) -> Wire {
    Wire::connect(agent(Journal::at(folder)), json!({})).await
}

/// Builds params of this method that name a session.
fn named(method: &str, session: &str) -> Value {
    reopening(method, session, "/work")
}

/// Loads a session, and returns the updates before the answer.
async fn load(wire: &mut Wire, session: &str) -> Vec<Value> {
    let id = wire.request("session/load", named("session/load", session)).await;
    let mut updates = Vec::new();
    loop {
        let mut message = wire.recv().await;
        if message["id"] == id {
            assert!(message.get("result").is_some(), "{message}");
            return updates;
        }
        assert_eq!(message["params"]["sessionId"], session, "{message}");
        updates.push(message["params"]["update"].take());
    }
}

/// The kind and the text of each update.
fn texts(updates: &[Value]) -> Vec<(&str, &str)> {
    let texts = updates.iter().map(|update| {
        let kind = update["sessionUpdate"].as_str().unwrap();
        (kind.trim_end_matches("_message_chunk"), update["content"]["text"].as_str().unwrap_or_default())
    });
    texts.collect()
}
