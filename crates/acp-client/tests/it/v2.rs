//! Agents of version 2, and the choice of the version.

mod both;
mod degraded;
mod events;
mod idle;
mod negotiation;
mod open_values;
mod questions;
mod reconnect;
mod requests;
mod start;
mod states;
mod steering;
mod transcripts;
mod turn;
mod updates;

use acp_client::{Agent, Connect, ProtocolVersion, Session};
use serde_json::{Value, json};

use crate::common::{Wire, pipe};

pub(crate) const BOTH: [ProtocolVersion; 2] = [ProtocolVersion::V2, ProtocolVersion::V1];

/// The answer of an agent of version 2 with these capabilities.
#[expect(clippy::needless_pass_by_value, reason = "it is made at the call")]
pub(crate) fn initialized(capabilities: Value) -> Value {
    json!({"protocolVersion": 2, "info": {"name": "robot", "version": "1"}, "capabilities": capabilities})
}

/// Returns a connection to an agent of version 2 with these capabilities.
pub(crate) async fn connected(set_up: impl FnOnce(Connect) -> Connect, capabilities: Value) -> (Agent, Wire) {
    let (transport, mut wire) = pipe();
    let connecting = set_up(acp_client::connect(transport).versions(BOTH));
    let (agent, ()) = tokio::join!(connecting.into_future(), async {
        let request = wire.expect("initialize").await;
        wire.answer(&request, initialized(capabilities)).await;
    });
    (agent.expect("the versions agree"), wire)
}

/// Returns a connection and one session on it, `s1`.
pub(crate) async fn with_session() -> (Session, Wire) {
    let (agent, mut wire) = connected(|connect| connect, json!({"session": {}})).await;
    let session = crate::common::open(&agent, &mut wire, json!({"sessionId": "s1"})).await;
    (session, wire)
}

pub(crate) fn state(state: &str) -> Value {
    json!({"sessionUpdate": "state_update", "state": state})
}

pub(crate) fn idle(reason: &str) -> Value {
    json!({"sessionUpdate": "state_update", "state": "idle", "stopReason": reason})
}

pub(crate) fn text(id: &str, text: &str) -> Value {
    json!({"sessionUpdate": "agent_message_chunk", "messageId": id, "content": {"type": "text", "text": text}})
}
