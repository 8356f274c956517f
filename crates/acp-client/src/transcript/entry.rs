use acp_types::UnknownVariant;

use super::{Compaction, Message, ToolRun};

/// One item of the conversation in a [`Transcript`](crate::Transcript).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Entry {
    /// What the user or the agent said, or the agent thought.
    Message(Message),
    /// A tool run.
    ToolCall(Box<ToolRun>),
    /// The agent condensed the conversation.
    Compaction(Box<Compaction>),
    /// An update of a kind that this version does not know, as it came.
    Unknown(UnknownVariant),
    /// Here so many updates are missing: nobody listened when they came.
    Missed(u64),
}

impl Entry {
    /// The message, if it is one.
    #[must_use]
    pub const fn as_message(&self) -> Option<&Message> {
        match self {
            Self::Message(message) => Some(message),
            _ => None,
        }
    }

    /// The tool run, if it is one.
    #[must_use]
    pub fn as_tool_call(&self) -> Option<&ToolRun> {
        match self {
            Self::ToolCall(run) => Some(run),
            _ => None,
        }
    }
}
