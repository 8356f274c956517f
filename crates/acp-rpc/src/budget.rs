//! The byte budget of what has arrived and is not yet dealt with.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Notify;

/// Counts the bytes of notifications, and of answers in lanes, that wait or are being handled.
///
/// Over budget the reader pauses, so that the peer feels it. But while a request outside lanes waits for
/// its answer it reads on: the answer may be what the jobs that hold the budget are waiting for. It does so up
/// to the ceiling; then such requests fail, and it pauses all the same.
#[derive(Debug)]
pub(crate) struct Intake {
    budget: usize,
    ceiling: usize,
    held: AtomicUsize,
    waiting: AtomicUsize,
    resume: Notify,
}

/// Some bytes on the budget, given back on drop.
#[derive(Debug)]
pub(crate) struct Charge {
    intake: Arc<Intake>,
    bytes: usize,
}

/// A request outside lanes that waits, for room or for its answer.
#[derive(Debug)]
pub(crate) struct Waiting {
    intake: Arc<Intake>,
}

impl Intake {
    pub(crate) fn new(budget: usize, ceiling: usize) -> Arc<Self> {
        Arc::new(Self {
            budget,
            ceiling,
            held: AtomicUsize::new(0),
            waiting: AtomicUsize::new(0),
            resume: Notify::new(),
        })
    }

    pub(crate) fn is_paused(&self) -> bool {
        let held = self.held.load(Ordering::SeqCst);
        held >= self.budget && (self.waiting.load(Ordering::SeqCst) == 0 || self.is_ceiling(held))
    }

    /// Whether requests that wait must be given up, because no more can be read for their sake.
    pub(crate) fn is_flooded(&self) -> bool {
        self.waiting.load(Ordering::SeqCst) > 0 && self.is_ceiling(self.held.load(Ordering::SeqCst))
    }

    fn is_ceiling(&self, held: usize) -> bool {
        held >= self.ceiling.max(self.budget)
    }

    /// Something changed that may end a pause. Only the driver waits here.
    pub(crate) async fn resumed(&self) {
        self.resume.notified().await;
    }

    pub(crate) fn charge(self: &Arc<Self>, bytes: usize) -> Charge {
        self.held.fetch_add(bytes, Ordering::SeqCst);
        Charge { intake: Arc::clone(self), bytes }
    }

    pub(crate) fn wait(self: &Arc<Self>) -> Waiting {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        if self.held.load(Ordering::SeqCst) >= self.budget {
            self.resume.notify_one();
        }
        Waiting { intake: Arc::clone(self) }
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        let before = self.intake.held.fetch_sub(self.bytes, Ordering::SeqCst);
        if before >= self.intake.budget && before - self.bytes < self.intake.budget {
            self.intake.resume.notify_one();
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.intake.waiting.fetch_sub(1, Ordering::SeqCst);
    }
}
