//! What a client shows of a session: its updates, folded into state.

mod change;
mod compaction;
mod content;
mod entry;
mod fold;
mod json;
mod message;
mod prompt;
pub mod sanitize;
mod timeline;
mod tool_run;

use std::collections::VecDeque;

use acp_json::ReadError;
use acp_types::Meta;
use acp_types::v1::{
    AvailableCommand, AvailableCommandsUpdate, ConfigOptionUpdate, CurrentModeUpdate, Notice, Plan,
    SessionConfigOption, SessionId, SessionModeId, ToolCallId, UsageUpdate,
};

use crate::Session;

pub use change::Change;
pub use compaction::Compaction;
pub use entry::Entry;
pub use message::{Message, MessageKind};
pub use tool_run::ToolRun;

use timeline::{Key, Timeline};

/// A session as its updates describe it: the conversation as a list of entries, and what goes for
/// the session as a whole.
///
/// Give it every [`Event`](crate::Event) of a session in order ([`fold`](Self::fold)), and the
/// prompts, which agents need not repeat ([`prompt`](Self::prompt)). Each fold returns a [`Change`]
/// that says what is to be drawn again. The events of a turn and those of a session that is loaded
/// make the same transcript, and so do the pieces of a message however it was cut.
///
/// ```no_run
/// # async fn run(session: acp_client::Session) -> Result<(), acp_client::Error> {
/// # fn draw(_: &acp_client::Entry) {}
/// use acp_client::{Change, Transcript};
///
/// let mut transcript = Transcript::for_session(&session);
/// transcript.prompt("What changed today?");
/// let mut turn = session.prompt("What changed today?").await?;
/// while let Some(event) = turn.next().await {
///     match transcript.fold(event) {
///         Change::Added(entry) | Change::Updated(entry) | Change::Appended { entry, .. } => {
///             transcript.entry(entry).into_iter().for_each(draw);
///         }
///         Change::Plan => { /* show transcript.plan() */ }
///         _ => {}
///     }
/// }
/// # Ok(()) }
/// ```
///
/// It needs no connection: notifications that come from anywhere will do.
///
/// ```
/// use acp_client::v1::{ContentChunk, SessionNotification, SessionUpdate, ToolCall};
/// use acp_client::{Entry, Transcript};
///
/// let updates = [
///     SessionUpdate::AgentMessageChunk(ContentChunk::text("I look at ")),
///     SessionUpdate::AgentMessageChunk(ContentChunk::text("the log.")),
///     ToolCall::new("call-1", "git log").into(),
/// ];
/// let mut transcript = Transcript::new();
/// for update in updates {
///     transcript.fold_notification(SessionNotification::new("session-1", update));
/// }
/// let lines: Vec<String> = transcript
///     .entries()
///     .filter_map(|(_, entry)| match entry {
///         Entry::Message(message) => Some(format!("{}: {}", message.kind.as_str(), message.text())),
///         Entry::ToolCall(run) => Some(format!("[{}] {}", run.call.status.as_str(), run.call.title)),
///         _ => None,
///     })
///     .collect();
/// assert_eq!(lines, ["agent_message: I look at the log.", "[pending] git log"]);
/// ```
///
/// # How updates become entries
///
/// * Entries stand in the order in which they first appeared, and later updates for their ids
///   change them where they stand.
/// * Pieces of messages of one kind and id are one message. Pieces without an id join the last
///   entry, if that is a message of their kind without an id, and begin a new message otherwise.
/// * Neighbouring pieces of text become one block, unless their annotations or `_meta` differ.
/// * A tool call that is updated before it was announced, as permission requests do, is an entry
///   all the same. One that is announced again keeps what the announcement leaves out.
/// * Plan, commands, mode and config options are replaced as a whole; title, time and compactions
///   are patched.
/// * `_meta` of the pieces of a message, of a tool call and of the session are joined by name.
/// * Updates of kinds that this version does not know are entries as they came. They and
///   [notices](Self::notices) do not part what stands around them.
///
/// # Memory
///
/// A transcript keeps all of a conversation, unless [`with_limit`](Self::with_limit) says how many
/// entries.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transcript {
    session: Option<SessionId>,
    timeline: Timeline,
    /// What the agent has repeated so far of the prompt that is the last entry.
    echo: Option<Message>,
    plan: Option<Plan>,
    commands: Option<AvailableCommandsUpdate>,
    mode: Option<CurrentModeUpdate>,
    config: Option<ConfigOptionUpdate>,
    usage: Option<UsageUpdate>,
    title: Option<String>,
    updated_at: Option<String>,
    meta: Option<Meta>,
    notices: VecDeque<Notice>,
}

