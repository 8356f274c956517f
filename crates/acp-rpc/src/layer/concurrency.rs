//! A limit on requests at the same time.

use std::sync::Arc;

use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};

use super::Layer;
use super::gated::{Gate, Gated};

/// A limit on how many requests are in work at once. Others wait, in the order in which they came.
/// Notifications do not count.
///
/// A request that goes out is in work until it is answered. A request that comes in is in work
/// until its handler has answered. If it is cancelled while it waits, it is answered at once: with
/// `-32800`, or as its handler [wants it](crate::Request::if_cancelled). Clones share the limit,
/// and so do connections with clones of one [`Options`](crate::Options).
///
/// A handler that calls the peer keeps its place meanwhile. If the peer calls back before it
/// answers, and such handlers have all places, they all wait for each other. Exclude such methods
/// with [`Only`](super::Only).
#[derive(Clone, Debug)]
pub struct Concurrency {
    places: Arc<Semaphore>,
}

impl Concurrency {
    /// Creates a limit of so many requests at once, and of at least one.
    #[must_use]
    pub fn new(requests: usize) -> Self {
        Self { places: Arc::new(Semaphore::new(requests.clamp(1, Semaphore::MAX_PERMITS))) }
    }
}

impl Gate for Concurrency {
    type Pass = Result<OwnedSemaphorePermit, AcquireError>;

    async fn pass(&self) -> Self::Pass {
        // It does not fail: the semaphore is never closed.
        Arc::clone(&self.places).acquire_owned().await
    }
}

impl<S> Layer<S> for Concurrency {
    type Service = Gated<S, Self>;

    fn layer(&self, inner: S) -> Self::Service {
        Gated { inner, gate: self.clone() }
    }
}
