//! The errors of requests to MCP servers over the ACP connection.

use std::fmt;

/// The reason why a request `mcp/message` did not get through.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AcpCallError {
    /// The other side answered with a JSON-RPC error of ACP. The code is never one of MCP.
    Refused {
        /// The code.
        code: i32,
        /// The words of the other side.
        message: String,
    },
    /// The connection has ended.
    Closed {
        /// The reason.
        problem: String,
    },
    /// The request could not be sent, or its answer cannot be read.
    Failed {
        /// The reason.
        problem: String,
    },
    /// The request was given up, because too many bytes of the server's notifications waited to be
    /// taken in: see [`AcpLink::with_most_waiting`](crate::AcpLink::with_most_waiting). The request
    /// is also withdrawn from the other side.
    Overloaded {
        /// The limit, in bytes.
        limit: usize,
    },
}

/// The code for a server that does not exist, or does not exist any more.
pub(crate) const UNKNOWN_SERVER: i32 = -33001;

impl AcpCallError {
    /// Tells whether every other request to the server would fail, too.
    pub(crate) const fn is_final(&self) -> bool {
        matches!(self, Self::Refused { code: UNKNOWN_SERVER, .. } | Self::Closed { .. })
    }
}

impl fmt::Display for AcpCallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused { code: UNKNOWN_SERVER, message } => {
                write!(f, "`mcp/message`: the client does not provide the server (any more): {message}")
            }
            Self::Refused { code, message } => {
                write!(f, "`mcp/message` was refused: {message} (code {code} of ACP)")
            }
            Self::Closed { problem } | Self::Failed { problem } => {
                write!(f, "`mcp/message` failed: {problem}")
            }
            Self::Overloaded { limit } => write!(
                f,
                "`mcp/message` failed: {limit} bytes of the server's notifications wait to be handled, because a handler \
                 of notifications or of progress blocks"
            ),
        }
    }
}

impl std::error::Error for AcpCallError {}
