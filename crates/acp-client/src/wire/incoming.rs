//! Messages of the agent, and the answers to them.

use acp_json::{FromNode, Node, ReadError};
use acp_rpc::Reply;
use acp_types::v1::{SessionId, SessionNotification};
use serde_core::Serialize;

use crate::wire::work::Work;
use crate::wire::{Wire, v1};

impl Wire {
    /// Returns the meaning of a request of this name.
    pub(crate) fn work(&self, method: &str, params: &Node<'_>) -> Work {
        match self {
            Self::V1 => v1::incoming::work(method, params),
        }
    }

    /// Returns the name by which the vocabulary calls the method of a message.
    pub(crate) const fn operation<'m>(&self, method: &'m str, _: &Node<'_>) -> &'m str {
        match self {
            Self::V1 => method,
        }
    }

    /// Returns the session that a request belongs to.
    pub(crate) fn session(&self, params: &Node<'_>) -> Option<SessionId> {
        match self {
            Self::V1 => v1::incoming::session(params),
        }
    }

    /// Reads the params of a message.
    pub(crate) fn read<P: FromNode>(&self, params: Node<'_>) -> Result<P, ReadError> {
        match self {
            Self::V1 => acp_json::read(params),
        }
    }

    /// Returns true if a notification of this name is an update of a session.
    pub(crate) fn is_update(&self, method: &str) -> bool {
        match self {
            Self::V1 => v1::incoming::is_update(method),
        }
    }

    /// Reads the params of an update.
    pub(crate) fn update(&self, params: Node<'_>) -> Result<SessionNotification, ReadError> {
        match self {
            Self::V1 => acp_json::read(params),
        }
    }

    /// Writes the answer to a request.
    pub(crate) fn answer(&self, response: impl Serialize + Send + 'static) -> Reply {
        match self {
            Self::V1 => Reply::new(response),
        }
    }

    /// Returns the answer to a request of this name whose turn is cancelled (rule v1-cancel-03) or
    /// whose session is closed. `None` is for requests that go on.
    pub(crate) fn answer_when_withdrawn(&self, method: &str) -> Option<fn() -> Reply> {
        match self {
            Self::V1 => v1::incoming::answer_when_withdrawn(method),
        }
    }
}
