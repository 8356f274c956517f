//! Servers that the client provides: their requests and notifications are those of the connection.

use acp_mcp::{AcpCallError, AcpCaller, AcpLink, Answering};
use acp_rpc::{CallError, Peer};
use acp_types::method::Method as _;
use acp_types::v1::{MessageMcpRequest, methods};

/// The link over this connection.
pub(super) fn link(peer: &Peer) -> AcpLink {
    // Requests of MCP have time limits of their own.
    AcpLink::new(Caller(peer.timeout(None)))
}

struct Caller(Peer);

impl AcpCaller for Caller {
    fn message(&self, request: MessageMcpRequest) -> Answering {
        let peer = self.0.clone();
        Box::pin(async move {
            let answer = peer.request(methods::McpMessage::NAME, &request).await;
            answer.map_err(|error| match error {
                CallError::Remote(error) => {
                    AcpCallError::Refused { code: error.code, message: error.message.into_owned() }
                }
                error => AcpCallError::Failed { problem: error.to_string() },
            })
        })
    }
}
