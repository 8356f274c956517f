//! MCP servers that the client provides to the agent.

use std::sync::Arc;

use acp_mcp::McpProvider;
use acp_types::v1::MessageMcpNotification;
use acp_types::v1::methods::McpMessage;

use crate::{Client, Handlers, RpcError};

/// Answers `mcp/message` (rules `acp-mcp-20` to `-26`). [`McpProvider::add`] returns the entry for
/// the session's `mcpServers`, which agents with `mcpCapabilities.acp` take.
impl Client for McpProvider {
    fn register(self: Arc<Self>, handlers: &mut Handlers) {
        // Each connection has its own requests.
        let requests = Arc::new(self.requests());
        handlers.request::<McpMessage, _, _>(&requests, |requests, request, context| async move {
            let (wire, peer) = (context.wire(), context.peer());
            let notify = |notification: MessageMcpNotification| async move {
                // If the connection is over, the answer does not arrive either.
                let _ = wire.send(peer, &notification).await;
            };
            tokio::select! {
                biased;
                () = context.cancelled() => Err(RpcError::cancelled()),
                answer = requests.message(request, notify) => {
                    answer.map_err(|error| RpcError::new(error.code(), error.to_string()))
                }
            }
        });
    }
}
