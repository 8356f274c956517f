//! The settings of a session, for versions whose updates need all of them.

use acp_types::v1::{SessionConfigOption, SessionModeState, SessionUpdate};

use super::Wire;

/// The modes and the config options of a session, as the client knows them.
#[cfg_attr(not(feature = "v2"), allow(dead_code, reason = "version 2 reads them"))]
pub(crate) struct KnownSettings {
    pub(crate) modes: Option<SessionModeState>,
    pub(crate) options: Vec<SessionConfigOption>,
}

impl KnownSettings {
    /// Returns the settings after an update of the mode. An update of the options has all of them.
    pub(crate) fn after(mut self, update: &SessionUpdate) -> Self {
        if let (SessionUpdate::CurrentModeUpdate(update), Some(modes)) = (update, &mut self.modes) {
            modes.current_mode_id = update.current_mode_id.clone();
        }
        self
    }
}

#[cfg_attr(not(feature = "v2"), allow(unused_variables, reason = "version 1 needs no others"))]
impl Wire {
    /// Returns whether the update is written with all settings of the session. In version 2 modes
    /// are config options, and an update has all of them.
    pub(crate) const fn needs_settings(&self, update: &SessionUpdate) -> bool {
        match self {
            Wire::V1 => false,
            #[cfg(feature = "v2")]
            Wire::V2 => {
                matches!(update, SessionUpdate::ConfigOptionUpdate(_) | SessionUpdate::CurrentModeUpdate(_))
            }
        }
    }
}
