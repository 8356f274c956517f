//! Settings of a session: its modes and its config options.

use std::fmt::Display;
use std::sync::{Mutex, MutexGuard, PoisonError};

use acp_rpc::Error as RpcError;
use acp_types::v1::{
    ClientCapabilities, SessionConfigKind, SessionConfigOption, SessionId, SessionModeId, SessionModeState,
    SessionUpdate, SetSessionConfigOptionRequest,
};

/// The settings of an open session, as the client knows them.
pub(crate) struct Settings {
    /// The modes; `None` if the opening named none.
    modes: Option<SessionModeState>,
    /// The config options; `None` while there are none to set.
    options: Mutex<Option<Vec<SessionConfigOption>>>,
}

impl Settings {
    pub(crate) fn new(modes: Option<&SessionModeState>, options: Option<&[SessionConfigOption]>) -> Self {
        Settings { modes: modes.cloned(), options: Mutex::new(options.map(<[_]>::to_vec)) }
    }

    /// Refuses modes that the session does not have.
    pub(crate) fn check_mode(&self, session: &SessionId, mode: &SessionModeId) -> Result<(), RpcError> {
        let Some(modes) = &self.modes else {
            return Err(RpcError::invalid_params(format!("session `{session}` has no modes")));
        };
        modes.check(mode).map_err(|error| invalid(session, "modeId", &error))
    }

    /// Refuses config options that the session does not have, and values that the option does not
    /// take.
    pub(crate) fn check_option(&self, request: &SetSessionConfigOptionRequest) -> Result<(), RpcError> {
        let session = &request.session_id;
        let options = self.options();
        let Some(options) = &*options else {
            return Err(RpcError::invalid_params(format!("session `{session}` has no config options")));
        };
        SessionConfigOption::check(options, &request.config_id, &request.value)
            .map_err(|error| invalid(session, error.field(), &error))
    }

    /// Keeps the options that the client knows. They replace all earlier ones (rule `v1-cfg-10`).
    pub(crate) fn set_options(&self, options: &[SessionConfigOption]) {
        *self.options() = Some(options.to_vec());
    }

    /// Notes an update that the client is about to get.
    pub(crate) fn observe(&self, update: &SessionUpdate) {
        if let SessionUpdate::ConfigOptionUpdate(update) = update {
            self.set_options(&update.config_options);
        }
    }

    fn options(&self) -> MutexGuard<'_, Option<Vec<SessionConfigOption>>> {
        // Nothing but assignments and reads runs under this lock.
        self.options.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the error for a member of a request that does not fit the session.
fn invalid(session: &SessionId, field: &str, problem: &dyn Display) -> RpcError {
    RpcError::invalid_params(format!("`{field}` {problem} (session `{session}`)"))
}

/// Removes the options that the client cannot show (rule `v1-cap-18`). The agent keeps their
/// values.
pub(crate) fn retain_offered(options: &mut Vec<SessionConfigOption>, client: &ClientCapabilities) {
    let offered = client.session.as_ref().and_then(|session| session.config_options.as_ref());
    if offered.is_none_or(|offered| offered.boolean.is_none()) {
        options.retain(|option| !matches!(option.kind, SessionConfigKind::Boolean(_)));
    }
}
