//! The state of a stored session, for the handler and the answer that open it again.

use acp_types::v1::{
    SessionConfigId, SessionConfigKind, SessionConfigOption, SessionConfigValue, SessionModeId,
    SessionModeState,
};

use crate::error::{Error, Result};
use crate::open::opening::Opening;
use crate::open::request::OpensSession;
use crate::store::StoredState;

/// The state of a stored session. A fork starts with the state of the session that it forks, and a
/// new session has none.
impl<O: OpensSession> Opening<O> {
    /// Returns the mode that the session had last.
    #[must_use]
    pub fn mode(&self) -> Option<SessionModeId> {
        Some(self.restored()?.modes()?.current_mode_id.clone())
    }

    /// Returns the value that a config option of the session had last.
    #[must_use]
    pub fn config_value(&self, id: &str) -> Option<SessionConfigValue> {
        let mut options = self.restored()?.config_options()?.iter();
        options.find(|option| option.id.as_str() == id)?.current_value()
    }

    /// Returns the value that [`Session::save`](crate::Session::save) saved last.
    ///
    /// ```
    /// # use acp_agent::{NewSession, Opened, Result};
    /// async fn new_session(open: NewSession) -> Result<Opened<Vec<String>>> {
    ///     let notes: Vec<String> = open.saved()?.unwrap_or_default();
    ///     Ok(Opened::new(notes))
    /// }
    /// ```
    ///
    /// # Errors
    /// [`SavedValue`](crate::store::StoreError::SavedValue) if the value is not a `T`.
    #[cfg(feature = "store")]
    pub fn saved<T: serde_core::de::DeserializeOwned>(&self) -> Result<Option<T>, crate::store::StoreError> {
        self.restored().map_or(Ok(None), |state| state.saved(self.session_id()))
    }
}

/// The settings that the handler has stated.
pub(crate) struct Stated {
    pub(crate) modes: Option<SessionModeState>,
    pub(crate) config_options: Option<Vec<SessionConfigOption>>,
    pub(crate) current_mode: Option<SessionModeId>,
    pub(crate) config_values: Vec<(SessionConfigId, SessionConfigValue)>,
}

/// The settings that the answer has.
pub(crate) type Settled = (Option<SessionModeState>, Option<Vec<SessionConfigOption>>);

impl Stated {
    /// Adds the restored settings. The lists of a handler for new sessions are for all sessions, so
    /// their current values give way to those that a session had. A handler that is `only` for
    /// sessions that exist already states their values; lists that it leaves out stay as they were.
    pub(crate) fn settle(self, restored: Option<&StoredState>, only: bool) -> Result<Settled> {
        let Stated { mut modes, mut config_options, current_mode, config_values } = self;
        if let Some(restored) = restored {
            if only {
                modes = modes.or_else(|| restored.modes().cloned());
                config_options = config_options.or_else(|| restored.config_options().map(<[_]>::to_vec));
            } else {
                restore_mode(modes.as_mut(), restored.modes());
                let earlier = restored.config_options().unwrap_or_default();
                restore_values(config_options.as_deref_mut().unwrap_or_default(), earlier);
            }
        }
        if let Some(mode) = current_mode {
            let found = modes.as_mut().filter(|modes| modes.check(&mode).is_ok());
            let modes = found.ok_or_else(|| {
                Error::from(format!(
                    "`Opened::current_mode`: the session has no mode `{mode}`: add it to `modes`"
                ))
            })?;
            modes.current_mode_id = mode;
        }
        for (id, value) in config_values {
            let options = config_options.as_deref_mut().unwrap_or_default();
            SessionConfigOption::check(options, &id, &value).map_err(|error| {
                Error::from(format!("`Opened::config_value`: `{}` {error}", error.field()))
            })?;
            options.iter_mut().filter(|option| option.id == id).for_each(|option| set_value(option, &value));
        }
        Ok((modes, config_options))
    }
}

/// Restores the mode, if the agent still has it.
fn restore_mode(modes: Option<&mut SessionModeState>, earlier: Option<&SessionModeState>) {
    if let (Some(modes), Some(earlier)) = (modes, earlier)
        && modes.check(&earlier.current_mode_id).is_ok()
    {
        modes.current_mode_id = earlier.current_mode_id.clone();
    }
}

/// Restores the values that the options still take.
fn restore_values(options: &mut [SessionConfigOption], earlier: &[SessionConfigOption]) {
    for option in options {
        let earlier = earlier.iter().find(|earlier| earlier.id == option.id);
        if let Some(value) = earlier.and_then(SessionConfigOption::current_value)
            && SessionConfigOption::check(std::slice::from_ref(option), &option.id, &value).is_ok()
        {
            set_value(option, &value);
        }
    }
}

/// Sets the value of an option that takes it.
fn set_value(option: &mut SessionConfigOption, value: &SessionConfigValue) {
    match &mut option.kind {
        SessionConfigKind::Select(select) => {
            if let Some(id) = value.as_id() {
                select.current_value = id.into();
            }
        }
        SessionConfigKind::Boolean(boolean) => {
            boolean.current_value = value.as_bool().unwrap_or(boolean.current_value);
        }
        // Its value is in members that are unknown here.
        _ => {}
    }
}
