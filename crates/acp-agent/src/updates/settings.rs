//! Settings of a session: its modes and its config options.

use std::fmt::Display;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use acp_rpc::Error as RpcError;
#[cfg(feature = "v2")]
use acp_types::v1::SessionConfigId;
use acp_types::v1::{
    ClientCapabilities, SessionConfigKind, SessionConfigOption, SessionConfigValue, SessionId, SessionModeId,
    SessionModeState, SessionUpdate, SetSessionConfigOptionRequest,
};
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::store::settings_json;
#[cfg(feature = "v2")]
use crate::wire::Wire;
use crate::wire::settings::KnownSettings;

/// The settings of an open session, as the client knows them.
pub(crate) struct Settings {
    state: Mutex<State>,
    /// One permit, for the client's change that is tried.
    turnstile: Semaphore,
}

/// The modes and config options at one moment.
#[derive(Clone)]
pub(super) struct State {
    /// The modes with the current one; `None` if the opening named none.
    modes: Option<SessionModeState>,
    /// The config options; `None` while there are none to set.
    options: Option<Vec<SessionConfigOption>>,
    /// The config options that this client cannot show. They keep their values.
    hidden: Vec<SessionConfigOption>,
    /// The number of times that the mode was set.
    mode_changes: u64,
    /// The number of times that the options were set.
    option_changes: u64,
}

/// A change of the settings that can be undone.
pub(super) struct Changed {
    before: State,
    /// The counts of changes right after it.
    modes: u64,
    options: u64,
}

impl Settings {
    /// Creates the settings of a session. `hidden` are those of the config options that the client
    /// cannot show.
    pub(crate) fn new(
        modes: Option<SessionModeState>,
        options: Option<Vec<SessionConfigOption>>,
        hidden: Vec<SessionConfigOption>,
    ) -> Self {
        let state = State { modes, options, hidden, mode_changes: 0, option_changes: 0 };
        Settings { state: Mutex::new(state), turnstile: Semaphore::new(1) }
    }

    /// Returns the current mode; `None` if the session has no modes.
    pub(crate) fn mode(&self) -> Option<SessionModeId> {
        self.state().modes.as_ref().map(|modes| modes.current_mode_id.clone())
    }

    /// Returns the current value of a config option; `None` if the session has no such option.
    pub(crate) fn config_value(&self, id: &str) -> Option<SessionConfigValue> {
        let state = self.state();
        let found = state.all_options().find(|option| option.id.as_str() == id)?;
        found.current_value()
    }

    /// Refuses modes that the session does not have.
    pub(crate) fn check_mode(&self, session: &SessionId, mode: &SessionModeId) -> Result<(), RpcError> {
        let state = self.state();
        let Some(modes) = &state.modes else {
            return Err(RpcError::invalid_params(format!("session `{session}` has no modes")));
        };
        modes.check(mode).map_err(|error| invalid(session, "modeId", &error))
    }

    /// Refuses config options that the session does not have, and values that the option does not
    /// take.
    pub(crate) fn check_option(&self, request: &SetSessionConfigOptionRequest) -> Result<(), RpcError> {
        let session = &request.session_id;
        let state = self.state();
        let Some(options) = &state.options else {
            return Err(RpcError::invalid_params(format!("session `{session}` has no config options")));
        };
        SessionConfigOption::check(options, &request.config_id, &request.value)
            .map_err(|error| invalid(session, error.field(), &error))
    }

    /// Returns whether this is the config option that stands for the modes.
    #[cfg(feature = "v2")]
    pub(crate) fn is_mode_option(&self, wire: &Wire, option: &SessionConfigId) -> bool {
        let state = self.state();
        let shown = state.options.as_deref().unwrap_or_default();
        state.modes.is_some() && wire.mode_option(shown) == Some(option.as_str())
    }

