//! An open session.

use std::fmt;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use acp_types::v1::SessionId;

use crate::mcp::Mcp;
use crate::session::queue::Turns;
use crate::updates::session_updates::SessionUpdates;

/// What the agent keeps for the session a call belongs to: `T` is what `new_session` returned.
///
/// It is shared by the calls of the session, which run beside each other; what they change needs a lock.
pub struct Session<T> {
    pub(crate) entry: Arc<Entry<T>>,
}

impl<T> Session<T> {
    /// The session's id.
    #[must_use]
    pub fn id(&self) -> &SessionId {
        &self.entry.id
    }

    /// What was said in the session, oldest first. There is nothing in it unless the agent has a
    /// [`store`](crate::store).
    ///
    /// It is called as `Session::history(&session)`, so that what the session holds can have a `history` as well.
    ///
    /// # Errors
    /// The store cannot be read, or has failed to write.
    #[cfg(feature = "store")]
    pub async fn history(session: &Self) -> crate::Result<crate::store::History> {
        session.entry.updates.history().await
    }

    /// A way to tell the client about this session also while no turn runs.
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

/// What there is of an open session.
pub(crate) struct Entry<T> {
    pub(crate) id: SessionId,
    pub(crate) state: T,
    pub(crate) updates: SessionUpdates,
    pub(crate) turns: Turns,
    /// Its MCP servers, where the library connects them.
    pub(crate) mcp: Option<Mcp>,
}

/// An id that no other session has: 128 bits from the hash keys that the standard library draws at random for
/// each process, over a counter. Unique, but not a secret.
pub(crate) fn fresh_id() -> SessionId {
    static KEYS: std::sync::LazyLock<(RandomState, RandomState)> = std::sync::LazyLock::new(Default::default);
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let half = |keys: &RandomState| {
        let mut hasher = keys.build_hasher();
        hasher.write_u64(count);
        hasher.finish()
    };
    SessionId::from(format!("sess_{:016x}{:016x}", half(&KEYS.0), half(&KEYS.1)))
}
