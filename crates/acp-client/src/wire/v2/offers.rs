//! The tool calls and terminals that the agent lets the client cancel.

use std::collections::HashSet;

use acp_json::Node;
use acp_types::v1::{SessionId, TerminalId, ToolCallId};
use acp_types::v2::{CancelTerminalRequest, CancelToolCallRequest, CancelToolCallResponse};
use serde_core::ser::{Serialize, Serializer};

use super::as_is::whole;
use crate::wire::entity::Entity;

/// The number of entities that are known at a time. An agent withdraws the offer at their end.
const KNOWN: usize = 4096;

/// The tool calls and terminals of one session that the agent lets the client cancel.
#[derive(Debug, Default)]
pub(in crate::wire) struct Offers {
    known: HashSet<Entity>,
}

/// A report about one of them.
#[derive(Debug)]
pub(in crate::wire) struct Offer {
    entity: Entity,
    is_offered: bool,
}

impl Offers {
    pub(in crate::wire) fn note(&mut self, offer: Offer) {
        if !offer.is_offered {
            self.known.remove(&offer.entity);
        } else if self.known.len() < KNOWN {
            self.known.insert(offer.entity);
        }
    }

    pub(in crate::wire) fn has(&self, entity: &Entity) -> bool {
        self.known.contains(entity)
    }
}

/// Returns what an update says about the cancel of its entity. `None` if it says nothing.
pub(in crate::wire) fn offer(params: &Node<'_>) -> Option<Offer> {
    let update = params.get("update")?;
    let text = |name| update.get(name).and_then(Node::as_str);
    let (entity, is_over) = match text("sessionUpdate")? {
        "tool_call_update" => {
            let is_over = matches!(text("status"), Some("completed" | "failed" | "cancelled"));
            (Entity::ToolCall(ToolCallId::from(text("toolCallId")?)), is_over)
        }
        "terminal_update" => {
            let is_over = update.get("exitStatus").is_some_and(|status| !status.is_null());
            (Entity::Terminal(TerminalId::from(text("terminalId")?)), is_over)
        }
        _ => return None,
    };
    let capabilities = update.get("capabilities");
    // A malformed offer is none.
    let is_offered = capabilities
        .and_then(|capabilities| capabilities.get("cancel"))
        .is_some_and(|cancel| matches!(cancel, Node::Map(_)));
    (is_over || capabilities.is_some()).then_some(Offer { entity, is_offered: is_offered && !is_over })
}

/// The params of the request to cancel an entity.
pub(in crate::wire) struct Cancel<'s> {
    session: &'s SessionId,
    entity: Entity,
}

impl<'s> Cancel<'s> {
    pub(in crate::wire) const fn new(session: &'s SessionId, entity: Entity) -> Self {
        Self { session, entity }
    }
}

impl Serialize for Cancel<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let session = self.session.clone();
        match &self.entity {
            Entity::ToolCall(id) => whole(&CancelToolCallRequest::new(session, id.clone()), serializer),
            Entity::Terminal(id) => whole(&CancelTerminalRequest::new(session, id.clone()), serializer),
        }
    }
}

/// The answer: the agent has accepted it. The proof is the end of the entity. Both requests have
/// the same.
pub(in crate::wire) type Accepted = CancelToolCallResponse;
