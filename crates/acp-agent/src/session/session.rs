//! Open sessions.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use acp_types::v1::ext::SessionUsage;
use acp_types::v1::{SessionConfigValue, SessionId, SessionModeId};

use crate::mcp::Mcp;
use crate::session::queue::Turns;
use crate::updates::session_updates::SessionUpdates;

/// The agent's state of the session that a call belongs to. `T` is the type that `new_session`
/// returned.
///
/// The calls of the session share it and run beside each other. Changes need a lock.
pub struct Session<T> {
    pub(crate) entry: Arc<Entry<T>>,
}

impl<T> Session<T> {
    /// Returns the session's id.
    #[must_use]
    pub fn id(&self) -> &SessionId {
        &self.entry.id
    }

    /// Returns the conversation of the session, oldest first. It is empty unless the agent has a
    /// [`store`](crate::store).
    ///
    /// Call it as `Session::history(&session)`, so that the session's state can have a `history` as
    /// well.
    ///
    /// # Errors
    /// The store cannot be read, or has failed to write.
    #[cfg(feature = "store")]
    pub async fn history(session: &Self) -> crate::Result<crate::store::History> {
        session.entry.updates.history().await
    }

    /// Returns the current mode; `None` if the session has no modes. [`SessionUpdates::mode`] tells
    /// more.
    #[must_use]
    pub fn mode(&self) -> Option<SessionModeId> {
        self.updates().mode()
    }

    /// Returns the current value of a config option; `None` if the session has no such option.
    /// [`SessionUpdates::config_value`] tells more.
    #[must_use]
    pub fn config_value(&self, id: &str) -> Option<SessionConfigValue> {
        self.updates().config_value(id)
    }

    /// Returns the tokens and costs of the session and of its turn.
    /// [`SessionUpdates::usage`] tells more.
    #[must_use]
    pub fn usage(&self) -> SessionUsage {
        self.updates().usage()
    }

    /// Saves a value of the agent's own with the session, as JSON. It replaces the one before.
    /// [`Opening::saved`](crate::Opening::saved) has it when the session is opened again.
    ///
    /// # Errors
    /// The errors of [`SessionUpdates::save`].
    #[cfg(feature = "store")]
    pub async fn save<V>(&self, value: &V) -> crate::Result<(), crate::store::StoreError>
    where
        V: serde_core::Serialize + Sync + ?Sized,
    {
        self.updates().save(value).await
    }

    /// Returns the sender of the session's updates, which works also while no turn runs.
    #[must_use]
    pub fn updates(&self) -> &SessionUpdates {
        &self.entry.updates
    }
}

impl<T> Deref for Session<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.entry.state
    }
}

impl<T> Clone for Session<T> {
    fn clone(&self) -> Self {
        Session { entry: Arc::clone(&self.entry) }
    }
}

impl<T> fmt::Debug for Session<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("id", &self.entry.id).finish_non_exhaustive()
    }
}

/// The parts of an open session.
pub(crate) struct Entry<T> {
    pub(crate) id: SessionId,
    pub(crate) state: T,
    pub(crate) updates: SessionUpdates,
    pub(crate) turns: Turns,
    /// Its MCP servers, if the library connects them.
    pub(crate) mcp: Option<Mcp>,
}
