//! The table of terminals, and the slots in it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use acp_types::v1::TerminalId;

use super::terminal::Screen;

/// All terminals that have not been released.
#[derive(Default)]
pub(super) struct Host {
    table: Mutex<HashMap<TerminalId, Listed>>,
    /// The number of terminals, including those that are being made or ended.
    pub(super) taken: AtomicUsize,
    /// The number of ids that were given to terminals and connections.
    numbers: AtomicU64,
}

pub(super) struct Listed {
    pub(super) connection: u64,
    pub(super) screen: Arc<Screen>,
}

impl Host {
    pub(super) fn number(&self) -> u64 {
        self.numbers.fetch_add(1, Ordering::Relaxed) + 1
    }

    pub(super) fn forget(&self, id: &TerminalId) {
        self.table().remove(id);
    }

    pub(super) fn table(&self) -> MutexGuard<'_, HashMap<TerminalId, Listed>> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A slot for a terminal. Dropping it frees the slot.
pub(super) struct Slot(pub(super) Arc<Host>);

impl Drop for Slot {
    fn drop(&mut self) {
        self.0.taken.fetch_sub(1, Ordering::AcqRel);
    }
}

/// A terminal with a task of its own. Dropping it ends all waiting for the command.
pub(super) struct LookedAfter {
    pub(super) host: Arc<Host>,
    pub(super) screen: Arc<Screen>,
}

impl Drop for LookedAfter {
    fn drop(&mut self) {
        self.screen.finish();
        self.host.forget(self.screen.id());
    }
}
