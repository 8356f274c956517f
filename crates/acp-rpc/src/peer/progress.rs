//! How far something that goes out has come.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};

use crate::wire::message::Id;

/// What has become of an [`Outgoing`](crate::layer::Outgoing) so far.
#[derive(Clone, Debug)]
pub struct Progress(Arc<Steps>);

#[derive(Debug)]
struct Steps {
    /// Negative until there is one.
    id: AtomicI64,
    sent: AtomicUsize,
    received: AtomicUsize,
}

impl Progress {
    /// The id of a request that has been sent.
    #[must_use]
    pub fn id(&self) -> Option<Id> {
        let id = self.0.id.load(Ordering::Relaxed);
        (id >= 0).then_some(Id::Int(id))
    }

    /// The length of its line in bytes, once it stands in the output buffer; 0 before that.
    #[must_use]
    pub fn sent(&self) -> usize {
        self.0.sent.load(Ordering::Relaxed)
    }

    /// The length of the answer's line in bytes, once it is there; 0 before that.
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