    /// Waits until no other change is tried.
    pub(super) async fn turnstile(&self) -> Option<SemaphorePermit<'_>> {
        // It is never closed.
        self.turnstile.acquire().await.ok()
    }

    /// Changes the settings. [`undo`](Self::undo) takes the value, if the change must not stay.
    pub(super) fn change(&self, change: impl FnOnce(&mut State)) -> Changed {
        let mut state = self.state();
        let before = state.clone();
        change(&mut state);
        Changed { before, modes: state.mode_changes, options: state.option_changes }
    }

    /// Undoes a change. The parts that were changed again since then stay.
    pub(super) fn undo(&self, changed: Changed) {
        let mut state = self.state();
        if state.mode_changes == changed.modes {
            state.modes = changed.before.modes;
        }
        if state.option_changes == changed.options {
            state.options = changed.before.options;
        }
        // No update changes them.
        state.hidden = changed.before.hidden;
    }

    /// Notes an update that the client is about to get. Returns true if it changes the settings.
    pub(super) fn observe(&self, update: &SessionUpdate) -> bool {
        match update {
            SessionUpdate::ConfigOptionUpdate(update) => self.state().set_options(&update.config_options),
            SessionUpdate::CurrentModeUpdate(update) => self.state().set_mode(&update.current_mode_id),
            _ => return false,
        }
        true
    }

    /// Returns the settings as a store keeps them.
    pub(super) fn json(&self) -> Arc<str> {
        self.with(settings_json)
    }

    /// Calls `write` with the modes and all config options, also those that are hidden.
    pub(crate) fn with<T>(
        &self,
        write: impl FnOnce(Option<&SessionModeState>, Option<&[SessionConfigOption]>) -> T,
    ) -> T {
        let state = self.state();
        if state.hidden.is_empty() {
            return write(state.modes.as_ref(), state.options.as_deref());
        }
        let all: Vec<_> = state.all_options().cloned().collect();
        write(state.modes.as_ref(), Some(&all))
    }

    /// Returns the settings that the client knows.
    pub(crate) fn known(&self) -> KnownSettings {
        let state = self.state();
        KnownSettings { modes: state.modes.clone(), options: state.options.clone().unwrap_or_default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing but assignments, reads and clones runs under this lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Switches the mode.
    pub(super) fn set_mode(&mut self, mode: &SessionModeId) {
        if let Some(modes) = &mut self.modes {
            modes.current_mode_id = mode.clone();
            self.mode_changes += 1;
        }
    }

    /// Keeps the options that the client knows. They replace all earlier ones (rule `v1-cfg-10`).
    pub(super) fn set_options(&mut self, options: &[SessionConfigOption]) {
        self.options = Some(options.to_vec());
        self.option_changes += 1;
    }

    /// Keeps the options that the client cannot show.
    pub(super) fn set_hidden(&mut self, hidden: Vec<SessionConfigOption>) {
        self.hidden = hidden;
    }

    /// Returns the options that the client knows, then those that it cannot show. An option that
    /// the client knows is not hidden any more.
    fn all_options(&self) -> impl Iterator<Item = &SessionConfigOption> {
        let shown = self.options.as_deref().unwrap_or_default();
        let hidden = self.hidden.iter().filter(|option| shown.iter().all(|known| known.id != option.id));
        shown.iter().chain(hidden)
    }
}

/// Returns the error for a member of a request that does not fit the session.
fn invalid(session: &SessionId, field: &str, problem: &dyn Display) -> RpcError {
    RpcError::invalid_params(format!("`{field}` {problem} (session `{session}`)"))
}

/// Removes the options that the client cannot show (rule `v1-cap-18`), and returns them. The agent
/// keeps their values.
pub(crate) fn retain_offered(
    options: &mut Vec<SessionConfigOption>,
    client: &ClientCapabilities,
) -> Vec<SessionConfigOption> {
    let offered = client.session.as_ref().and_then(|session| session.config_options.as_ref());
    if offered.is_some_and(|offered| offered.boolean.is_some()) {
        return Vec::new();
    }
    let all = std::mem::take(options);
    let is_boolean = |option: &SessionConfigOption| matches!(option.kind, SessionConfigKind::Boolean(_));
    let (hidden, shown) = all.into_iter().partition(is_boolean);
    *options = shown;
    hidden
}
