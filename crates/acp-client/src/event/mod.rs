//! Events of a session: the reports of an agent, in order.

pub(crate) mod state;

use acp_types::UnknownVariant;
use acp_types::v1::{
    AvailableCommandsUpdate, CompactionSummaryChunk, CompactionUpdate, ConfigOptionUpdate, ContentBlock,
    ContentChunk, CurrentModeUpdate, Notice, Plan, SessionInfoUpdate, ToolCall, ToolCallUpdate, UsageUpdate,
};

pub use self::state::{BackgroundWork, State, StateKind};

/// A report of an agent about a session. Events keep the order of the wire.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// A piece of the agent's answer.
    Message(ContentChunk),
    /// A piece of the agent's reasoning.
    Thought(ContentChunk),
    /// A piece of a message of the user. It comes when a session is loaded, or as an echo of the
    /// prompt.
    UserMessage(ContentChunk),
    /// A tool run was announced.
    ToolCall(Box<ToolCall>),
    /// A tool run changed. Only the members that are set have changed. The run may be one that was
    /// never announced.
    ToolCallUpdate(Box<ToolCallUpdate>),
    /// The whole plan, which replaces the one before.
    Plan(Plan),
    /// All slash commands, which replace those before.
    Commands(AvailableCommandsUpdate),
    /// The mode of the session changed.
    Mode(CurrentModeUpdate),
    /// All config options, with their current values.
    Config(ConfigOptionUpdate),
    /// Title or time of the session changed.
    Info(Box<SessionInfoUpdate>),
    /// The fill level of the context, and the cost of the session.
    Usage(Box<UsageUpdate>),
    /// A remark for the user, without any effect on the session.
    Notice(Box<Notice>),
    /// The agent compacts the conversation.
    Compaction(Box<CompactionUpdate>),
    /// A piece of the summary of a compaction.
    CompactionSummary(Box<CompactionSummaryChunk>),
    /// The agent began or ended work, or waits for the user.
    State(Box<State>),
    /// A kind of update that this version does not know, with all its members.
    Unknown(UnknownVariant),
    /// The number of events that were discarded, oldest first, because nobody read them.
    Missed(u64),
}

impl Event {
    /// Returns true for a part of the conversation. An agent has no reason to send one before it is
    /// prompted.
    pub(crate) const fn is_of_the_conversation(&self) -> bool {
        matches!(
            self,
            Self::Message(_)
                | Self::Thought(_)
                | Self::UserMessage(_)
                | Self::ToolCall(_)
                | Self::ToolCallUpdate(_)
                | Self::Plan(_)
                | Self::Compaction(_)
                | Self::CompactionSummary(_)
        )
    }

    /// Returns the text of a piece of the agent's answer, if it is text.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Message(ContentChunk { content: ContentBlock::Text(text), .. }) => Some(&text.text),
            _ => None,
        }
    }
}
