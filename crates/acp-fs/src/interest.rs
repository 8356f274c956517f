//! The interest in work on the disk, which is given up before the work begins or never.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

const WAITING: u8 = 0;
const BEGUN: u8 = 1;
const ABANDONED: u8 = 2;

/// The stage of work on the disk: it waits, has begun, or was abandoned.
#[derive(Debug, Default)]
pub(crate) struct Stage(AtomicU8);

impl Stage {
    /// Begins the work. Returns false if it was abandoned before.
    pub(crate) fn begin(&self) -> bool {
        self.leave_waiting(BEGUN)
    }

    /// Abandons the work, unless it has begun. Returns false if it has.
    pub(crate) fn give_up(&self) -> bool {
        self.leave_waiting(ABANDONED)
    }

    /// Returns true once nobody waits for the work any more.
    pub(crate) fn is_abandoned(&self) -> bool {
        self.0.load(Ordering::Relaxed) == ABANDONED
    }

    /// One atomic step: work that begins and is given up at the same time does one of them.
    fn leave_waiting(&self, next: u8) -> bool {
        self.0.compare_exchange(WAITING, next, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }
}

/// Abandons the work when it is dropped, even if the work has begun.
#[derive(Debug, Default)]
pub(crate) struct Interest(Arc<Stage>);

impl Interest {
    pub(crate) fn stage(&self) -> &Stage {
        &self.0
    }

    pub(crate) fn share(&self) -> Arc<Stage> {
        Arc::clone(&self.0)
    }
}

impl Drop for Interest {
    fn drop(&mut self) {
        self.0.0.store(ABANDONED, Ordering::Relaxed);
    }
}
