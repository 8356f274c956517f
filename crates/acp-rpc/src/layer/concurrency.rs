//! An end to doing too much at once.

use std::sync::Arc;

use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};

use super::Layer;
use super::gated::{Gate, Gated};

/// A limit on how many requests are in work at once. Others wait, in the order they got there; notifications
/// do not count.
///
/// Out, a request is in work until it is answered; in, until its handler has answered. One that is cancelled while
/// it waits is answered with `-32800` at once, or as its handler [wants it](crate::Request::if_cancelled). Clones
/// share the limit, and so do connections with clones of one [`Options`](crate::Options).
///
/// A handler that calls the peer keeps its place meanwhile. If the peer calls back before it answers, and all
/// places are taken so, all wait for each other: leave methods that do so out with [`Only`](super::Only).
#[derive(Clone, Debug)]
pub struct Concurrency {
    places: Arc<Semaphore>,
}

impl Concurrency {
    /// At most this many requests at once, and at least one.
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
