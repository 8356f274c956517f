//! The way to send requests over the ACP connection.

use std::pin::Pin;

use acp_types::v1::{MessageMcpRequest, MessageMcpResponse};

use crate::error::AcpCallError;

/// The future answer to a request `mcp/message`.
pub type Answering = Pin<Box<dyn Future<Output = Result<MessageMcpResponse, AcpCallError>> + Send>>;

/// Sends requests over the ACP connection, for an [`AcpLink`](crate::AcpLink).
pub trait AcpCaller: Send + Sync + 'static {
    /// Sends the request `mcp/message`. Dropping the future withdraws the request by
    /// `$/cancel_request`. It needs no time limit, because requests of MCP have their own.
    ///
    /// The answer must come after the notifications before it on the wire. A notification that was
    /// not [delivered](crate::AcpLink::notified) by then comes too late and is dropped.
    fn message(&self, request: MessageMcpRequest) -> Answering;
}
