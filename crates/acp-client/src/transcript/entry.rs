//! The entries of a transcript.

use acp_types::UnknownVariant;

use super::{Compaction, Message, ToolRun};

/// One item of the conversation in a [`Transcript`](crate::Transcript).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Entry {
    /// A message of the user or the agent, or a thought of the agent.
    Message(Message),
    /// A tool run.
    ToolCall(Box<ToolRun>),
    /// A compaction: the agent has condensed the conversation.
    Compaction(Box<Compaction>),
    /// An update of an unknown kind, as it came.
    Unknown(UnknownVariant),
    /// A gap: this many updates are missing here, because nobody read them.
    Missed(u64),
}

impl Entry {
    /// Returns the message, if it is one.
    #[must_use]
    pub const fn as_message(&self) -> Option<&Message> {
        match self {
            Self::Message(message) => Some(message),
            _ => None,
        }
    }

    /// Returns the tool run, if it is one.
    #[must_use]
    pub fn as_tool_call(&self) -> Option<&ToolRun> {
        match self {
            Self::ToolCall(run) => Some(run),
            _ => None,
        }
    }
}
