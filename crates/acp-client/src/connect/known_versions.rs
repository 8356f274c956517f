//! The memory of the versions that agents speak.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use acp_types::v1::ProtocolVersion;

/// The versions of the protocol that agents were found to speak, for
/// [`Connect::known_versions`](crate::Connect::known_versions). Copies share their content.
///
/// A client that speaks two versions asks for the one that it prefers, and may have to start the
/// agent once more for the other. With this it asks for the right one at once, the next time.
///
/// Keep it beside other settings: write down its [`entries`](Self::entries), and build it from them
/// again.
///
/// ```
/// use acp_client::{KnownVersions, ProtocolVersion};
///
/// let kept = [("robot 1.2".to_owned(), ProtocolVersion::V1)];
/// let known: KnownVersions = kept.into_iter().collect();
/// assert_eq!(known.get("robot 1.2"), Some(ProtocolVersion::V1));
/// assert_eq!(known.entries().len(), 1);
/// ```
#[derive(Clone, Debug, Default)]
pub struct KnownVersions {
    by_agent: Arc<Mutex<BTreeMap<String, ProtocolVersion>>>,
}

impl KnownVersions {
    /// Knows no agent yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the version that an agent speaks, if it is known.
    #[must_use]
    pub fn get(&self, agent: &str) -> Option<ProtocolVersion> {
        self.by_agent().get(agent).copied()
    }

    /// Sets the version that an agent speaks.
    pub fn set(&self, agent: impl Into<String>, version: ProtocolVersion) {
        self.by_agent().insert(agent.into(), version);
    }

    /// Forgets an agent, such as one that was replaced by another release under the same name.
    pub fn forget(&self, agent: &str) {
        self.by_agent().remove(agent);
    }

    /// Returns all agents by name, with their versions as they are now.
    #[must_use]
    pub fn entries(&self) -> Vec<(String, ProtocolVersion)> {
        self.by_agent().clone().into_iter().collect()
    }

    fn by_agent(&self) -> MutexGuard<'_, BTreeMap<String, ProtocolVersion>> {
        // Nothing but the table is changed under this lock.
        self.by_agent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FromIterator<(String, ProtocolVersion)> for KnownVersions {
    fn from_iter<I: IntoIterator<Item = (String, ProtocolVersion)>>(agents: I) -> Self {
        Self { by_agent: Arc::new(Mutex::new(agents.into_iter().collect())) }
    }
}

/// The memory that a connection uses, and the name of its agent there.
#[derive(Debug, Default)]
pub(super) struct Known {
    pub(super) versions: Option<KnownVersions>,
    pub(super) agent: Option<String>,
}

impl Known {
    /// Returns the memory of an agent that has a name. `name` is the one of its command.
    pub(super) fn of(mut self, name: impl FnOnce() -> Option<String>) -> Self {
        if self.versions.is_some() {
            self.agent = self.agent.or_else(name);
        }
        self
    }

    /// Returns the version that the agent speaks, if it is known.
    pub(super) fn version(&self) -> Option<ProtocolVersion> {
        self.versions.as_ref()?.get(self.agent.as_deref()?)
    }

    /// Writes the version down that the agent speaks.
    pub(super) fn write(&self, version: ProtocolVersion) {
        if let (Some(versions), Some(agent)) = (&self.versions, &self.agent) {
            versions.set(agent, version);
        }
    }
}
