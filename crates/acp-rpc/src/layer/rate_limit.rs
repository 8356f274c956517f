//! A limit on requests in a time.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use super::Layer;
use super::gated::{Gate, Gated};
use crate::core::deadline::NEVER;

/// A limit on how many requests begin in a time. Others wait for their turn, in the order in which
/// they came. Notifications do not count.
///
/// All requests of one period may begin at once; after that they come evenly. A request that is
/// given up while it waits has used its turn. If it came in, it is answered at once: with `-32800`,
/// or as its handler [wants it](crate::Request::if_cancelled). Clones share the limit, and so do
/// connections with clones of one [`Options`](crate::Options).
#[derive(Clone, Debug)]
pub struct RateLimit {
    pace: Arc<Pace>,
}

impl RateLimit {
    /// Creates a limit of so many requests, and of at least one, in this time. A time of zero
    /// limits nothing. [`Duration::MAX`] never ends, so that only the first requests begin.
    #[must_use]
    pub fn new(requests: u32, per: Duration) -> Self {
        let interval = per / requests.max(1);
        Self {
            pace: Arc::new(Pace { interval, burst: per.saturating_sub(interval), next: Mutex::new(None) }),
        }
    }
}

/// The pace at which requests begin.
#[derive(Debug)]
struct Pace {
    interval: Duration,
    /// The most that requests may be ahead of an even pace.
    burst: Duration,
    /// The time of the first request, and how long after it the next one would begin at an even
    /// pace. A sum of times has a largest value, but a point in time does not.
    next: Mutex<Option<(Instant, Duration)>>,
}

impl Pace {
    /// Takes the next turn and returns its time.
    fn turn(&self) -> Instant {
        let now = Instant::now();
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let (first, next) = next.get_or_insert((now, Duration::ZERO));
        let even = (*next).max(now.saturating_duration_since(*first));
        *next = even.saturating_add(self.interval);
        first.checked_add(even.saturating_sub(self.burst)).unwrap_or_else(|| now + NEVER)
    }
}

impl Gate for RateLimit {
    type Pass = ();

    async fn pass(&self) {
        sleep_until(self.pace.turn()).await;
    }
}

impl<S> Layer<S> for RateLimit {
    type Service = Gated<S, Self>;

    fn layer(&self, inner: S) -> Self::Service {
        Gated { inner, gate: self.clone() }
    }
}
