//! A tool, for the model that may call it.

use acp_mcp::QualifiedTool;
use acp_types::Value;
use acp_types::v1::{ToolCall, ToolKind};

use crate::client::ids::unique;

/// A tool of one of the session's servers.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Tool {
    /// The name that the model calls it by: unique in the session, the same when the session is loaded again, and of 1
    /// to 64 of `A-Z a-z 0-9 _ -`, which the interfaces of models take.
    pub name: String,
    /// The name of its server, as `mcpServers` has it.
    pub server: String,
    /// What a person is shown: its title, or its own name.
    pub title: String,
    /// What it does, for the model.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub input_schema: Value,
    /// Whether it says of itself that it changes nothing. Only a hint, and only as good as the server.
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

    /// A call of it with these arguments, under an id of its own, as the client is shown it: for
    /// [`Turn::ask`](crate::Turn::ask), [`Turn::announce_tool`](crate::Turn::announce_tool) and
    /// [`Turn::start_tool`](crate::Turn::start_tool).
    #[must_use]
    pub fn call(&self, arguments: impl Into<Value>) -> ToolCall {
        let kind = if self.is_read_only { ToolKind::Read } else { ToolKind::Other };
        ToolCall::new(unique("mcp"), &self.title).kind(kind).raw_input(arguments.into())
    }
}
