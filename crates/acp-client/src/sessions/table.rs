//! The sessions of one connection: which are open, and which the agent speaks of before it has named them.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use acp_rpc::LaneKey;
use acp_types::v1::SessionId;
use tokio_util::sync::CancellationToken;

use crate::sessions::inbox::Unread;
use crate::sessions::roots::Roots;
use crate::sessions::session_state::SessionState;

/// How many sessions may have updates before anything has named them to us. Some agents report on a session before
/// they answer the request that makes it: its id is in that answer.
const UNNAMED: usize = 16;

/// Every session that somebody holds, and while one is being made those that may be it.
#[derive(Debug, Default)]
pub(crate) struct Sessions {
    table: Mutex<Table>,
    /// What all of them keep unread.
    unread: Arc<Unread>,
    /// Parent of the tokens that withdraw permission requests.
    asks: CancellationToken,
}

#[derive(Debug, Default)]
struct Table {
    /// Asked at every update. There are few as a rule, and then to compare their ids is quicker than to hash one.
    known: BTreeMap<LaneKey, Known>,
    /// Those that the agent has spoken of and that have not been named, of which one may be a session that is being made.
    unnamed: Vec<Arc<SessionState>>,
    /// Where the sessions will work that requests under way make, by the number of the request.
    openings: HashMap<u64, Arc<Roots>>,
    /// How many such requests there have been.
    opened: u64,
    over: bool,
}

#[derive(Debug)]
struct Known {
    state: Arc<SessionState>,
    /// Handles, and the turn that runs: one at least.
    holders: usize,
}

impl Sessions {
    /// The session that the agent speaks of. `None` when nobody could ever read of it: it is not open, and not one
    /// that is being made, or too many of those have been heard of.
    pub(crate) fn heard_of(&self, id: &SessionId) -> Option<Arc<SessionState>> {
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

    /// The session of this id, if somebody holds it.
    pub(crate) fn find(&self, id: &SessionId) -> Option<Arc<SessionState>> {
        self.table().known.get(id.as_str()).map(|found| Arc::clone(&found.state))
    }

    /// Holds the session that a request names or an answer has named, with the updates that came before.
    pub(crate) fn attach(self: &Arc<Self>, id: &SessionId, roots: Arc<Roots>) -> Attached {
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
                table.known.insert(state.lane(), Known { state: Arc::clone(&state), holders: 1 });
                state
            }
        };
        state.set_roots(roots);
        Attached { state, sessions: Arc::clone(self) }
    }

    /// To be held while a request is under way that makes a session, and until that is attached.
    pub(crate) fn opening(self: &Arc<Self>, roots: Arc<Roots>) -> Opening {
        let mut table = self.table();
        table.opened += 1;
        let number = table.opened;
        table.openings.insert(number, roots);
        Opening { sessions: Arc::clone(self), number }
    }

    /// Where this session works. One that nobody holds may be any of those that are being made: its agent may ask for
    /// files before it has named it to us, and some do. Empty when it cannot be one.
    pub(crate) fn roots(&self, id: &SessionId) -> Vec<Arc<Roots>> {
        let table = self.table();
        match table.known.get(id.as_str()) {
            Some(found) => found.state.roots().into_iter().collect(),
            None => table.openings.values().cloned().collect(),
        }
    }

    /// The token that withdraws a permission request of this session.
    pub(crate) fn asks(&self, id: &SessionId) -> CancellationToken {
        self.heard_of(id).map_or_else(|| self.asks.child_token(), |session| session.asks())
    }

    /// Has the open permission requests of all sessions answered with `cancelled`, and those still to come.
    pub(crate) fn withdraw(&self) {
        self.asks.cancel();
    }

    /// The session is closed: what the agent says of this id from now on is about another one.
    pub(crate) fn forget(&self, state: &Arc<SessionState>) {
        self.table().remove(state);
        state.over().cancel();
        state.inbox.close();
    }

    /// The connection is over.
    pub(crate) fn close(&self) {
        let mut table = self.table();
        table.over = true;
        for state in table.known.values().map(|session| &session.state).chain(&table.unnamed) {
            state.over().cancel();
            state.inbox.close();
        }
    }

    /// A session that is not listed yet.
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
    /// A session that was opened again under the id stays.
    fn remove(&mut self, state: &Arc<SessionState>) {
        if self.known.get(state.id().as_str()).is_some_and(|known| Arc::ptr_eq(&known.state, state)) {
            self.known.remove(state.id().as_str());
        }
    }

    /// One holder less. True if it was the last one.
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

/// Keeps the updates of a session coming: from before its id is sent to the agent until nobody holds it any more, or
/// it is closed.
#[derive(Debug)]
pub(crate) struct Attached {
    state: Arc<SessionState>,
    sessions: Arc<Sessions>,
}

impl Clone for Attached {
    /// Of a session that was closed, only the state is shared.
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
    /// The turn of the session is over. One that was closed meanwhile has been heard to its end with it.
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

/// A session is being made. When the last one is there, what was kept for sessions that turned out to be none is let
/// go.
#[derive(Debug)]
pub(crate) struct Opening {
    sessions: Arc<Sessions>,
    number: u64,
}

impl Drop for Opening {
    fn drop(&mut self) {
        let mut table = self.sessions.table();
        table.openings.remove(&self.number);
        let none = if table.openings.is_empty() { std::mem::take(&mut table.unnamed) } else { Vec::new() };
        drop(table);
        drop(none);
    }
}
