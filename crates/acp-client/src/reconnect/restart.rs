use std::time::Duration;

/// When an agent that has ended is started again, and how often.
///
/// The first restart in a row comes after [`first_delay`](Self::first_delay), each further one
/// after twice the time of the one before, up to [`max_delay`](Self::max_delay). An agent that ran
/// for [`stable_after`](Self::stable_after) ends the row.
///
/// ```
/// use std::time::Duration;
/// use acp_client::Restart;
///
/// let policy = Restart::times(4).first_delay(Duration::from_secs(1)).max_delay(Duration::from_secs(3));
/// let delays: Vec<_> = (1..).map_while(|restart| policy.delay(restart)).map(|delay| delay.as_secs()).collect();
/// assert_eq!(delays, [1, 2, 3, 3]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restart {
    times: u32,
    first_delay: Duration,
    max_delay: Duration,
    stable_after: Duration,
}

impl Restart {
    /// So many restarts in a row, the first after 100 milliseconds, none later than 10 seconds
    /// after the end before it.
    #[must_use]
    pub const fn times(times: u32) -> Self {
        Self {
            times,
            first_delay: Duration::from_millis(100),
            max_delay: Duration::from_secs(10),
            stable_after: Duration::from_secs(60),
        }
    }

    /// How long to wait before the first restart of a row.
    #[must_use]
    pub const fn first_delay(mut self, delay: Duration) -> Self {
        self.first_delay = delay;
        self
    }

    /// How long to wait at most.
    #[must_use]
    pub const fn max_delay(mut self, delay: Duration) -> Self {
        self.max_delay = delay;
        self
    }

    /// How long an agent must run for its end to be the first of a new row. Default one minute.
    #[must_use]
    pub const fn stable_after(mut self, time: Duration) -> Self {
        self.stable_after = time;
        self
    }

    /// How long to wait before this restart of a row, counted from 1; `None` when there is to be
    /// none.
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

/// Five restarts in a row.
impl Default for Restart {
    fn default() -> Self {
        Self::times(5)
    }
}
