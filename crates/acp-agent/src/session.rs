//! The sessions that are open on a connection.

use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use acp_rpc::{CancellationToken, Error as RpcError};
use acp_types::v1::{SessionId, SessionModeId, SessionModeState};

use crate::error::unknown_session;
use crate::turn::TurnScope;

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

/// An open session.
pub(crate) struct Entry<T> {
    pub(crate) id: SessionId,
    pub(crate) state: T,
    /// The modes that the session has; `None` when its opening named none.
    modes: Option<Vec<SessionModeId>>,
    turn: Mutex<Option<Arc<TurnScope>>>,
}

impl<T> Entry<T> {
    pub(crate) fn new(id: SessionId, state: T, modes: Option<&SessionModeState>) -> Self {
        let modes = modes.map(|modes| modes.available_modes.iter().map(|mode| mode.id.clone()).collect());
        Entry { id, state, modes, turn: Mutex::new(None) }
    }

    /// Refuses modes that the session does not have (rule `v1-mode-02`).
    pub(crate) fn check_mode(&self, mode: &SessionModeId) -> Result<(), RpcError> {
        let Some(modes) = &self.modes else {
            return Err(RpcError::invalid_params(format!("session `{}` has no modes", self.id)));
        };
        if modes.contains(mode) {
            return Ok(());
        }
        let names: Vec<_> = modes.iter().map(|mode| format!("`{mode}`")).collect();
        Err(RpcError::invalid_params(format!(
            "`modeId`: session `{}` has no such mode; its modes are {}",
            self.id,
            names.join(", "),
        )))
    }

    /// Starts a turn. A session has one at a time.
    pub(crate) fn begin(&self, turn: &Arc<TurnScope>) -> Result<(), RpcError> {
        let mut slot = self.turn();
        if slot.is_some() {
            return Err(self.busy());
        }
        *slot = Some(Arc::clone(turn));
        Ok(())
    }

    /// `-32600`: the session's turn has not been answered yet.
    pub(crate) fn busy(&self) -> RpcError {
        RpcError::invalid_request(format!(
            "session `{}` is in the middle of a turn: wait for its answer, or cancel it and wait",
            self.id,
        ))
    }

    /// Ends a turn: from here on no cancel reaches it. Says whether one did.
    pub(crate) fn end(&self, turn: &Arc<TurnScope>) -> bool {
        let mut slot = self.turn();
        if slot.as_ref().is_some_and(|running| Arc::ptr_eq(running, turn)) {
            *slot = None;
        }
        turn.cancel.has_fired()
    }

    /// Cancels the turn that is running, if one is.
    pub(crate) fn cancel(&self) {
        if let Some(turn) = &*self.turn() {
            turn.cancel.fire();
        }
    }

    /// Fires when the turn that is running is over.
    pub(crate) fn turn_over(&self) -> Option<CancellationToken> {
        self.turn().as_ref().map(|turn| turn.done.clone())
    }

    pub(crate) fn is_busy(&self) -> bool {
        self.turn().is_some()
    }

    fn turn(&self) -> MutexGuard<'_, Option<Arc<TurnScope>>> {
        // Nothing under this lock can leave the slot half-changed.
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The open sessions, by id.
pub(crate) struct Sessions<T> {
    open: Mutex<HashMap<SessionId, Session<T>>>,
}

impl<T> Default for Sessions<T> {
    fn default() -> Self {
        Sessions { open: Mutex::default() }
    }
}

impl<T> Sessions<T> {
    pub(crate) fn insert(&self, entry: Entry<T>) {
        self.open().insert(entry.id.clone(), Session { entry: Arc::new(entry) });
    }

    /// The session, or `-32002` with its id in the data.
    pub(crate) fn find(&self, id: &SessionId) -> Result<Session<T>, RpcError> {
        self.get(id).ok_or_else(|| unknown_session(id))
    }

    pub(crate) fn get(&self, id: &SessionId) -> Option<Session<T>> {
        self.open().get(id).cloned()
    }

    /// Takes a session out: from here on it is unknown.
    pub(crate) fn remove(&self, id: &SessionId) -> Option<Session<T>> {
        self.open().remove(id)
    }

    fn open(&self) -> MutexGuard<'_, HashMap<SessionId, Session<T>>> {
        // Only single map operations run under this lock.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
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
