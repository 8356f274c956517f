//! Parts of a session that a client can cancel by themselves: tool calls and terminals.

use acp_types::v1::{TerminalId, ToolCallId};

/// A part of a session that has an id of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Entity {
    ToolCall(ToolCallId),
    #[cfg_attr(
        not(all(feature = "v2", feature = "shell")),
        allow(dead_code, reason = "terminals of the agent are shown in version 2")
    )]
    Terminal(TerminalId),
}
