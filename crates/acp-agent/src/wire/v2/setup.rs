//! The answers to requests that open a session or change its settings.

use acp_types::Meta;
use acp_types::v1::{
    AvailableCommand, SessionConfigOption, SessionConfigOptionCategory, SessionId, SessionModeState,
};
use serde_core::ser::{Serialize, SerializeMap as _, Serializer};

use super::as_is::{member, meta, optional};
use super::commands::Commands;
use super::config::ConfigOptions;

/// The answer to a request that opens a session.
pub(in crate::wire) struct Opened {
    /// The session's id, if the client does not know it.
    pub(in crate::wire) session: Option<SessionId>,
    pub(in crate::wire) modes: Option<SessionModeState>,
    pub(in crate::wire) options: Option<Vec<SessionConfigOption>>,
    pub(in crate::wire) commands: Option<Vec<AvailableCommand>>,
    pub(in crate::wire) meta: Option<Meta>,
}

/// The answer to a request that has changed a setting.
pub(in crate::wire) struct Changed {
    pub(in crate::wire) modes: Option<SessionModeState>,
    pub(in crate::wire) options: Vec<SessionConfigOption>,
    pub(in crate::wire) meta: Option<Meta>,
}

impl Serialize for Opened {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut result = serializer.serialize_map(None)?;
        optional(&mut result, "sessionId", self.session.as_ref())?;
        if self.modes.is_some() || self.options.is_some() {
            let options = self.options.as_deref().unwrap_or_default();
            let options = ConfigOptions { modes: self.modes.as_ref(), options };
            member(&mut result, "configOptions", &options)?;
        }
        if let Some(commands) = &self.commands {
            member(&mut result, "availableCommands", &Commands(commands))?;
        }
        meta(&mut result, self.meta.as_ref())?;
        result.end()
    }
}

impl Serialize for Changed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut result = serializer.serialize_map(None)?;
        let options = ConfigOptions { modes: self.modes.as_ref(), options: &self.options };
        member(&mut result, "configOptions", &options)?;
        meta(&mut result, self.meta.as_ref())?;
        result.end()
    }
}

/// Returns the id of the config option that stands for the modes. An agent that has an option of
/// the category `mode` itself needs none.
pub(in crate::wire) fn mode_option(options: &[SessionConfigOption]) -> Option<&'static str> {
    let is_mode =
        |option: &SessionConfigOption| matches!(option.category, Some(SessionConfigOptionCategory::Mode));
    if options.iter().any(is_mode) {
        return None;
    }
    Some(if options.iter().any(|option| option.id.as_str() == "mode") { "_mode" } else { "mode" })
}
