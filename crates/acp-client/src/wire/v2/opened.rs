//! The answer of an agent to a request that opens a session.

use acp_json::Map;
use acp_types::v1::SessionId;
use acp_types::v2::{AvailableCommand, NewSessionResponse, ResumeSessionResponse, SessionConfigOption};

use super::{commands, config};
use crate::wire::moment::Moment;
use crate::wire::opened::Opened;
use crate::wire::v1::opened_response::{NamesSession, OpensSession};

/// An absent list of options or commands is not reported, which is not an empty one.
fn opened(
    options: Vec<SessionConfigOption>,
    commands: Vec<AvailableCommand>,
    at: Moment,
    extra: Map,
) -> Opened {
    let options = config::options(options);
    let commands = commands::commands(commands);
    Opened {
        modes: config::modes(&options),
        config_options: Some(options).filter(|options| !options.is_empty()),
        commands: Some(commands).filter(|commands| !commands.is_empty()),
        extra,
        at,
    }
}

impl OpensSession for NewSessionResponse {
    fn describe(self, at: Moment, extra: Map) -> Opened {
        opened(self.config_options, self.available_commands, at, extra)
    }
}

impl NamesSession for NewSessionResponse {
    fn session_id(&self) -> &SessionId {
        &self.session_id
    }
}

impl OpensSession for ResumeSessionResponse {
    fn describe(self, at: Moment, extra: Map) -> Opened {
        opened(self.config_options, self.available_commands, at, extra)
    }
}
