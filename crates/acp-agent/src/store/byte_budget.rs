//! Budgets of bytes that may wait to be written.

use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::{Semaphore, SemaphorePermit, watch};

/// A budget in bytes. While it is used up, callers wait in the order in which they came. A caller
/// with a permit may use as much as one record needs.
pub(super) struct ByteBudget {
    budget: u64,
    /// The bytes that were taken since the session was opened.
    taken: AtomicU64,
    /// The bytes that were given back, in the order in which they were taken.
    given_back: watch::Sender<u64>,
    /// One permit. Its holder is the next to get bytes.
    turnstile: Semaphore,
}

/// The right to take bytes. Other callers wait until it is dropped.
pub(super) struct Permit<'a> {
    _permit: Option<SemaphorePermit<'a>>,
}

impl ByteBudget {
    pub(super) fn new(budget: u64) -> Self {
        let (given_back, _) = watch::channel(0);
        ByteBudget { budget, taken: AtomicU64::new(0), given_back, turnstile: Semaphore::new(1) }
    }

    /// Returns whether there are bytes left, and nobody waits for them.
    pub(super) fn is_free(&self) -> bool {
        self.used() < self.budget && self.turnstile.available_permits() > 0
    }

    /// Waits until there are bytes left, and it is the caller's turn.
    pub(super) async fn permit(&self) -> Permit<'_> {
        // The turnstile is never closed.
        let permit = self.turnstile.acquire().await.ok();
        if self.used() >= self.budget {
            let has_some = |given_back: &u64| self.used_after(*given_back) < self.budget;
            // The sender exists, so this waits to its end.
            let _ = self.given_back.subscribe().wait_for(has_some).await;
        }
        Permit { _permit: permit }
    }

    pub(super) fn take(&self, bytes: usize) {
        self.taken.fetch_add(bytes as u64, Ordering::AcqRel);
    }

    pub(super) fn give_back(&self, bytes: usize) {
        self.given_back.send_modify(|given_back| *given_back = given_back.saturating_add(bytes as u64));
    }

    /// Ends all waiting, because nothing is written any more.
    pub(super) fn close(&self) {
        self.given_back.send_replace(u64::MAX);
    }

    /// Waits until all bytes that are taken now have been given back. Returns `None` if they were.
    pub(super) fn passed(&self) -> Option<impl Future<Output = ()> + Send + use<>> {
        let taken = self.taken.load(Ordering::Acquire);
        if *self.given_back.borrow() >= taken {
            return None;
        }
        let mut changes = self.given_back.subscribe();
        Some(async move {
            // Without a sender nothing is written any more.
            let _ = changes.wait_for(|given_back| *given_back >= taken).await;
        })
    }

    fn used(&self) -> u64 {
        self.used_after(*self.given_back.borrow())
    }

    fn used_after(&self, given_back: u64) -> u64 {
        self.taken.load(Ordering::Acquire).saturating_sub(given_back)
    }
}
