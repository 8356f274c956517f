//! The tools of a session's servers.

use rmcp::model::Tool;

use super::tool_name;
use crate::error::cut;

/// How much of a description is taken in.
const LONGEST_DESCRIPTION: usize = 16 * 1024;

/// A tool, with the name that a model calls it by.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct QualifiedTool {
    /// Unique among the tools of the session, and stable: 1 to 64 of `A-Z a-z 0-9 _ -`.
    pub name: String,
    /// The name of its server, as `mcpServers` has it.
    pub server: String,
    /// The tool as the server lists it: its own name, description (at most 16 KiB of it), schemas, hints.
    pub tool: Tool,
    /// Which server of the session.
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

    /// What the tool does, for the model: at most 16 KiB of it.
    #[must_use]
    pub fn description(&self) -> &str {
        self.tool.description.as_deref().unwrap_or_default()
    }

    /// What a user is shown: the tool's title, or its own name.
    #[must_use]
    pub fn title(&self) -> &str {
        let hint = self.tool.annotations.as_ref().and_then(|hints| hints.title.as_deref());
        self.tool.title.as_deref().or(hint).unwrap_or(&self.tool.name)
    }

    /// The JSON Schema of the arguments, as JSON.
    #[must_use]
    pub fn input_schema(&self) -> serde_json::Value {
        serde_json::Value::Object((*self.tool.input_schema).clone())
    }

    /// Whether the tool says of itself that it changes nothing. Only a hint, and only as good as the server.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        self.tool.annotations.as_ref().and_then(|hints| hints.read_only_hint).unwrap_or(false)
    }
}
