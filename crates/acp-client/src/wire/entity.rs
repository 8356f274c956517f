//! Work of the agent that may be cancelled by itself.

use acp_types::v1::{TerminalId, ToolCallId};

/// Work of the agent that may be cancelled by itself.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Entity {
    ToolCall(ToolCallId),
    Terminal(TerminalId),
}

impl Entity {
    /// Returns the name of the method, which only version 2 has.
    pub(crate) const fn method(&self) -> &'static str {
        match self {
            Self::ToolCall(_) => "tool_call/cancel",
            Self::Terminal(_) => "terminal/cancel",
        }
    }
}
