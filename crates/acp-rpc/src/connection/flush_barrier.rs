//! Work that must be done before bytes leave.

use std::fmt;
use std::sync::Arc;

use crate::core::job::BoxFuture;

/// Keeps queued output back until other work is done, such as a log that must have a message before
/// the wire.
///
/// The driver asks each time it takes the queued output, which is often many messages at once. They
/// leave in their order when the future is done. Meanwhile more can be queued, up to the budget,
/// and the reader goes on. The wait has no other limit and holds all messages of the connection,
/// answers too, so the future must be done soon in every case. At the end of the connection
/// [`Options::drain`](crate::Options::drain) limits it.
#[derive(Clone)]
pub struct FlushBarrier {
    ask: Arc<dyn Fn() -> Option<BoxFuture> + Send + Sync>,
}

impl FlushBarrier {
    /// Creates a barrier that calls `ask` on the driver. `None` means that there is nothing to wait
    /// for.
    pub fn new(ask: impl Fn() -> Option<BoxFuture> + Send + Sync + 'static) -> Self {
        Self { ask: Arc::new(ask) }
    }

    /// Joins two barriers: output waits for both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self::new(move || match (self.ask(), other.ask()) {
            (Some(one), Some(other)) => Some(Box::pin(async {
                one.await;
                other.await;
            })),
            (one, other) => one.or(other),
        })
    }

    pub(crate) fn ask(&self) -> Option<BoxFuture> {
        (self.ask)()
    }
}

impl fmt::Debug for FlushBarrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FlushBarrier").finish_non_exhaustive()
    }
}
