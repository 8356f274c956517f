//! MCP servers that a component on the ACP connection provides, such as the client: MCP-over-ACP, rules `acp-mcp-20` to
//! `-26`.

mod link;
#[cfg(feature = "provider")]
mod provider;
mod transport;

use std::error::Error;
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use acp_types::v1::{McpServerAcpId, MessageMcpRequest, MessageMcpResponse};

pub use link::{AcpLink, Telling};
#[cfg(feature = "provider")]
pub use provider::{McpProvider, ProvideError, ProvideRequests};

use self::transport::AcpTransport;
use crate::error::{McpError, shortened};
use crate::negotiate::drive::Dial;
use crate::negotiate::{Input, Route};
use crate::wire::{Wire, WireError};

/// The answer to a request `mcp/message`, when it comes.
pub type Answering = Pin<Box<dyn Future<Output = Result<MessageMcpResponse, AcpCallError>> + Send>>;

/// Sends requests over the ACP connection, for an [`AcpLink`].
pub trait AcpCaller: Send + Sync + 'static {
    /// Sends the request `mcp/message` (rule `acp-mcp-20`). Dropping the future withdraws it by `$/cancel_request` (rule
    /// `acp-mcp-24`). It needs no time limit: requests of MCP have theirs.
    ///
    /// The answer comes after the notifications that were before it on the wire: each must have been
    /// [taken in](AcpLink::notified) first, or it comes too late and is dropped.
    fn message(&self, request: MessageMcpRequest) -> Answering;
}

/// Why a request `mcp/message` did not get through.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AcpCallError {
    /// It was answered with a JSON-RPC error of ACP. The code is never one of MCP (rule `acp-mcp-25`).
    Refused {
        /// The code.
        code: i32,
        /// What the other side says.
        message: String,
    },
    /// The connection is over.
    Closed {
        /// Why.
        problem: String,
    },
    /// It could not be sent, or its answer cannot be read.
    Failed {
        /// Why.
        problem: String,
    },
    /// So much of what the server told meanwhile was not taken in that the request was given up: see
    /// [`AcpLink::with_most_waiting`]. The other side is told that it is not wanted any more.
    Overloaded {
        /// The limit, in bytes.
        limit: usize,
    },
}

/// The server is not there, or not any more.
const UNKNOWN_SERVER: i32 = -33001;

impl AcpCallError {
    /// Whether no other request to the server would get through either.
    const fn is_final(&self) -> bool {
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
                "`mcp/message` was given up: {limit} bytes of the server's notifications waited to be taken in; a handler \
                 of notifications or of progress blocks"
            ),
        }
    }
}

impl Error for AcpCallError {}

/// The error of a request that is behind an error of the transport, if there is one.
pub(crate) fn error_in(method: &'static str, error: &(dyn Error + 'static)) -> Option<McpError> {
    let inner = error.downcast_ref::<WireError>()?.0.downcast_ref::<AcpCallError>()?;
    Some(McpError::Acp { method, error: inner.clone() })
}

/// Why the connection to a server is over, once it is.
#[derive(Clone, Default)]
struct End(Arc<Mutex<Option<AcpCallError>>>);

impl End {
    fn set(&self, error: AcpCallError) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
    }

    fn take(&self) -> Option<AcpCallError> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Connects a server of `type: "acp"`: there is nothing to be opened but what is asked.
pub(crate) struct AcpDial {
    link: AcpLink,
    server: McpServerAcpId,
    end: End,
}

impl AcpDial {
    pub(crate) fn new(link: AcpLink, server: McpServerAcpId) -> Self {
        Self { link, server, end: End::default() }
    }
}

impl Dial for AcpDial {
    async fn dial(&mut self, _: Route) -> Result<Wire, McpError> {
        self.end = End::default();
        Ok(Wire::new(AcpTransport::new(self.link.clone(), self.server.clone(), self.end.clone())))
    }

    async fn ended(&mut self) -> Option<McpError> {
        self.end.take().map(|error| error_of(&error))
    }

    fn input(&self, _: &WireError) -> Input {
        Input::Unreachable
    }

    fn error(&self, error: &WireError) -> Option<McpError> {
        let inner: Option<&AcpCallError> = error.0.downcast_ref();
        Some(inner.map_or_else(|| McpError::unreachable(error), error_of))
    }
}

/// The error of a server that nothing gets through to.
fn error_of(error: &AcpCallError) -> McpError {
    match error {
        AcpCallError::Refused { code: UNKNOWN_SERVER, .. } => {
            McpError::NotProvided { problem: shortened(&error.to_string()) }
        }
        error => McpError::unreachable(error),
    }
}
