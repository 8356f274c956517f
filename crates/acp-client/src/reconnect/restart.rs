//! The times of restarts.

use std::time::Duration;

/// The times and the number of restarts of an agent that has ended.
///
/// The first restart of a series comes after [`first_delay`](Self::first_delay). Each further one
/// waits twice as long as the one before, up to [`max_delay`](Self::max_delay). An agent that ran
/// for [`stable_after`](Self::stable_after) ends the series.
///
/// ```
/// use std::time::Duration;
/// use acp_client::Restart;
///
/// let seconds = Duration::from_secs;
/// let policy = Restart::times(4).first_delay(seconds(1)).max_delay(seconds(3));
/// let delays: Vec<_> = (1..).map_while(|restart| policy.delay(restart)).collect();
/// assert_eq!(delays, [1, 2, 3, 3].map(seconds));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restart {
    times: u32,
    first_delay: Duration,
    max_delay: Duration,
    stable_after: Duration,
}

impl Restart {
    /// Allows this many restarts in a series: the first after 100 milliseconds, and none more than
    /// 10 seconds after the end before it.
    #[must_use]
    pub const fn times(times: u32) -> Self {
        Self {
            times,
            first_delay: Duration::from_millis(100),
            max_delay: Duration::from_secs(10),
            stable_after: Duration::from_secs(60),
        }
    }

    /// Sets the delay before the first restart of a series.
    #[must_use]
    pub const fn first_delay(mut self, delay: Duration) -> Self {
        self.first_delay = delay;
        self
    }

    /// Limits the delay.
    #[must_use]
    pub const fn max_delay(mut self, delay: Duration) -> Self {
        self.max_delay = delay;
        self
    }

    /// Sets the time after which an agent counts as stable: its end begins a new series of
    /// restarts. The default is one minute.
    #[must_use]
    pub const fn stable_after(mut self, time: Duration) -> Self {
        self.stable_after = time;
        self
    }

    /// Returns the delay before this restart of a series, counted from 1. `None` means that there
    /// are no more restarts.
    #[must_use]
    pub fn delay(&self, restart: u32) -> Option<Duration> {
        if restart > self.times {
            return None;
        }
        let doubled = 2_u32.saturating_pow(restart.saturating_sub(1));
        Some(self.first_delay.saturating_mul(doubled).min(self.max_delay))
    }

    pub(super) fn is_stable(&self, ran: Duration) -> bool {
        ran >= self.stable_after
    }
}

/// Allows five restarts in a series.
impl Default for Restart {
    fn default() -> Self {
        Self::times(5)
    }
}
