//! Notifications of MCP servers that this client serves.

use acp_types::v1::MessageMcpNotification;

use crate::{Agent, Error};

impl Agent {
    /// Sends a notification of an MCP server that this client serves (`mcp/message`). Requests to
    /// the server go to a handler of that method.
    ///
    /// # Errors
    /// [`Error::NotOffered`] without `mcpCapabilities.acp`, or the connection is over.
    pub async fn notify_mcp(&self, message: &MessageMcpNotification) -> Result<(), Error> {
        let method = self.method::<MessageMcpNotification>();
        self.check_offered(self.capabilities().mcp_capabilities.acp, method, "mcpCapabilities.acp")?;
        self.wire().send(self.peer(), message).await
    }
}
