//! The state that a client shows of a session, folded from its updates.

mod change;
mod compaction;
mod content;
mod display_terminal;
mod entry;
mod fold;
mod fold_patches;
mod json;
mod json_terminal;
mod message;
mod output;
mod plans;
mod prompt;
mod said;
pub mod sanitize;
mod terminals;
mod timeline;
mod tool_run;

use std::collections::VecDeque;

use acp_json::ReadError;
use acp_types::Meta;
use acp_types::v1::{
    AvailableCommand, AvailableCommandsUpdate, ConfigOptionUpdate, CurrentModeUpdate, Notice, Plan,
    SessionConfigOption, SessionId, SessionModeId, TerminalId, ToolCallId, UsageUpdate,
};

use crate::Session;
use crate::event::MessageKind;

pub use change::Change;
pub use compaction::Compaction;
pub use display_terminal::DisplayTerminal;
pub use entry::Entry;
pub use message::Message;
pub use plans::NamedPlan;
pub use tool_run::ToolRun;

use terminals::Terminals;
use timeline::{Key, Timeline};

/// A session as its updates describe it: the conversation as a list of entries, and the state of
/// the session as a whole.
///
/// Give it every [`Event`](crate::Event) of a session in order ([`fold`](Self::fold)), and the
/// prompts, because agents need not repeat them ([`prompt`](Self::prompt)). Each fold returns a
/// [`Change`] that names the parts to draw again. The events of a turn and those of a loaded
/// session make the same transcript. So do the pieces of a message, however it was cut.
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
/// It needs no connection. Notifications from any source will do.
///
/// ```
/// use acp_client::types::{ContentChunk, SessionNotification, SessionUpdate, ToolCall};
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
///         Entry::Message(said) => Some(format!("{}: {}", said.kind.as_str(), said.text())),
///         Entry::ToolCall(run) => {
///             Some(format!("[{}] {}", run.call.status.as_str(), run.call.title))
///         }
///         _ => None,
///     })
///     .collect();
/// assert_eq!(lines, ["agent_message: I look at the log.", "[pending] git log"]);
/// ```
///
/// # How updates become entries
///
/// * Entries stand in the order in which they first appeared. Later updates with their ids change
///   them in place.
/// * Pieces of messages of one kind and id are one message. A piece without an id joins the last
///   entry if that is a message of its kind without an id. Otherwise it begins a new message.
/// * Neighbouring pieces of text become one block, unless their annotations or `_meta` differ.
/// * A tool call that is updated before it was announced is an entry too. Permission requests do
///   that. If the call is announced later, members that the announcement leaves out stay.
/// * Plan, commands, mode and config options are replaced as a whole. Title, time and compactions
///   are patched.
/// * `_meta` of the pieces of a message, of a tool call and of the session is joined by name; a
///   `null` removes its name.
/// * A message that is replaced, and a piece of a tool call's content, change the entry in place.
///   Terminals of the agent are no entries: see [`terminals`](Self::terminals).
/// * Updates of unknown kinds are entries as they came. They and [notices](Self::notices) do not
///   separate the entries around them.
///
/// # Memory
///
/// A transcript keeps the whole conversation, unless [`with_limit`](Self::with_limit) sets a number
/// of entries. Of the output of a terminal it keeps the newest 1 MiB.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transcript {
    session: Option<SessionId>,
    timeline: Timeline,
    /// The agent's repetition so far of the prompt that is the last entry.
    echo: Option<Message>,
    terminals: Terminals,
    plan: Option<Plan>,
    named_plans: Vec<NamedPlan>,
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
    /// Creates an empty transcript.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates the transcript of this session. It is empty apart from the session's mode and config
    /// options.
    #[must_use]
    pub fn for_session(session: &Session) -> Self {
        let mut transcript = Self::default();
        transcript.fold_session(session);
        transcript
    }

    /// Limits the number of entries (at least one) and of notices. The oldest are dropped. An
    /// update for a dropped entry makes a new one. The size of an entry is not limited. As many
    /// terminals are kept, the newest.
    #[must_use]
    pub fn with_limit(mut self, entries: usize) -> Self {
        self.timeline.set_limit(entries);
        self.terminals.shorten(self.timeline.limit());
        self.shorten_notices();
        self
    }

    /// Returns the session, if it is known.
    #[must_use]
    pub const fn session_id(&self) -> Option<&SessionId> {
        self.session.as_ref()
    }

    /// Returns the entries, each with its number. Numbers count from 0 and stay the same when older
    /// entries are dropped.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = (usize, &Entry)> + ExactSizeIterator {
        self.timeline.iter()
    }

    /// Returns the entry with this number, if it is still kept.
    #[must_use]
    pub fn entry(&self, number: usize) -> Option<&Entry> {
        self.timeline.get(number)
    }

    /// Returns the tool call with this id, if it is still kept.
    #[must_use]
    pub fn tool_call(&self, id: &ToolCallId) -> Option<&ToolRun> {
        match self.timeline.find(&Key::ToolCall(id.clone())) {
            Some(Entry::ToolCall(run)) => Some(run),
            _ => None,
        }
    }

    /// Returns the terminals of the agent, each with its number, in the order in which they first
    /// appeared. Numbers count from 0 and stay the same when older terminals are dropped.
    pub fn terminals(
        &self,
    ) -> impl DoubleEndedIterator<Item = (usize, &DisplayTerminal)> + ExactSizeIterator {
        self.terminals.iter()
    }

    /// Returns the terminal of the agent with this id, if it is still kept.
    #[must_use]
    pub fn terminal(&self, id: &TerminalId) -> Option<&DisplayTerminal> {
        self.terminals.find(id)
    }

    /// Returns the plan.
    #[must_use]
    pub const fn plan(&self) -> Option<&Plan> {
        self.plan.as_ref()
    }

    /// Returns the slash commands. A prompt calls one if its text begins with `/` and the name:
    /// `session.prompt("/review main")`.
    #[must_use]
    pub fn commands(&self) -> &[AvailableCommand] {
        self.commands.as_ref().map_or(&[], |update| &update.available_commands)
    }

    /// Returns the current mode.
    #[must_use]
    pub fn mode(&self) -> Option<&SessionModeId> {
        self.mode.as_ref().map(|update| &update.current_mode_id)
    }

    /// Returns the config options with their current values.
    #[must_use]
    pub fn config_options(&self) -> &[SessionConfigOption] {
        self.config.as_ref().map_or(&[], |update| &update.config_options)
    }

    /// Returns the fill level of the context, in tokens, and the latest cost of the session that
    /// the agent has reported.
    #[must_use]
    pub const fn usage(&self) -> Option<&UsageUpdate> {
        self.usage.as_ref()
    }

    /// Returns the title of the session.
    #[must_use]
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// Returns the time of the last activity in the session, as ISO 8601.
    #[must_use]
    pub fn updated_at(&self) -> Option<&str> {
        self.updated_at.as_deref()
    }

    /// Returns the data of extensions about the session.
    #[must_use]
    pub const fn meta(&self) -> Option<&Meta> {
        self.meta.as_ref()
    }

    /// Returns the notices, oldest first. They do not belong to the conversation, and agents do not
    /// send them again when the session is loaded.
    pub fn notices(&self) -> impl DoubleEndedIterator<Item = &Notice> + ExactSizeIterator {
        self.notices.iter()
    }

    /// Returns the transcript as JSON on one line, in a form of our own. The type also implements
    /// `Serialize` and `Deserialize`.
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

    /// Reads the output of [`to_json`](Self::to_json). Folding can go on from there.
    ///
    /// # Errors
    /// The text is not JSON, or is not a transcript. The error names the path.
    pub fn from_json(text: &str) -> Result<Self, ReadError> {
        acp_json::from_str(text)
    }

    fn shorten_notices(&mut self) {
        let kept = self.timeline.limit().unwrap_or(usize::MAX);
        let excess = self.notices.len().saturating_sub(kept);
        self.notices.drain(..excess);
    }
}
