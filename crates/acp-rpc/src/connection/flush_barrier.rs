//! What is to happen before bytes leave.

use std::fmt;
use std::sync::Arc;

use crate::core::job::BoxFuture;

/// Keeps what is queued back until something else is done: what a message tells is in a log before the message is
/// on the wire.
///
/// The driver asks each time it takes what is queued, which is many messages at once when there are many. They leave when
/// the future is done, in their order; meanwhile more can be queued, up to the budget, and the reader goes on. Nothing
/// else limits the wait, and all messages of the connection are in it, answers too: the future is to be done soon
/// whatever happens. At the end of the connection [`Options::drain`](crate::Options::drain) counts.
#[derive(Clone)]
pub struct FlushBarrier {
    ask: Arc<dyn Fn() -> Option<BoxFuture> + Send + Sync>,
}

impl FlushBarrier {
    /// Asks `ask`, on the driver; `None` is nothing to wait for.
    pub fn new(ask: impl Fn() -> Option<BoxFuture> + Send + Sync + 'static) -> Self {
        Self { ask: Arc::new(ask) }
    }

    /// Waits for both.
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
