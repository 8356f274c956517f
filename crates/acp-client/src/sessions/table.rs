//! The sessions of one connection: the open ones, and those that the agent mentions before it has
//! named them.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use acp_rpc::{CloseReason, LaneKey};
use acp_types::v1::SessionId;
use tokio_util::sync::CancellationToken;

use crate::sessions::inbox::Unread;
use crate::sessions::roots::Roots;
use crate::sessions::session_state::SessionState;
use crate::wire::flow::Finished;

/// The number of sessions that may have updates before a response names them. Some agents report on
/// a session before they answer the request that makes it, and the id is in that answer.
const UNNAMED: usize = 16;

/// All sessions that somebody holds. While a session is being made, also those that may turn out to
/// be it.
#[derive(Debug, Default)]
pub(crate) struct Sessions {
    table: Mutex<Table>,
    /// The unread events of all sessions.
    unread: Arc<Unread>,
    /// Parent of the tokens that withdraw permission requests.
    asks: CancellationToken,
}

#[derive(Debug, Default)]
struct Table {
    /// Looked up at every update. As a rule there are few, and comparing their ids is faster than
    /// hashing one.
    known: BTreeMap<LaneKey, Known>,
    /// Sessions that the agent has mentioned and no response has named. Each may be a session that
    /// is being made.
    unnamed: Vec<Arc<SessionState>>,
    /// The directories of sessions that are being made, by the number of the request.
    openings: HashMap<u64, Arc<Roots>>,
    /// The number of such requests so far.
    opened: u64,
    over: bool,
}

#[derive(Debug)]
struct Known {
    state: Arc<SessionState>,
    /// The number of handles, and of the running turn: at least one.
    holders: usize,
}

impl Sessions {
    /// Returns the session that the agent mentions. `None` if nobody can ever read it: it is
    /// neither open nor being made, or the agent has mentioned too many.
    pub(crate) fn mentioned(&self, id: &SessionId) -> Option<Arc<SessionState>> {
        let mut table = self.table();
        if let Some(found) = table.known.get(id.as_str()) {
            return Some(Arc::clone(&found.state));
        }
        if table.openings.is_empty() {
            return None;
        }
        if let Some(found) = table.unnamed.iter().find(|session| session.id() == id) {
            return Some(Arc::clone(found));
        }
        if table.unnamed.len() == UNNAMED {
            return None;
        }
        let state = self.state(&table, id);
        table.unnamed.push(Arc::clone(&state));
        Some(state)
    }

    /// Returns the session with this id, if somebody holds it.
    pub(crate) fn find(&self, id: &SessionId) -> Option<Arc<SessionState>> {
        self.table().known.get(id.as_str()).map(|found| Arc::clone(&found.state))
    }

    /// Holds the session that a request or an answer names, with the updates that came before.
    pub(crate) fn attach(self: &Arc<Self>, id: &SessionId, roots: Arc<Roots>) -> Attached {
        self.hold(id, roots, |_| {})
    }

    /// Holds a session like [`attach`](Self::attach). It has a past, in which others may have used
    /// it.
    pub(crate) fn take_up(self: &Arc<Self>, id: &SessionId, roots: Arc<Roots>) -> Attached {
        self.hold(id, roots, |state| {
            state.usage.take_up();
            state.flow.resume();
        })
    }

    /// Holds a session. Calls `begin` if nobody holds it yet.
    fn hold(
        self: &Arc<Self>,
        id: &SessionId,
        roots: Arc<Roots>,
        begin: impl FnOnce(&SessionState),
    ) -> Attached {
        let mut table = self.table();
        let state = match table.known.get_mut(id.as_str()) {
            Some(found) => {
                found.holders += 1;
                Arc::clone(&found.state)
            }
            None => {
                let unnamed = table.unnamed.iter().position(|session| session.id() == id);
                let state = match unnamed {
                    Some(index) => table.unnamed.swap_remove(index),
                    None => self.state(&table, id),
                };
                begin(&state);
                table.known.insert(state.lane(), Known { state: Arc::clone(&state), holders: 1 });
                state
            }
        };
        state.set_roots(roots);
        Attached { state, sessions: Arc::clone(self) }
    }

    /// Announces a request that makes a session. Hold the value until the session is attached.
    pub(crate) fn opening(self: &Arc<Self>, roots: Arc<Roots>) -> OpenGuard {
        let mut table = self.table();
        table.opened += 1;
        let number = table.opened;
        table.openings.insert(number, roots);
        OpenGuard { sessions: Arc::clone(self), number }
    }

