//! Messages of the client, and the answers to them.

use acp_json::{FromNode, Node, ReadError};
#[cfg(feature = "v2")]
use acp_rpc::Id;
use acp_rpc::{Error as RpcError, Reply};
#[cfg(feature = "v2")]
use acp_types::v1::SessionConfigId;
use acp_types::v1::SessionId;
use serde_core::Serialize;

#[cfg(feature = "v2")]
use super::v2;
use super::{Wire, v1};

impl Wire {
    /// Returns the name by which the vocabulary calls the method of a request, or nothing if this
    /// version does not have the method.
    ///
    /// # Errors
    /// The params do not fit, by a rule that the vocabulary does not have.
    #[cfg_attr(
        not(feature = "v2"),
        allow(unused_variables, clippy::unnecessary_wraps, reason = "version 1 is the vocabulary")
    )]
    pub(crate) fn operation<'m>(
        &self,
        method: &'m str,
        params: &Node<'_>,
    ) -> Result<Option<&'m str>, RpcError> {
        match self {
            Wire::V1 => Ok(Some(method)),
            #[cfg(feature = "v2")]
            Wire::V2 => v2::incoming::operation(method, params),
        }
    }

    /// Refuses ids of requests that this version does not have.
    #[cfg(feature = "v2")]
    pub(crate) fn check_id(&self, id: &Id) -> Result<(), RpcError> {
        match self {
            Wire::V1 => Ok(()),
            Wire::V2 => v2::incoming::check_id(id),
        }
    }

    /// Returns whether the operation exists only in agents that have sessions.
    #[cfg(feature = "v2")]
    pub(crate) fn is_of_sessions(&self, operation: &str) -> bool {
        match self {
            Wire::V1 => false,
            Wire::V2 => v2::incoming::is_of_sessions(operation),
        }
    }

    /// Returns the session and the config option that a request sets, in a version whose modes are
    /// config options.
    #[cfg(feature = "v2")]
    pub(crate) fn set_option(&self, method: &str, params: &Node<'_>) -> Option<(SessionId, SessionConfigId)> {
        match self {
            Wire::V1 => None,
            Wire::V2 => v2::incoming::set_option(method, params),
        }
    }

    /// Returns true if a notification of this name cancels a session's turns.
    pub(crate) fn is_cancel(&self, method: &str) -> bool {
        match self {
            Wire::V1 => v1::incoming::is_cancel(method),
            #[cfg(feature = "v2")]
            Wire::V2 => v2::incoming::is_cancel(method),
        }
    }

    /// Returns true if a notification of this name comes from an MCP server.
    #[cfg(feature = "unstable")]
    pub(crate) fn is_mcp_message(&self, method: &str) -> bool {
        match self {
            Wire::V1 => v1::incoming::is_mcp_message(method),
            #[cfg(feature = "v2")]
            Wire::V2 => v1::incoming::is_mcp_message(method),
        }
    }

    /// Reads the session that a `session/cancel` is about.
    pub(crate) fn cancelled_session(&self, params: Node<'_>) -> Result<SessionId, ReadError> {
        match self {
            Wire::V1 => v1::incoming::cancelled_session(params),
            #[cfg(feature = "v2")]
            Wire::V2 => v2::incoming::cancelled_session(params),
        }
    }

    /// Reads the params of a message that the vocabulary calls `operation`.
    #[cfg_attr(not(feature = "v2"), allow(unused_variables, reason = "version 1 is the vocabulary"))]
    pub(crate) fn read<P: FromNode>(&self, operation: &str, params: Node<'_>) -> Result<P, ReadError> {
        match self {
            Wire::V1 => acp_json::read(params),
            #[cfg(feature = "v2")]
            Wire::V2 => acp_json::read(v2::incoming::params(operation, params)),
        }
    }

    /// Writes the answer to a request, which looks the same in all versions.
    pub(crate) fn answer(&self, response: impl Serialize + Send + 'static) -> Reply {
        match self {
            Wire::V1 => Reply::new(response),
            #[cfg(feature = "v2")]
            Wire::V2 => Reply::new(response),
        }
    }

    /// Returns the request of this side that a notification of an MCP server is about.
    #[cfg(all(feature = "mcp", feature = "unstable"))]
    pub(crate) fn request_of_mcp<'n>(&self, params: &'n Node<'_>) -> Option<&'n str> {
        match self {
            Wire::V1 => v1::incoming::request_of_mcp(params),
            #[cfg(feature = "v2")]
            Wire::V2 => v1::incoming::request_of_mcp(params),
        }
    }
}
