//! The modes and config options of a session, for both sides.
//!
//! In version 2 a config option has the modes. They become modes again, because the client of the
//! bridge may know nothing else.

use acp_agent::types::{
    SessionConfigKind, SessionConfigOption, SessionConfigOptionCategory, SessionModeId, SessionModeState,
};
use acp_client::{ProtocolVersion, Session};

/// The settings that the client knows.
#[derive(Debug, Default)]
pub(super) struct Settings {
    pub(super) modes: Option<SessionModeState>,
    pub(super) options: Vec<SessionConfigOption>,
    /// Set if an option has the modes.
    has_mode_option: bool,
}

/// A change of the settings, for the client.
#[derive(Debug, Default)]
pub(super) struct Changed {
    pub(super) mode: Option<SessionModeId>,
    pub(super) options: Option<Vec<SessionConfigOption>>,
}

impl Settings {
    pub(super) fn of(session: &Session) -> Self {
        let modes = session.modes().cloned();
        let is_of_options = session.agent().protocol_version() >= ProtocolVersion::V2;
        let has_mode_option = is_of_options && modes.is_some();
        let mut settings = Self { modes, options: Vec::new(), has_mode_option };
        settings.options = settings.without_modes(session.config_options().to_vec());
        settings
    }

    /// Takes the options out of a list that are not the modes.
    pub(super) fn without_modes(&self, mut options: Vec<SessionConfigOption>) -> Vec<SessionConfigOption> {
        if let Some(at) = options.iter().position(is_modes).filter(|_| self.has_mode_option) {
            options.remove(at);
        }
        options
    }

    /// Takes over all options as the agent has them now. Returns the difference for the client.
    pub(super) fn take(&mut self, options: Vec<SessionConfigOption>) -> Changed {
        let mode = options.iter().find(|option| is_modes(option)).filter(|_| self.has_mode_option);
        let mode = mode.and_then(current).filter(|mode| {
            self.modes.as_ref().is_some_and(|modes| modes.current_mode_id.as_str() != mode.as_str())
        });
        if let (Some(mode), Some(modes)) = (&mode, &mut self.modes) {
            modes.current_mode_id = mode.clone();
        }
        let rest = self.without_modes(options);
        // The list comes with every change of the mode, too.
        let is_new = !self.has_mode_option || rest != self.options;
        self.options.clone_from(&rest);
        Changed { mode, options: is_new.then_some(rest) }
    }

    pub(super) fn set_mode(&mut self, mode: SessionModeId) {
        if let Some(modes) = &mut self.modes {
            modes.current_mode_id = mode;
        }
    }
}

fn is_modes(option: &SessionConfigOption) -> bool {
    let is_of_mode = option.category == Some(SessionConfigOptionCategory::Mode);
    is_of_mode && matches!(option.kind, SessionConfigKind::Select(_))
}

fn current(option: &SessionConfigOption) -> Option<SessionModeId> {
    match &option.kind {
        SessionConfigKind::Select(choice) => Some(choice.current_value.as_str().into()),
        _ => None,
    }
}
