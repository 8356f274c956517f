//! The sessions to keep open, in whichever process.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use acp_types::v1::{ErrorCode, SessionId};

use crate::agent::session::place::Place;
use crate::{Error, Reason, Session};

/// A session that outlives the process in which it was opened.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) id: SessionId,
    pub(super) place: Place,
    /// The session in the current process, or the reason why there is none.
    slot: Mutex<Result<Session, Missing>>,
    /// Held while it is taken up.
    pub(super) restoring: tokio::sync::Mutex<()>,
}

/// The reason why a session was not taken up.
#[derive(Debug)]
pub(super) struct Missing {
    reason: Reason,
    /// Another attempt may succeed: the agent does not take the request now.
    may_come: bool,
}

/// All entries, and the start of the agent that they belong to.
#[derive(Debug, Default)]
pub(super) struct Entries {
    table: Mutex<Table>,
}

#[derive(Debug, Default)]
struct Table {
    generation: u64,
    entries: Vec<Weak<Entry>>,
}

impl Entry {
    pub(super) fn new(session: Session, place: Place) -> Self {
        let (id, restoring) = (session.id().clone(), tokio::sync::Mutex::new(()));
        Self { id, place, slot: Mutex::new(Ok(session)), restoring }
    }

    pub(super) fn session(&self) -> Result<Session, Error> {
        let failed = |missing: &Missing| Error::NotRestored {
            session: self.id.clone(),
            reason: missing.reason.clone(),
        };
        self.slot().as_ref().map(Clone::clone).map_err(failed)
    }

    /// Returns true if the session is missing, and another attempt may bring it.
    pub(super) fn may_come(&self) -> bool {
        self.slot().as_ref().is_err_and(|missing| missing.may_come)
    }

    pub(super) fn set(&self, session: Result<Session, Missing>) {
        // The earlier session is dropped without the lock, because it may be the last handle.
        let before = std::mem::replace(&mut *self.slot(), session);
        drop(before);
    }

    /// Returns true unless the session was closed here.
    fn is_open(&self) -> bool {
        self.slot().as_ref().map_or(true, |session| !session.state().is_closed())
    }

    fn slot(&self) -> MutexGuard<'_, Result<Session, Missing>> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Missing {
    pub(super) fn late(limit: Duration) -> Self {
        let reason = format!("the agent has not opened it again within {limit:?}").into();
        Self { reason, may_come: true }
    }
}

impl From<Error> for Missing {
    fn from(error: Error) -> Self {
        // The session is still open at the lost connection, or the request failed on its way.
        let passing = [ErrorCode::INVALID_REQUEST.0, ErrorCode::INTERNAL_ERROR.0];
        let may_come = error.agent_error().is_some_and(|error| passing.contains(&error.code));
        Self { reason: Reason::from(&error), may_come }
    }
}

impl Entries {
    /// Adds a session that was opened at this start of the agent. Returns false if the agent has
    /// ended since, and the session with it.
    pub(super) fn add(&self, entry: &Arc<Entry>, generation: u64) -> bool {
        let mut table = self.table();
        table.entries.retain(|entry| entry.strong_count() > 0);
        let is_current = table.generation == generation;
        if is_current {
            table.entries.push(Arc::downgrade(entry));
        }
        is_current
    }

    /// Begins the next start of the agent. Returns its number, and the sessions to take up.
    pub(super) fn next_generation(&self) -> (u64, Vec<Arc<Entry>>) {
        let mut table = self.table();
        table.generation += 1;
        let held: Vec<Arc<Entry>> = table.entries.iter().filter_map(Weak::upgrade).collect();
        let generation = table.generation;
        drop(table);
        (generation, held.into_iter().filter(|entry| entry.is_open()).collect())
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
