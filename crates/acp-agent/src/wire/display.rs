//! Updates about terminals of the agent.

use acp_types::v1::{SessionUpdate, TerminalId, ToolCallContent};

use super::Wire;
use super::terminal::TerminalChange;
#[cfg(feature = "v2")]
use super::v2;

#[cfg_attr(
    not(feature = "v2"),
    allow(unused_variables, clippy::missing_const_for_fn, reason = "version 1 has no such terminals")
)]
impl Wire {
    /// Returns whether clients show terminals of the agent.
    pub(crate) const fn shows_terminals(&self) -> bool {
        match self {
            Wire::V1 => false,
            #[cfg(feature = "v2")]
            Wire::V2 => true,
        }
    }

    /// Returns the update about such a terminal.
    pub(crate) fn terminal(&self, id: &TerminalId, change: &TerminalChange<'_>) -> Option<SessionUpdate> {
        match self {
            Wire::V1 => None,
            #[cfg(feature = "v2")]
            Wire::V2 => Some(v2::terminal::update(id, change)),
        }
    }

    /// Returns the content that shows such a terminal in a tool call.
    pub(crate) fn terminal_content(&self, id: &TerminalId) -> Option<ToolCallContent> {
        match self {
            Wire::V1 => None,
            #[cfg(feature = "v2")]
            Wire::V2 => Some(v2::terminal::content(id)),
        }
    }
}
