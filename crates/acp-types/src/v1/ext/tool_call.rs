//! Shorter ways to make tool calls.

use std::path::Path;

use crate::v1::{ToolCall, ToolCallId, ToolCallLocation, ToolCallUpdate, ToolKind};

impl ToolCall {
    /// Makes a call of this kind, with a fresh id.
    #[must_use]
    pub fn of_kind(kind: impl Into<ToolKind>, title: impl Into<String>) -> Self {
        Self::new(ToolCallId::unique(), title).kind(kind)
    }

    /// Makes a call that reads a file. `path`, which should be absolute, becomes the title and the
    /// location.
    #[must_use]
    pub fn read(path: impl AsRef<Path>) -> Self {
        let path = path.as_ref().to_string_lossy();
        Self::of_kind(ToolKind::Read, format!("Read {path}")).locations([ToolCallLocation::new(path)])
    }

    /// Makes a call that changes files.
    #[must_use]
    pub fn edit(title: impl Into<String>) -> Self {
        Self::of_kind(ToolKind::Edit, title)
    }

    /// Makes a call that searches.
    #[must_use]
    pub fn search(title: impl Into<String>) -> Self {
        Self::of_kind(ToolKind::Search, title)
    }

    /// Makes a call that runs a command.
    #[must_use]
    pub fn execute(title: impl Into<String>) -> Self {
        Self::of_kind(ToolKind::Execute, title)
    }
}

/// Copies everything that the call says, as a permission request needs it.
impl From<&ToolCall> for ToolCallUpdate {
    fn from(call: &ToolCall) -> Self {
        let mut update = Self::new(&call.tool_call_id).title(&call.title).kind(call.kind.clone());
        update.status = Some(call.status.clone());
        update.name = call.name.clone();
        update.content = (!call.content.is_empty()).then(|| call.content.clone());
        update.locations = (!call.locations.is_empty()).then(|| call.locations.clone());
        update.raw_input = call.raw_input.clone();
        update.raw_output = call.raw_output.clone();
        update.meta = call.meta.clone();
        update
    }
}
