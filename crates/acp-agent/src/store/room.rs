//! How much may wait to be written.

use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::{Notify, Semaphore, SemaphorePermit};

/// A budget in bytes. While it is used up, those who want some of it wait, in the order they came; who gets some may
/// use as much as one record has.
pub(super) struct Room {
    budget: usize,
    used: AtomicUsize,
    /// One permit: who has it is the next to get some.
    turnstile: Semaphore,
    freed: Notify,
}

/// The right to use some. Others wait until it is dropped.
pub(super) struct Turn<'a> {
    _permit: Option<SemaphorePermit<'a>>,
}

impl Room {
    pub(super) fn new(budget: usize) -> Self {
        Room { budget, used: AtomicUsize::new(0), turnstile: Semaphore::new(1), freed: Notify::new() }
    }

    /// Whether there is some, and nobody waits for it.
    pub(super) fn is_free(&self) -> bool {
        self.has_some() && self.turnstile.available_permits() > 0
    }

    /// Waits until there is some, and it is the caller's turn.
    pub(super) async fn turn(&self) -> Turn<'_> {
        // It is an error when nothing is written any more: then nobody has to wait.
        let permit = self.turnstile.acquire().await.ok();
        while !self.has_some() && !self.turnstile.is_closed() {
            self.freed.notified().await;
        }
        Turn { _permit: permit }
    }

    pub(super) fn take(&self, bytes: usize) {
        self.used.fetch_add(bytes, Ordering::AcqRel);
    }

    pub(super) fn give_back(&self, bytes: usize) {
        self.used.fetch_sub(bytes, Ordering::AcqRel);
        self.freed.notify_one();
    }

    /// Nothing is written any more: who waits goes on.
    pub(super) fn close(&self) {
        self.turnstile.close();
        self.freed.notify_one();
    }

    fn has_some(&self) -> bool {
        self.used.load(Ordering::Acquire) < self.budget
    }
}
