//! The way back to version 1, for an agent that was asked in the form of version 2.

use acp_types::Meta;
use acp_types::v1::ClientCapabilities;

use super::connecting::Connecting;
use crate::Error;
use crate::launch::terminal_login::IN_META;
use crate::wire::Wire;
use crate::wire::initialize::Meaning;
use crate::wire::initialized::Initialized;

impl Connecting {
    /// Goes on in version 1 with an agent that was asked for version 2. Where it has to learn of
    /// capabilities that version 2 does not have, it is started again, or asked again.
    pub(super) async fn fall_back(&mut self, first: Initialized) -> Result<Initialized, Error> {
        let unseen = unseen(&self.request.client_capabilities);
        if unseen.is_empty() {
            let done = "the connection is kept".to_owned();
            return Ok(self.fell_back(first, &done));
        }
        let unseen = unseen.join("`, `");
        if self.opening.is_reopenable() {
            self.open_again().await?;
            let initialized = self.ask_first().await?;
            let done = format!("the agent was started again, for `{unseen}`");
            return Ok(self.fell_back(initialized, &done));
        }
        match self.ask_first().await {
            Ok(initialized) => {
                let done = format!("`initialize` was sent again, for `{unseen}`");
                Ok(self.fell_back(initialized, &done))
            }
            // It has answered before, and a second `initialize` is beyond the protocol.
            Err(Error::Agent { .. } | Error::Version { .. } | Error::NoCommonVersion { .. }) => {
                let done = format!("the agent does not know of `{unseen}`: it refused a second `initialize`");
                Ok(self.fell_back(first, &done))
            }
            Err(error) => Err(error),
        }
    }

    /// Asks for version 1 and nothing else.
    async fn ask_first(&self) -> Result<Initialized, Error> {
        match self.ask(Wire::V1).await? {
            Meaning::Speaks { initialized, note, .. } => {
                self.note(note);
                Ok(*initialized)
            }
            Meaning::FallsBack { initialized, .. } => Ok(*initialized),
            Meaning::Asks(other) => Err(Error::NoCommonVersion {
                spoken: self.spoken(),
                supported: vec![other.version()],
                error: None,
            }),
        }
    }

    fn fell_back(&self, initialized: Initialized, done: &str) -> Initialized {
        let note = format!("the agent speaks version 1 only, and was asked for version 2: {done}");
        self.settle(Wire::V1, initialized, Some(note))
    }
}

/// Returns the capabilities that a request in the form of version 2 does not show to an agent of
/// version 1. Notices and reports of compactions are not among them: no start is worth them.
fn unseen(capabilities: &ClientCapabilities) -> Vec<&'static str> {
    let mut unseen = Vec::new();
    let mut add = |is_offered: bool, name| unseen.extend(is_offered.then_some(name));
    add(capabilities.fs.read_text_file, "fs.readTextFile");
    add(capabilities.fs.write_text_file, "fs.writeTextFile");
    add(capabilities.terminal, "terminal");
    #[cfg(feature = "unstable")]
    {
        add(capabilities.plan.is_some(), "plan");
        add(capabilities.subagents.is_some(), "subagents");
    }
    let has_own_meta = |meta: &Meta| meta.as_map().keys().any(|name| name != IN_META);
    add(capabilities.meta.as_ref().is_some_and(has_own_meta), "_meta");
    unseen
}
