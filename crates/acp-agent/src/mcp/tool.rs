//! Tools, for the model that may call them.

use acp_mcp::QualifiedTool;
use acp_types::Value;
use acp_types::v1::ext::unique_id;
use acp_types::v1::{ToolCall, ToolKind};

/// A tool of one of the session's servers.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Tool {
    /// The name that the model calls it by. It is unique in the session, and stays when the session
    /// is loaded again. It has 1 to 64 characters of `A-Z a-z 0-9 _ -`, which the interfaces of
    /// models take.
    pub name: String,
    /// The name of its server, as `mcpServers` has it.
    pub server: String,
    /// The title for people, or the tool's own name.
    pub title: String,
    /// The description for the model.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub input_schema: Value,
    /// Set if the tool says that it changes nothing. This is a hint, and only as good as the
    /// server.
    pub is_read_only: bool,
}

impl Tool {
    pub(super) fn new(tool: QualifiedTool) -> Self {
        Tool {
            title: tool.title().to_owned(),
            description: tool.description().to_owned(),
            input_schema: Value::new(&tool.input_schema()).unwrap_or_default(),
            is_read_only: tool.is_read_only(),
            name: tool.name,
            server: tool.server,
        }
    }

    /// Returns a call of the tool with these arguments, under an id of its own. It is for
    /// [`Turn::ask`](crate::Turn::ask), [`Turn::announce_tool`](crate::Turn::announce_tool) and
    /// [`Turn::start_tool`](crate::Turn::start_tool).
    #[must_use]
    pub fn call(&self, arguments: impl Into<Value>) -> ToolCall {
        let kind = if self.is_read_only { ToolKind::Read } else { ToolKind::Other };
        ToolCall::new(unique_id("mcp"), &self.title).kind(kind).raw_input(arguments.into())
    }
}
