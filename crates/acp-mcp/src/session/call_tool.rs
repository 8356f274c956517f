//! Calls of tools by the names that models use.

use rmcp::model::JsonObject;
use serde::Serialize;
use serde_json::Value;

use super::McpSession;
use super::call::caller::Caller;
use super::call::options::CallOptions;
use super::keep::listing;
use crate::error::McpError;
use crate::values::tool_outcome::ToolOutcome;

impl McpSession {
    /// Calls a tool by its [qualified name](crate::QualifiedTool::name). The arguments are a JSON
    /// object or null.
    ///
    /// Waits for a server that is being started, and for the lists of tools when the name is not
    /// known yet. Questions of the server go to the session's [`Elicitation`](crate::Elicitation).
    /// Dropping the future cancels the call.
    ///
    /// A tool that fails is not an error: see [`ToolOutcome::is_error`].
    ///
    /// # Errors
    ///
    /// [`McpError::UnknownTool`], [`McpError::Arguments`], [`McpError::Timeout`],
    /// [`McpError::Cancelled`], the errors that the server answers with, and the failure of the
    /// server, even if it was given up before the call.
    pub async fn call_tool(
        &self,
        name: &str,
        arguments: impl Serialize,
        options: CallOptions,
    ) -> Result<ToolOutcome, McpError> {
        let arguments = match serde_json::to_value(arguments) {
            Ok(Value::Object(arguments)) => Some(arguments),
            Ok(Value::Null) => None,
            _ => return Err(McpError::Arguments { tool: name.to_owned() }),
        };
        let call = self.call(name, arguments, &options);
        match &options.cancel {
            None => call.await,
            Some(cancel) => tokio::select! {
                biased;
                outcome = call => outcome,
                () = cancel.cancelled() => Err(McpError::Cancelled),
            },
        }
    }

    async fn call(
        &self,
        name: &str,
        arguments: Option<JsonObject>,
        options: &CallOptions,
    ) -> Result<ToolOutcome, McpError> {
        let mut tool = self.tool(name);
        if tool.is_none() {
            // The server of the tool may still be connecting.
            for entry in &self.inner.entries {
                entry.listed().await;
            }
            tool = self.tool(name);
        }
        let entry = tool.as_ref().and_then(|tool| self.inner.entries.get(tool.index));
        let (Some(tool), Some(entry)) = (&tool, entry) else {
            let lost = self.inner.entries.iter().find_map(|entry| entry.lost(name));
            return Err(lost.unwrap_or_else(|| McpError::UnknownTool { name: name.to_owned() }));
        };
        let (tool, shared) = (&*tool.tool.name, &*self.inner.shared);
        let mut connection = entry.connection(0).await?;
        let caller = Caller { entry, shared, connection: &connection };
        match caller.call_tool(tool, arguments.clone(), options).await {
            // The headers may come from an outdated list: `mcp-neg-42`.
            Err(McpError::HeaderMismatch) => {
                listing::list(entry, shared, &connection).await?;
            }
            // Another version of the server may have taken its place, so versions are agreed on
            // again: `mcp-neg-07`.
            Err(McpError::NoCommonVersion { .. }) => {
                entry.reconnect.notify_one();
                connection = entry.connection(connection.number).await?;
            }
            outcome => return outcome,
        }
        Caller { entry, shared, connection: &connection }.call_tool(tool, arguments, options).await
    }
}
