//! Kinds of messages.

/// The author and sort of a message. Ids of messages count within one kind only.
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
    /// Returns its name: `user_message`, `agent_message` or `agent_thought`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user_message",
            Self::Agent => "agent_message",
            Self::Thought => "agent_thought",
        }
    }

    pub(crate) fn from_name(name: &str) -> Option<Self> {
        [Self::User, Self::Agent, Self::Thought].into_iter().find(|kind| kind.as_str() == name)
    }
}
