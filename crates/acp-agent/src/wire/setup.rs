//! The answers to requests that open a session or change its settings.

use acp_rpc::Reply;
use acp_types::Meta;
use acp_types::v1::{AvailableCommand, SessionConfigOption, SessionId, SessionModeState};
use serde_core::Serialize;

use super::Wire;
use super::settings::KnownSettings;
#[cfg(feature = "v2")]
use super::v2;

/// The settings in the answer to a request that opens a session.
pub(crate) struct Setup {
    pub(crate) modes: Option<SessionModeState>,
    pub(crate) config_options: Option<Vec<SessionConfigOption>>,
    /// The slash commands, if the client is told them here.
    #[cfg_attr(not(feature = "v2"), allow(dead_code, reason = "version 2 writes them"))]
    pub(crate) commands: Option<Vec<AvailableCommand>>,
    pub(crate) meta: Option<Meta>,
}

impl Wire {
    /// Returns the id of the config option that stands for the modes, beside these options. There
    /// is none if modes are not options, or one of these stands for them.
    #[cfg(feature = "v2")]
    pub(crate) fn mode_option(&self, options: &[SessionConfigOption]) -> Option<&'static str> {
        match self {
            Wire::V1 => None,
            Wire::V2 => v2::setup::mode_option(options),
        }
    }

    /// Returns whether the answer to a request that opens a session has the slash commands.
    pub(crate) const fn opens_with_commands(&self) -> bool {
        match self {
            Wire::V1 => false,
            #[cfg(feature = "v2")]
            Wire::V2 => true,
        }
    }

    /// Writes the answer to a request that opens a session. `is_named` says that the client has
    /// named it, and `answer` makes the answer in the vocabulary.
    #[cfg_attr(not(feature = "v2"), allow(unused_variables, reason = "the vocabulary is version 1"))]
    pub(crate) fn opened<R: Serialize + Send + 'static>(
        &self,
        session: &SessionId,
        is_named: bool,
        setup: Setup,
        answer: impl FnOnce(Setup) -> R,
    ) -> Reply {
        match self {
            Wire::V1 => Reply::new(answer(setup)),
            #[cfg(feature = "v2")]
            Wire::V2 => Reply::new(v2::setup::Opened {
                session: (!is_named).then(|| session.clone()),
                modes: setup.modes,
                options: setup.config_options,
                commands: setup.commands,
                meta: setup.meta,
            }),
        }
    }

    /// Writes the answer to a request that has changed a setting. In version 2 it has all settings,
    /// which `settings` returns, and the metadata of the answer in the vocabulary.
    #[cfg_attr(
        not(feature = "v2"),
        allow(unused_variables, clippy::needless_pass_by_value, reason = "the vocabulary is version 1")
    )]
    pub(crate) fn changed_setting(
        &self,
        response: impl Serialize + Send + 'static,
        meta: Option<Meta>,
        settings: impl FnOnce() -> KnownSettings,
    ) -> Reply {
        match self {
            Wire::V1 => Reply::new(response),
            #[cfg(feature = "v2")]
            Wire::V2 => {
                let KnownSettings { modes, options } = settings();
                Reply::new(v2::setup::Changed { modes, options, meta })
            }
        }
    }
}
