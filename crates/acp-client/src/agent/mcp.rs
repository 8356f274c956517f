//! Notifications of MCP servers that this client serves.

use acp_types::method::Method;
use acp_types::v1::MessageMcpNotification;
use acp_types::v1::methods::McpMessageNotify;

use crate::{Agent, Error};

impl Agent {
    /// Sends a notification of an MCP server that this client serves (`mcp/message`). Requests to
    /// the server go to a handler of that method.
    ///
    /// # Errors
    /// [`Error::NotOffered`] without `mcpCapabilities.acp`, or the connection is over.
    pub async fn notify_mcp(&self, message: &MessageMcpNotification) -> Result<(), Error> {
        let method = McpMessageNotify::NAME;
        self.check_offered(self.capabilities().mcp_capabilities.acp, method, "mcpCapabilities.acp")?;
        self.peer().notify(method, message).await.map_err(|error| Error::of_call(method, None, error))
    }
}
