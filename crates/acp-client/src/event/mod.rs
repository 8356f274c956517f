//! Events of a session: the reports of an agent, in order.

pub(crate) mod cleared;
pub(crate) mod file_changes;
pub(crate) mod message_kind;
pub(crate) mod plan;
pub(crate) mod question;
pub(crate) mod state;
pub(crate) mod terminal;

use acp_types::v1::{
    AvailableCommandsUpdate, CompactionSummaryChunk, CompactionUpdate, ConfigOptionUpdate, ContentBlock,
    ContentChunk, CurrentModeUpdate, MessageId, Notice, Plan, SessionInfoUpdate, TerminalId, ToolCall,
    ToolCallContent, ToolCallId, ToolCallUpdate, UsageUpdate,
};
use acp_types::{Maybe, Meta, UnknownVariant};

pub use self::cleared::{Cleared, ToolCallMember};
pub use self::file_changes::{FileChange, FileChanges, FileOperation, FilePatch};
pub use self::message_kind::MessageKind;
pub use self::plan::PlanContent;
pub use self::question::{PermissionQuestion, PermissionSubject};
pub use self::state::{BackgroundWork, State, StateKind};
pub use self::terminal::{TerminalChange, TerminalExit, TerminalSize, TerminalUpdate};

/// A report of an agent about a session. Events keep the order of the wire.
///
/// Agents of both versions of the protocol make the same events. Some need version 2: a message
/// that is [replaced](Self::MessageReplaced), an [item](Self::ToolContent) of a tool run's content,
/// a [terminal](Self::Terminal) of the agent, a [second plan](Self::NamedPlan), and
/// [cleared](Self::Cleared) values. A client that shows nothing of these still has the rest.
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
    /// A message as a whole. It takes the place of all that came of the message before, or is a new
    /// message.
    #[non_exhaustive]
    MessageReplaced {
        /// The author and sort of the message.
        kind: MessageKind,
        /// The id of the message.
        id: MessageId,
        /// The content. It may be empty; `None` keeps the content of before.
        content: Option<Vec<ContentBlock>>,
        /// Data of extensions. A value is joined by name; a name whose value is `null` is removed.
        meta: Maybe<Meta>,
    },
    /// A tool run was announced.
    ToolCall(Box<ToolCall>),
    /// A tool run changed. Only the members that are set have changed. The run may be one that was
    /// never announced.
    ToolCallUpdate(Box<ToolCallUpdate>),
    /// The content of a tool run has a new last item.
    #[non_exhaustive]
    ToolContent {
        /// The tool run. It may be one that was never announced.
        id: ToolCallId,
        /// The item.
        item: Box<ToolCallContent>,
        /// Data of extensions about this item.
        meta: Option<Meta>,
    },
    /// A terminal in which the agent runs a command. Content of tool runs refers to it by its id,
    /// before or after this.
    #[non_exhaustive]
    Terminal {
        /// The terminal. No other terminal of the session ever has this id.
        id: TerminalId,
        /// The change.
        change: Box<TerminalChange>,
    },
    /// The whole plan, which replaces the one before.
    Plan(Plan),
    /// Another plan, as a whole, if the agent has several: the first one of a session is
    /// [`Plan`](Self::Plan). It replaces the content of the plan with this id.
    #[non_exhaustive]
    NamedPlan {
        /// The agent's id of the plan.
        id: String,
        /// The content.
        plan: PlanContent,
    },
    /// The plan with this id is gone.
    #[non_exhaustive]
    PlanRemoved {
        /// The agent's id of a [`NamedPlan`](Self::NamedPlan).
        id: String,
    },
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
    /// Values that the update before this has taken away, and that its own event cannot tell.
    /// Handlers of updates do not get it.
    Cleared(Cleared),
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
                | Self::MessageReplaced { .. }
                | Self::ToolCall(_)
                | Self::ToolCallUpdate(_)
                | Self::ToolContent { .. }
                | Self::Terminal { .. }
                | Self::Plan(_)
                | Self::NamedPlan { .. }
                | Self::PlanRemoved { .. }
                | Self::Cleared(Cleared::ToolCall { .. })
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
