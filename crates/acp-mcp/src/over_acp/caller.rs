//! Who sends requests over the ACP connection.

use std::pin::Pin;

use acp_types::v1::{MessageMcpRequest, MessageMcpResponse};

use crate::error::AcpCallError;

/// The answer to a request `mcp/message`, when it comes.
pub type Answering = Pin<Box<dyn Future<Output = Result<MessageMcpResponse, AcpCallError>> + Send>>;

/// Sends requests over the ACP connection, for an [`AcpLink`](crate::AcpLink).
pub trait AcpCaller: Send + Sync + 'static {
    /// Sends the request `mcp/message` (rule `acp-mcp-20`). Dropping the future withdraws it by `$/cancel_request` (rule
    /// `acp-mcp-24`). It needs no time limit: requests of MCP have theirs.
    ///
    /// The answer comes after the notifications that were before it on the wire: each must have been
    /// [taken in](crate::AcpLink::notified) first, or it comes too late and is dropped.
    fn message(&self, request: MessageMcpRequest) -> Answering;
}
