//! An open session.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

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
