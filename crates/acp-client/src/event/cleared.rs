//! Values that an update has taken away.

use acp_types::v1::ToolCallId;

/// Values that an agent has taken away without giving others. In version 1 of the protocol it
/// cannot do that.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cleared {
    /// Members of a tool call.
    #[non_exhaustive]
    ToolCall {
        /// The tool call.
        id: ToolCallId,
        /// The members.
        members: Vec<ToolCallMember>,
    },
    /// The cost of the session: it is not known any more.
    Cost,
    /// The data of extensions about the session.
    SessionMeta,
}

/// A member of a tool call that can be taken away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ToolCallMember {
    /// The name of the tool.
    Name,
    /// The title.
    Title,
    /// The input of the tool.
    RawInput,
    /// The output of the tool.
    RawOutput,
    /// The data of extensions.
    Meta,
}
