//! Messages of the client, and the answers to them.

use acp_json::{FromNode, Node, ReadError};
use acp_rpc::Reply;
use acp_types::v1::SessionId;
use serde_core::Serialize;

use super::{Wire, v1};

impl Wire {
    /// Returns the name by which the vocabulary calls the method of a message.
    pub(crate) const fn operation<'m>(&self, method: &'m str, _: &Node<'_>) -> &'m str {
        match self {
            Wire::V1 => method,
        }
    }

    /// Returns true if a notification of this name cancels a session's turns.
    pub(crate) fn is_cancel(&self, method: &str) -> bool {
        match self {
            Wire::V1 => v1::incoming::is_cancel(method),
        }
    }

    /// Returns true if a notification of this name comes from an MCP server.
    #[cfg(feature = "unstable")]
    pub(crate) fn is_mcp_message(&self, method: &str) -> bool {
        match self {
            Wire::V1 => v1::incoming::is_mcp_message(method),
        }
    }

    /// Reads the session that a `session/cancel` is about.
    pub(crate) fn cancelled_session(&self, params: Node<'_>) -> Result<SessionId, ReadError> {
        match self {
            Wire::V1 => v1::incoming::cancelled_session(params),
        }
    }

    /// Reads the params of a message.
    pub(crate) fn read<P: FromNode>(&self, params: Node<'_>) -> Result<P, ReadError> {
        match self {
            Wire::V1 => acp_json::read(params),
        }
    }

    /// Writes the answer to a request.
    pub(crate) fn answer(&self, response: impl Serialize + Send + 'static) -> Reply {
        match self {
            Wire::V1 => Reply::new(response),
        }
    }

    /// Returns the request of this side that a notification of an MCP server is about.
    #[cfg(all(feature = "mcp", feature = "unstable"))]
    pub(crate) fn request_of_mcp<'n>(&self, params: &'n Node<'_>) -> Option<&'n str> {
        match self {
            Wire::V1 => v1::incoming::request_of_mcp(params),
        }
    }
}
