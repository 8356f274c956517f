use acp_types::Meta;
use acp_types::v1::{ContentBlock, ContentChunk, MessageId};

use super::content;

/// A message of a [`Transcript`](crate::Transcript), put together from its pieces.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Message {
    /// Whose it is.
    pub kind: MessageKind,
    /// The agent's id of the message, if it has one.
    pub id: Option<MessageId>,
    /// The blocks. No two texts stand beside each other that could be one.
    pub content: Vec<ContentBlock>,
    /// Data of extensions.
    pub meta: Option<Meta>,
}

/// Whose a [`Message`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MessageKind {
    /// A prompt of the user.
    User,
    /// An answer of the agent.
    Agent,
    /// The agent's reasoning.
    Thought,
}

impl MessageKind {
    /// A name for it: `user_message`, `agent_message` or `agent_thought`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user_message",
            Self::Agent => "agent_message",
            Self::Thought => "agent_thought",
        }
    }

    pub(super) fn from_name(name: &str) -> Option<Self> {
        [Self::User, Self::Agent, Self::Thought].into_iter().find(|kind| kind.as_str() == name)
    }
}

impl Message {
    pub(super) const fn new(kind: MessageKind, id: Option<MessageId>) -> Self {
        Self { kind, id, content: Vec::new(), meta: None }
    }

    /// The text of all its blocks of text.
    #[must_use]
    pub fn text(&self) -> String {
        self.content.iter().filter_map(ContentBlock::as_text).collect()
    }

    /// Takes in a piece. Returns where the content has grown, and whether `_meta` came with it.
    pub(super) fn append(&mut self, chunk: ContentChunk) -> (Option<(usize, usize)>, bool) {
        let has_meta = content::join_meta(&mut self.meta, chunk.meta);
        (content::append(&mut self.content, chunk.content), has_meta)
    }

    /// Whether no piece has said anything yet.
    pub(super) const fn is_blank(&self) -> bool {
        self.id.is_none() && self.content.is_empty() && self.meta.is_none()
    }
}