    /// Returns the directories of this session. A session that nobody holds may be any of those
    /// that are being made: some agents ask for files before they have named it. The list is empty
    /// for a session that is neither.
    pub(crate) fn roots(&self, id: &SessionId) -> Vec<Arc<Roots>> {
        let table = self.table();
        match table.known.get(id.as_str()) {
            Some(found) => found.state.roots().into_iter().collect(),
            None => table.openings.values().cloned().collect(),
        }
    }

    /// Returns the token that withdraws a permission request of this session.
    pub(crate) fn asks(&self, id: &SessionId) -> CancellationToken {
        self.mentioned(id).map_or_else(|| self.asks.child_token(), |session| session.asks())
    }

    /// Answers the open permission requests of all sessions with `cancelled`, and later ones too.
    pub(crate) fn withdraw(&self) {
        self.asks.cancel();
    }

    /// Removes a closed session. Later messages with its id are about another session.
    pub(crate) fn forget(&self, state: &Arc<SessionState>) {
        self.table().remove(state);
        state.over().cancel();
        state.inbox.close();
    }

    /// Ends all sessions, with the connection.
    pub(crate) fn close(&self, reason: &CloseReason) {
        let mut table = self.table();
        table.over = true;
        let mut finished = Vec::new();
        for state in table.known.values().map(|session| &session.state).chain(&table.unnamed) {
            state.over().cancel();
            state.inbox.close();
            finished.push(state.flow.fail(reason));
        }
        drop(table);
        // The end of a turn looks its session up.
        finished.into_iter().for_each(Finished::tell);
    }

    /// Makes a session that is not listed yet.
    fn state(&self, table: &Table, id: &SessionId) -> Arc<SessionState> {
        let state = SessionState::new(id.clone(), self.asks.clone(), Arc::clone(&self.unread));
        if table.over {
            state.over().cancel();
            state.inbox.close();
        }
        Arc::new(state)
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    /// Removes this session. Another one that was opened under its id stays.
    fn remove(&mut self, state: &Arc<SessionState>) {
        if self.known.get(state.id().as_str()).is_some_and(|known| Arc::ptr_eq(&known.state, state)) {
            self.known.remove(state.id().as_str());
        }
    }

    /// Removes a holder. Returns true if it was the last one.
    fn release(&mut self, state: &Arc<SessionState>) -> bool {
        let known = self.known.get_mut(state.id().as_str());
        let Some(known) = known.filter(|known| Arc::ptr_eq(&known.state, state)) else { return false };
        known.holders -= 1;
        let is_last = known.holders == 0;
        if is_last {
            self.remove(state);
        }
        is_last
    }
}

/// A handle that keeps the updates of a session coming. It is made before the id is sent to the
/// agent, and lasts until nobody holds the session or the session is closed.
#[derive(Debug)]
pub(crate) struct Attached {
    state: Arc<SessionState>,
    sessions: Arc<Sessions>,
}

impl Clone for Attached {
    /// Adds a holder. After the session was closed, the copy only shares its state.
    fn clone(&self) -> Self {
        let mut table = self.sessions.table();
        let known = table.known.get_mut(self.state.id().as_str());
        if let Some(known) = known.filter(|known| Arc::ptr_eq(&known.state, &self.state)) {
            known.holders += 1;
        }
        Self { state: Arc::clone(&self.state), sessions: Arc::clone(&self.sessions) }
    }
}

impl Attached {
    /// Ends the turn of the session. A session that was closed meanwhile ends with it.
    pub(crate) fn end_turn(&self) {
        if self.state.end_turn() {
            self.sessions.forget(&self.state);
        }
    }
}

impl std::ops::Deref for Attached {
    type Target = Arc<SessionState>;

    fn deref(&self) -> &Self::Target {
        &self.state
    }
}

impl Drop for Attached {
    fn drop(&mut self) {
        let is_last = self.sessions.table().release(&self.state);
        if is_last {
            self.state.over().cancel();
            self.state.inbox.discard();
        }
    }
}

/// A session that is being made. Dropping the last one also drops the updates of sessions that no
/// response has named.
#[derive(Debug)]
pub(crate) struct OpenGuard {
    sessions: Arc<Sessions>,
    number: u64,
}

impl Drop for OpenGuard {
    fn drop(&mut self) {
        let mut table = self.sessions.table();
        table.openings.remove(&self.number);
        let none = if table.openings.is_empty() { std::mem::take(&mut table.unnamed) } else { Vec::new() };
        drop(table);
        drop(none);
    }
}
