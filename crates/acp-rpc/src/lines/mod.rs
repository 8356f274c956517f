#![doc = include_str!("lines.md")]

mod driver;
mod outlet;

use std::time::Duration;

pub use self::driver::connect;
pub use self::outlet::Outlet;
pub use crate::wire::codec::Head;

use crate::core::error::CloseReason;
use crate::core::fault::Fault;
use crate::core::job::BoxFuture;
use crate::tap::Tap;
use crate::wire::reading::Noise;

/// One side of a connection whose lines are not read by this crate.
///
/// Every function runs on the reader, so none of them may wait or block.
pub trait Lines: Send + Sync + 'static {
    /// Takes a line. It is not blank, but may be anything else than JSON.
    fn line(&self, line: &str);

    /// Takes the head of a line that was skipped, and the reason for that.
    fn skipped(&self, head: &Head, fault: Fault<'_>);

    /// Returns a future that has to be done before the next line is taken, if there is one. It is
    /// called after each line: a side that passes lines on waits for room here. A little more is
    /// read meanwhile, so that the end of the input is seen.
    fn pause(&self) -> Option<BoxFuture>;

    /// Takes a problem that is worth logging.
    fn fault(&self, fault: Fault<'_>) {
        let _ = fault;
    }

    /// Notes that no more lines come. What is written until the future is done still leaves.
    fn ended(&self, reason: &CloseReason) -> BoxFuture;

    /// Notes the end of the connection. It is called once, after a child process has ended.
    fn closed(&self, reason: &CloseReason) {
        let _ = reason;
    }
}

/// Limits of a connection of lines.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LineOptions {
    /// The longest line that is read, in bytes. A longer one is skipped. Default 64 MiB.
    pub max_line: usize,
    /// The number of bytes from which [`Outlet::has_room`] says no. Default 1 MiB.
    pub outgoing_budget: usize,
    /// The treatment of bytes that are not UTF-8. Default [`Noise::Answer`].
    pub noise: Noise,
    /// The time to wait at the end for something to happen: for a last line, for output to leave.
    /// Default 1 second.
    pub drain: Duration,
    /// The time after which lines are given up that came before the end of the input, and wait for
    /// a [pause](Lines::pause). A connection whose peer is gone does not end before. Default none:
    /// they wait for as long as the pause lasts.
    pub pause_limit: Option<Duration>,
    /// The observer of every line.
    pub tap: Option<Tap>,
}

impl Default for LineOptions {
    fn default() -> Self {
        Self {
            max_line: 64 * 1024 * 1024,
            outgoing_budget: 1024 * 1024,
            noise: Noise::Answer,
            drain: Duration::from_secs(1),
            pause_limit: None,
            tap: None,
        }
    }
}

/// Each method sets the field of its name.
impl LineOptions {
    /// Sets [`max_line`](Self::max_line).
    #[must_use]
    pub const fn max_line(mut self, bytes: usize) -> Self {
        self.max_line = bytes;
        self
    }

    /// Sets [`outgoing_budget`](Self::outgoing_budget).
    #[must_use]
    pub const fn outgoing_budget(mut self, bytes: usize) -> Self {
        self.outgoing_budget = bytes;
        self
    }

    /// Sets [`noise`](Self::noise).
    #[must_use]
    pub const fn noise(mut self, noise: Noise) -> Self {
        self.noise = noise;
        self
    }

    /// Sets [`drain`](Self::drain).
    #[must_use]
    pub const fn drain(mut self, drain: Duration) -> Self {
        self.drain = drain;
        self
    }

    /// Sets [`pause_limit`](Self::pause_limit).
    #[must_use]
    pub const fn pause_limit(mut self, limit: Option<Duration>) -> Self {
        self.pause_limit = limit;
        self
    }

    /// Sets [`tap`](Self::tap).
    #[must_use]
    pub fn tap(mut self, tap: Tap) -> Self {
        self.tap = Some(tap);
        self
    }
}
