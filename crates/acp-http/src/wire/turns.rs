//! The turns of version 2 that run: their ends are updates of the state, and not answers.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use acp_json::Node;
use memchr::memmem::Finder;

/// The most sessions whose turns are known. Those beyond them are not waited for.
const MOST: usize = 1024;
/// The longest id of a session that is kept, in bytes.
const LONGEST_ID: usize = 1024;
/// Bytes that an update of the state has. Messages without them are not read.
static SIGN: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("\"state_update\""));

/// The sessions with a turn of version 2.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    version: Option<u64>,
    running: HashMap<Box<str>, Stage>,
    /// Sessions that became idle since their last prompt. An agent may answer it only then.
    ended: HashSet<Box<str>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The prompt is answered, and the agent has not told yet that it works.
    Accepted,
    Running,
}

impl Turns {
    /// Notes the version that was agreed on.
    pub(crate) fn agreed(&mut self, version: Option<u64>) {
        self.version = version;
    }

    /// Returns the version that was agreed on.
    #[cfg(any(feature = "server", feature = "__wire"))]
    pub(crate) const fn version(&self) -> Option<u64> {
        self.version
    }

    /// Returns true if turns may run on after their answers.
    pub(crate) fn outlast_answers(&self) -> bool {
        self.version.is_some_and(|version| version >= 2)
    }

    /// Notes a prompt on its way to the agent.
    pub(crate) fn asked(&mut self, session: &str) {
        self.ended.remove(session);
    }

    /// Notes that a prompt was taken.
    pub(crate) fn accepted(&mut self, session: &str) {
        if !self.ended.contains(session) && !self.running.contains_key(session) {
            self.enter(session, Stage::Accepted);
        }
    }

    /// Notes that a session is gone.
    pub(crate) fn closed(&mut self, session: &str) {
        self.running.remove(session);
        self.ended.remove(session);
    }

    /// Notes a message of the agent.
    pub(crate) fn heard(&mut self, message: &[u8]) {
        if self.outlast_answers()
            && SIGN.find(message).is_some()
            && let Ok(message) = serde_json::from_slice::<Node<'_>>(message)
        {
            let _ = self.updated(&message);
        }
    }

    /// Returns `None` for anything but an update of the state.
    fn updated(&mut self, message: &Node<'_>) -> Option<()> {
        let params = message.get("params")?;
        let update = params.get("update")?;
        let is_of_state = message.get("method")?.as_str()? == "session/update"
            && update.get("sessionUpdate")?.as_str()? == "state_update";
        if !is_of_state {
            return None;
        }
        let session = params.get("sessionId")?.as_str()?;
        // A state that is unknown is not idle.
        if update.get("state")?.as_str()? != "idle" {
            self.enter(session, Stage::Running);
            return Some(());
        }
        // Without a reason it may be the state before the prompt.
        let ends = *self.running.get(session)? == Stage::Running || update.get("stopReason").is_some();
        if ends {
            self.running.remove(session);
            if self.ended.len() < MOST {
                self.ended.insert(session.into());
            }
        }
        Some(())
    }

    fn enter(&mut self, session: &str, stage: Stage) {
        let is_known = self.running.contains_key(session);
        if self.outlast_answers() && session.len() <= LONGEST_ID && (is_known || self.running.len() < MOST) {
            self.running.insert(session.into(), stage);
        }
    }

    /// Returns true if no turn runs.
    pub(crate) fn are_over(&self) -> bool {
        self.running.is_empty()
    }

    /// Forgets all turns: the agent has ended.
    #[cfg(any(feature = "server", feature = "__wire"))]
    pub(crate) fn clear(&mut self) {
        self.running.clear();
    }
}
