//! A tool of one of the session's servers.

use rmcp::model::Tool;

use super::tool_name;
use crate::error::cut;

/// The bytes of a description that are kept at most.
const LONGEST_DESCRIPTION: usize = 16 * 1024;

/// A tool with the name that models call it by.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct QualifiedTool {
    /// The name for models, stable and unique in the session: 1 to 64 of `A-Z a-z 0-9 _ -`.
    pub name: String,
    /// The name of the server in `mcpServers`.
    pub server: String,
    /// The tool as the server lists it: its own name, description (at most 16 KiB), schemas and
    /// hints.
    pub tool: Tool,
    /// The index of the server in the session.
    pub(crate) index: usize,
}

impl QualifiedTool {
    pub(crate) fn new(index: usize, server: &str, ordinal: usize, mut tool: Tool) -> Self {
        if let Some(description) = tool.description.as_deref().filter(|text| text.len() > LONGEST_DESCRIPTION)
        {
            tool.description = Some(cut(description, LONGEST_DESCRIPTION).into());
        }
        Self {
            name: tool_name::qualified(server, ordinal, &tool.name),
            server: server.to_owned(),
            tool,
            index,
        }
    }

    /// Returns the description of the tool for the model, at most 16 KiB.
    #[must_use]
    pub fn description(&self) -> &str {
        self.tool.description.as_deref().unwrap_or_default()
    }

    /// Returns the text to show to users: the title of the tool, or its own name.
    #[must_use]
    pub fn title(&self) -> &str {
        let hint = self.tool.annotations.as_ref().and_then(|hints| hints.title.as_deref());
        self.tool.title.as_deref().or(hint).unwrap_or(&self.tool.name)
    }

    /// Returns the JSON Schema of the arguments.
    #[must_use]
    pub fn input_schema(&self) -> serde_json::Value {
        serde_json::Value::Object((*self.tool.input_schema).clone())
    }

    /// Tells whether the tool claims to change nothing. This is a hint, only as good as the server.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        self.tool.annotations.as_ref().and_then(|hints| hints.read_only_hint).unwrap_or(false)
    }
}
