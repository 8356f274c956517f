//! The sessions that are to be open, whichever process serves them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use acp_types::v1::SessionId;

use crate::agent::session::place::Place;
use crate::{Error, Reason, Session};

/// A session that outlives the agent it was opened at.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) id: SessionId,
    pub(super) place: Place,
    /// As the agent of now has it, or why it does not.
    slot: Mutex<Result<Session, Reason>>,
}

/// All of them, and which start of the agent they belong to.
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
        // The session of before is let go without the lock: it may be the last handle.
        let before = std::mem::replace(&mut *self.slot(), session);
        drop(before);
    }

    /// Whether it is to be there after a restart: somebody may have closed it.
    fn is_open(&self) -> bool {
        self.slot().as_ref().map_or(true, |session| !session.state().is_closed())
    }

    fn slot(&self) -> MutexGuard<'_, Result<Session, Reason>> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entries {
    /// Adds a session that was opened at this start of the agent. False when the agent has been
    /// given up since: the session went with it.
    pub(super) fn add(&self, entry: &Arc<Entry>, generation: u64) -> bool {
        let mut table = self.table();
        table.entries.retain(|entry| entry.strong_count() > 0);
        let is_current = table.generation == generation;
        if is_current {
            table.entries.push(Arc::downgrade(entry));
        }
        is_current
    }

    /// The agent is started again: the number of this start, and the sessions to take up.
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
