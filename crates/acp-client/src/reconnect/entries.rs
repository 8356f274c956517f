//! The sessions to keep open, in whichever process.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use acp_types::v1::SessionId;

use crate::agent::session::place::Place;
use crate::{Error, Reason, Session};

/// A session that outlives the process in which it was opened.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) id: SessionId,
    pub(super) place: Place,
    /// The session in the current process, or the reason why there is none.
    slot: Mutex<Result<Session, Reason>>,
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
        Self { id: session.id().clone(), place, slot: Mutex::new(Ok(session)) }
    }

    pub(super) fn session(&self) -> Result<Session, Error> {
        let failed =
            |reason: &Reason| Error::NotRestored { session: self.id.clone(), reason: reason.clone() };
        self.slot().as_ref().map(Clone::clone).map_err(failed)
    }

    pub(super) fn set(&self, session: Result<Session, Reason>) {
        // The earlier session is dropped without the lock, because it may be the last handle.
        let before = std::mem::replace(&mut *self.slot(), session);
        drop(before);
    }

    /// Returns true unless the session was closed here.
    fn is_open(&self) -> bool {
        self.slot().as_ref().map_or(true, |session| !session.state().is_closed())
    }

    fn slot(&self) -> MutexGuard<'_, Result<Session, Reason>> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
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