impl Transcript {
    /// An empty transcript.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The transcript of this session: empty, but for the mode and the config options that the
    /// session has.
    #[must_use]
    pub fn for_session(session: &Session) -> Self {
        let mut transcript = Self::default();
        transcript.fold_session(session);
        transcript
    }

    /// Keeps at most so many entries, at least one, and as many notices: the oldest go. An update
    /// for one that has gone makes a new entry. How large an entry becomes is the agent's affair.
    #[must_use]
    pub fn with_limit(mut self, entries: usize) -> Self {
        self.timeline.set_limit(entries);
        self.shorten_notices();
        self
    }

    /// The session, if it is known.
    #[must_use]
    pub const fn session_id(&self) -> Option<&SessionId> {
        self.session.as_ref()
    }

    /// The entries, each with its number. Numbers count from 0 and stay what they are, also when
    /// older entries go.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = (usize, &Entry)> + ExactSizeIterator {
        self.timeline.iter()
    }

    /// The entry with this number, if it is still kept.
    #[must_use]
    pub fn entry(&self, number: usize) -> Option<&Entry> {
        self.timeline.get(number)
    }

    /// The tool call with this id, if it is still kept.
    #[must_use]
    pub fn tool_call(&self, id: &ToolCallId) -> Option<&ToolRun> {
        match self.timeline.find(&Key::ToolCall(id.clone())) {
            Some(Entry::ToolCall(run)) => Some(run),
            _ => None,
        }
    }

    /// The plan.
    #[must_use]
    pub const fn plan(&self) -> Option<&Plan> {
        self.plan.as_ref()
    }

    /// The slash commands.
    #[must_use]
    pub fn commands(&self) -> &[AvailableCommand] {
        self.commands.as_ref().map_or(&[], |update| &update.available_commands)
    }

    /// The current mode.
    #[must_use]
    pub fn mode(&self) -> Option<&SessionModeId> {
        self.mode.as_ref().map(|update| &update.current_mode_id)
    }

    /// The config options with their current values.
    #[must_use]
    pub fn config_options(&self) -> &[SessionConfigOption] {
        self.config.as_ref().map_or(&[], |update| &update.config_options)
    }

    /// How full the context is, in tokens, and what the session has cost as far as the agent has
    /// ever said.
    #[must_use]
    pub const fn usage(&self) -> Option<&UsageUpdate> {
        self.usage.as_ref()
    }

    /// The title of the session.
    #[must_use]
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// When something last happened in the session, as ISO 8601.
    #[must_use]
    pub fn updated_at(&self) -> Option<&str> {
        self.updated_at.as_deref()
    }

    /// Data of extensions about the session.
    #[must_use]
    pub const fn meta(&self) -> Option<&Meta> {
        self.meta.as_ref()
    }

    /// The notices, oldest first. They are no part of the conversation, and agents do not send them
    /// again when the session is loaded.
    pub fn notices(&self) -> impl DoubleEndedIterator<Item = &Notice> + ExactSizeIterator {
        self.notices.iter()
    }

    /// The transcript as JSON on one line, of a form of our own. It also implements `Serialize` and
    /// `Deserialize`.
    ///
    /// ```
    /// use acp_client::Transcript;
    ///
    /// let mut transcript = Transcript::new();
    /// transcript.prompt("What changed today?");
    /// assert_eq!(Transcript::from_json(&transcript.to_json())?, transcript);
    /// # Ok::<(), acp_client::ReadError>(())
    /// ```
    #[must_use]
    pub fn to_json(&self) -> String {
        acp_json::to_string(self)
    }

    /// Reads what [`to_json`](Self::to_json) wrote. Folding can go on from there.
    ///
    /// # Errors
    /// The text is not JSON or no transcript; the error names the path.
    pub fn from_json(text: &str) -> Result<Self, ReadError> {
        acp_json::from_str(text)
    }

    fn shorten_notices(&mut self) {
        let kept = self.timeline.limit().unwrap_or(usize::MAX);
        let excess = self.notices.len().saturating_sub(kept);
        self.notices.drain(..excess);
    }
}
