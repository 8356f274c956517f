//! The description of a session by the agent that has opened it.

use acp_json::Map;
use acp_types::v1::{AvailableCommand, SessionConfigOption, SessionModeState};

use crate::wire::moment::Moment;

/// The description of a session by the agent that has opened it.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) modes: Option<SessionModeState>,
    pub(crate) config_options: Option<Vec<SessionConfigOption>>,
    /// The slash commands, where the answer has them.
    pub(crate) commands: Option<Vec<AvailableCommand>>,
    /// The members of the answer that the protocol does not name.
    pub(crate) extra: Map,
    pub(crate) at: Moment,
}
