//! The progress of a message that goes out.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};

use crate::wire::message::Id;

/// The progress of an [`Outgoing`](crate::layer::Outgoing) so far.
#[derive(Clone, Debug)]
pub struct Progress(Arc<Steps>);

#[derive(Debug)]
struct Steps {
    /// Negative until there is an id.
    id: AtomicI64,
    sent: AtomicUsize,
    received: AtomicUsize,
}

impl Progress {
    /// Returns the id of a request that has been sent.
    #[must_use]
    pub fn id(&self) -> Option<Id> {
        let id = self.0.id.load(Ordering::Relaxed);
        (id >= 0).then_some(Id::Int(id))
    }

    /// Returns the length of its line in bytes, or 0 until it stands in the output buffer.
    #[must_use]
    pub fn sent(&self) -> usize {
        self.0.sent.load(Ordering::Relaxed)
    }

    /// Returns the length of the answer's line in bytes, or 0 until it is there.
    #[must_use]
    pub fn received(&self) -> usize {
        self.0.received.load(Ordering::Relaxed)
    }

    pub(super) fn set_id(&self, id: i64) {
        self.0.id.store(id, Ordering::Relaxed);
    }

    pub(super) fn set_sent(&self, bytes: usize) {
        self.0.sent.store(bytes, Ordering::Relaxed);
    }

    pub(crate) fn set_received(&self, bytes: usize) {
        self.0.received.store(bytes, Ordering::Relaxed);
    }
}

impl Default for Progress {
    fn default() -> Self {
        let steps =
            Steps { id: AtomicI64::new(-1), sent: AtomicUsize::new(0), received: AtomicUsize::new(0) };
        Self(Arc::new(steps))
    }
}
