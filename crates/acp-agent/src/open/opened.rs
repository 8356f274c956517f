//! The result of a handler that opens a session.

use std::fmt;

use acp_types::Meta;
use acp_types::v1::{SessionConfigOption, SessionId, SessionModeState};

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
    pub(crate) meta: Option<Meta>,
}

impl<T> Opened<T> {
    /// Creates the result with the agent's `state`.
    pub const fn new(state: T) -> Self {
        Opened { state, session_id: None, modes: None, config_options: None, meta: None }
    }

    /// Sets the session's id, in place of the one that [`NewSession`](crate::NewSession) suggests.
    /// It must be unique. Only `new_session` can set it.
    #[must_use]
    pub fn session_id(mut self, id: impl Into<SessionId>) -> Self {
        self.session_id = Some(id.into());
        self
    }

    /// Sets the session's modes, which `set_mode` switches between.
    #[must_use]
    pub fn modes(mut self, modes: impl Into<SessionModeState>) -> Self {
        self.modes = Some(modes.into());
        self
    }

    /// Sets the session's config options, which `set_config_option` changes.
    #[must_use]
    pub fn config_options(mut self, options: impl Into<Vec<SessionConfigOption>>) -> Self {
        self.config_options = Some(options.into());
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
