//! Settings of a session: its modes and its config options.

use std::sync::{Mutex, MutexGuard, PoisonError};

use acp_rpc::Error as RpcError;
use acp_types::v1::{
    ClientCapabilities, SessionConfigKind, SessionConfigOption, SessionConfigSelect,
    SessionConfigSelectOption, SessionConfigSelectOptions, SessionConfigValue, SessionId, SessionModeId,
    SessionModeState, SessionUpdate, SetSessionConfigOptionRequest,
};

/// The settings of an open session, as the client knows them.
pub(crate) struct Settings {
    /// The modes; `None` if the opening named none.
    modes: Option<Vec<SessionModeId>>,
    /// The config options; `None` while there are none to set.
    options: Mutex<Option<Vec<SessionConfigOption>>>,
}

impl Settings {
    pub(crate) fn new(modes: Option<&SessionModeState>, options: Option<&[SessionConfigOption]>) -> Self {
        let modes = modes.map(|modes| modes.available_modes.iter().map(|mode| mode.id.clone()).collect());
        Settings { modes, options: Mutex::new(options.map(<[_]>::to_vec)) }
    }

    /// Refuses modes that the session does not have (rule `v1-mode-02`).
    pub(crate) fn check_mode(&self, session: &SessionId, mode: &SessionModeId) -> Result<(), RpcError> {
        let Some(modes) = &self.modes else {
            return Err(RpcError::invalid_params(format!("session `{session}` has no modes")));
        };
        if modes.contains(mode) {
            return Ok(());
        }
        Err(RpcError::invalid_params(format!(
            "`modeId`: session `{session}` has no such mode; its modes are {}",
            names(modes),
        )))
    }

    /// Refuses config options that the session does not have, and values that the option does not
    /// take (rules `v1-cfg-09`, `v1-cfg-11`).
    pub(crate) fn check_option(&self, request: &SetSessionConfigOptionRequest) -> Result<(), RpcError> {
        let session = &request.session_id;
        let options = self.options();
        let Some(options) = &*options else {
            return Err(RpcError::invalid_params(format!("session `{session}` has no config options")));
        };
        let Some(option) = options.iter().find(|option| option.id == request.config_id) else {
            return Err(RpcError::invalid_params(format!(
                "`configId`: session `{session}` has no such config option; its options are {}",
                names(options.iter().map(|option| &option.id)),
            )));
        };
        check_value(option, &request.value)
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

fn check_value(option: &SessionConfigOption, value: &SessionConfigValue) -> Result<(), RpcError> {
    let id = &option.id;
    match (&option.kind, value) {
        (SessionConfigKind::Select(select), SessionConfigValue::Boolean { .. }) => {
            Err(RpcError::invalid_params(format!(
                "`value`: config option `{id}` takes the id of a value, not a boolean; its values are {}",
                names(values(select).map(|value| &value.value)),
            )))
        }
        (SessionConfigKind::Select(select), value) => {
            if id_of(value).is_some_and(|id| values(select).any(|known| known.value.as_str() == id)) {
                return Ok(());
            }
            Err(RpcError::invalid_params(format!(
                "`value`: config option `{id}` has no such value; its values are {}",
                names(values(select).map(|value| &value.value)),
            )))
        }
        (SessionConfigKind::Boolean(_), SessionConfigValue::Id { .. } | SessionConfigValue::Unknown(_)) => {
            Err(RpcError::invalid_params(format!(
                "`value`: config option `{id}` is on or off: send `true` or `false`, with `\"type\": \"boolean\"`"
            )))
        }
        // The agent knows the values of kinds that are unknown here.
        _ => Ok(()),
    }
}

/// Returns the id in a value. A string of an unknown type is an id, too (rule `v1-cfg-15`).
fn id_of(value: &SessionConfigValue) -> Option<&str> {
    match value {
        SessionConfigValue::Id { value } => Some(value.as_str()),
        SessionConfigValue::Unknown(unknown) => unknown.members().get("value")?.as_str(),
        _ => None,
    }
}

/// Returns the values of a select option, with or without groups.
fn values(select: &SessionConfigSelect) -> impl Iterator<Item = &SessionConfigSelectOption> {
    let (flat, groups) = match &select.options {
        SessionConfigSelectOptions::Ungrouped(options) => (options.as_slice(), [].as_slice()),
        SessionConfigSelectOptions::Grouped(groups) => ([].as_slice(), groups.as_slice()),
        _ => ([].as_slice(), [].as_slice()),
    };
    flat.iter().chain(groups.iter().flat_map(|group| &group.options))
}

/// Lists ids in a message.
pub(crate) fn names<T: std::fmt::Display>(ids: impl IntoIterator<Item = T>) -> String {
    let names: Vec<_> = ids.into_iter().map(|id| format!("`{id}`")).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

/// Removes the options that the client cannot show (rule `v1-cap-18`). The agent keeps their
/// values.
pub(crate) fn retain_offered(options: &mut Vec<SessionConfigOption>, client: &ClientCapabilities) {
    let offered = client.session.as_ref().and_then(|session| session.config_options.as_ref());
    if offered.is_none_or(|offered| offered.boolean.is_none()) {
        options.retain(|option| !matches!(option.kind, SessionConfigKind::Boolean(_)));
    }
}
