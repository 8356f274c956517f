//! The byte budget of messages that wait for handlers.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Notify;

/// Counts the bytes of messages that wait in lanes. Over the budget the readers that feed the lanes
/// pause.
///
/// The answer that a handler waits for may stand behind messages that wait for the handler. So
/// while one waits for an answer, the readers go on up to four times the budget.
#[derive(Debug)]
pub(crate) struct Budget {
    most: usize,
    held: AtomicUsize,
    /// Handlers that wait for an answer.
    asking: AtomicUsize,
    changed: Notify,
}

/// Some bytes on the budget. They are given back on drop.
#[derive(Debug)]
pub(crate) struct Charge {
    budget: Arc<Budget>,
    bytes: usize,
}

/// A handler that waits for an answer, until this is dropped.
#[derive(Debug)]
pub(crate) struct Asking(Arc<Budget>);

impl Budget {
    pub(crate) fn new(most: usize) -> Arc<Self> {
        let zero = || AtomicUsize::new(0);
        Arc::new(Self { most: most.max(1), held: zero(), asking: zero(), changed: Notify::new() })
    }

    pub(crate) fn charge(self: &Arc<Self>, bytes: usize) -> Charge {
        let held = self.held.fetch_add(bytes, Ordering::SeqCst);
        if held < self.ceiling() && held + bytes >= self.ceiling() {
            self.changed.notify_waiters();
        }
        Charge { budget: Arc::clone(self), bytes }
    }

    /// Counts a handler that waits for an answer.
    pub(crate) fn asks(self: &Arc<Self>) -> Asking {
        self.asking.fetch_add(1, Ordering::SeqCst);
        self.changed.notify_waiters();
        Asking(Arc::clone(self))
    }

    pub(crate) fn has_room(&self) -> bool {
        let held = self.held.load(Ordering::SeqCst);
        let is_asking = self.asking.load(Ordering::SeqCst) > 0;
        held < self.most || (is_asking && held < self.ceiling())
    }

    pub(crate) async fn room(&self) {
        self.until(Self::has_room).await;
    }

    /// Waits until so many bytes are held that nothing is read even for a handler that waits for an
    /// answer.
    pub(crate) async fn full(&self) {
        self.until(|budget| budget.held.load(Ordering::SeqCst) >= budget.ceiling()).await;
    }

    async fn until(&self, is_it: impl Fn(&Self) -> bool) {
        loop {
            let changed = self.changed.notified();
            if is_it(self) {
                return;
            }
            changed.await;
        }
    }

    /// Returns the most bytes that are held while a handler waits for an answer.
    pub(crate) const fn ceiling(&self) -> usize {
        self.most.saturating_mul(4)
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.budget.held.fetch_sub(self.bytes, Ordering::SeqCst);
        self.budget.changed.notify_waiters();
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        self.0.asking.fetch_sub(1, Ordering::SeqCst);
    }
}
