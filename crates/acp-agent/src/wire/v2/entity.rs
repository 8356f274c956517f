//! The control `cancel` of tool calls and terminals.

use acp_json::Node;
use acp_rpc::{CancellationToken, Error as RpcError, Reply};
use acp_types::method::Method as _;
use acp_types::v1::{SessionId, SessionUpdate};
use acp_types::{Map, UnknownVariant, Value, v2};

use super::as_is::read;
use super::session::SessionState;
use super::{terminal, tool_call};
use crate::wire::entity::Entity;

/// The parts of a session that the client can cancel.
pub(super) type Offers = Vec<(Entity, CancellationToken)>;

/// Reads a request to cancel a part of a session. Returns `None` for another method.
pub(in crate::wire) fn cancelled(
    method: &str,
    params: &Node<'_>,
) -> Option<Result<(SessionId, Entity), RpcError>> {
    let read = match method {
        v2::methods::ToolCallCancel::NAME => read(params.clone())
            .map(|asked: v2::CancelToolCallRequest| (asked.session_id, Entity::ToolCall(asked.tool_call_id))),
        v2::methods::TerminalCancel::NAME => read(params.clone())
            .map(|asked: v2::CancelTerminalRequest| (asked.session_id, Entity::Terminal(asked.terminal_id))),
        _ => return None,
    };
    Some(read.map_err(|error| RpcError::invalid_params(format!("params of `{method}`: {error}"))))
}

/// Returns the answer to such a request. That the work has ended is told by an update.
pub(in crate::wire) fn answer() -> Reply {
    Reply::new(v2::CancelToolCallResponse::new())
}

impl SessionState {
    pub(in crate::wire) fn offer_cancel(&self, entity: &Entity, token: &CancellationToken) -> SessionUpdate {
        // First, because the client may cancel as soon as it knows.
        self.offers().push((entity.clone(), token.clone()));
        control(entity, Value::from(Map::from([("cancel", Value::from(Map::new()))])))
    }

    pub(in crate::wire) fn withdraw_cancel(&self, entity: &Entity) -> Option<SessionUpdate> {
        let mut offers = self.offers();
        let at = offers.iter().position(|(of, _)| of == entity)?;
        offers.remove(at);
        Some(control(entity, Value::from(Node::Null)))
    }

    pub(in crate::wire) fn offered(&self, entity: &Entity) -> Option<CancellationToken> {
        self.offers().iter().find(|(of, _)| of == entity).map(|(_, token)| token.clone())
    }
}

/// Returns the update that sets the controls of a part of a session. The vocabulary has no name for
/// them.
fn control(entity: &Entity, controls: Value) -> SessionUpdate {
    let (tag, id) = match entity {
        Entity::ToolCall(id) => (tool_call::TAG, ("toolCallId", Value::from(id.as_str()))),
        Entity::Terminal(id) => (terminal::TAG, ("terminalId", Value::from(id.as_str()))),
    };
    SessionUpdate::Unknown(UnknownVariant::new(tag, Map::from([id, (CONTROLS, controls)])))
}

const CONTROLS: &str = "capabilities";

/// Returns whether the update only sets controls. They end with the connection, so a store does not
/// keep them.
pub(in crate::wire) fn is_control(update: &SessionUpdate) -> bool {
    let SessionUpdate::Unknown(update) = update else { return false };
    let members = update.members();
    [tool_call::TAG, terminal::TAG].contains(&update.tag())
        && members.len() == 2
        && members.contains(CONTROLS)
}
