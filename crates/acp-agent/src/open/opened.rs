//! The result of a handler that opens a session.

use std::fmt;

use acp_types::Meta;
use acp_types::v1::{
    AvailableCommand, SessionConfigId, SessionConfigOption, SessionConfigValue, SessionId, SessionModeId,
    SessionModeState,
};

/// The result of opening a session: the agent's state of it, and the settings that the client gets.
///
/// ```
/// use acp_agent::Opened;
/// use acp_agent::types::{SessionMode, SessionModeState};
///
/// let modes = SessionModeState::new(
///     "ask",
///     [SessionMode::new("ask", "Ask"), SessionMode::new("code", "Code")],
/// );
/// let opened = Opened::new("my state").modes(modes);
/// ```
#[derive(Clone, Default)]
pub struct Opened<T> {
    pub(crate) state: T,
    pub(crate) session_id: Option<SessionId>,
    pub(crate) modes: Option<SessionModeState>,
    pub(crate) config_options: Option<Vec<SessionConfigOption>>,
    pub(crate) current_mode: Option<SessionModeId>,
    pub(crate) config_values: Vec<(SessionConfigId, SessionConfigValue)>,
    pub(crate) commands: Option<Vec<AvailableCommand>>,
    pub(crate) meta: Option<Meta>,
}

impl<T> Opened<T> {
    /// Creates the result with the agent's `state`.
    pub const fn new(state: T) -> Self {
        Opened {
            state,
            session_id: None,
            modes: None,
            config_options: None,
            current_mode: None,
            config_values: Vec::new(),
            commands: None,
            meta: None,
        }
    }

    /// Sets the session's id, in place of the one that [`NewSession`](crate::NewSession) suggests.
    /// It must be unique. Only `new_session` can set it.
    #[must_use]
    pub fn session_id(mut self, id: impl Into<SessionId>) -> Self {
        self.session_id = Some(id.into());
        self
    }

    /// Sets the session's modes, which `set_mode` switches between.
    ///
    /// The current one is that of a new session. If `new_session` is called for a session out of
    /// the agent's store, the session keeps the mode that it had, as long as the list has it, and
    /// the client is told so. [`current_mode`](Self::current_mode) overrules that.
    ///
    /// `load_session`, `resume_session` and `fork_session` are only for sessions that exist. There
    /// the current mode counts as it is stated, and a session keeps its modes if none are stated.
    #[must_use]
    pub fn modes(mut self, modes: impl Into<SessionModeState>) -> Self {
        self.modes = Some(modes.into());
        self
    }

    /// Sets the current mode, whatever mode the session had before. The session must have it.
    #[must_use]
    pub fn current_mode(mut self, mode: impl Into<SessionModeId>) -> Self {
        self.current_mode = Some(mode.into());
        self
    }

    /// Sets the session's config options, which `set_config_option` changes.
    ///
    /// Their values are those of a new session. They are restored as the [modes](Self::modes) are:
    /// an option keeps the value that it had, as long as it takes it.
    #[must_use]
    pub fn config_options(mut self, options: impl Into<Vec<SessionConfigOption>>) -> Self {
        self.config_options = Some(options.into());
        self
    }

    /// Sets the value of a config option, whatever value it had before. The session must have the
    /// option, and the option must take the value.
    #[must_use]
    pub fn config_value(mut self, id: impl Into<SessionConfigId>, value: SessionConfigValue) -> Self {
        self.config_values.push((id.into(), value));
        self
    }

    /// Sets the slash commands that this session has beside those with handlers. The client gets
    /// all of them after the answer. [`Turn::command`](crate::Turn::command) returns the one that a
    /// prompt calls, and [`available_commands`](crate::SessionUpdates::available_commands) replaces
    /// them later.
    ///
    /// The session is not opened if a command has a name that another one has, also one with a
    /// handler, or a name that a prompt cannot have: see [`CommandsError`](crate::CommandsError).
    #[must_use]
    pub fn commands(mut self, commands: impl Into<Vec<AvailableCommand>>) -> Self {
        self.commands = Some(commands.into());
        self
    }

    /// Sets the `_meta` of the answer.
    #[must_use]
    pub fn meta(mut self, meta: impl Into<Meta>) -> Self {
        self.meta = Some(meta.into());
        self
    }
}

impl<T> From<T> for Opened<T> {
    fn from(state: T) -> Self {
        Opened::new(state)
    }
}

impl<T> fmt::Debug for Opened<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Opened").field("session_id", &self.session_id).finish_non_exhaustive()
    }
}
