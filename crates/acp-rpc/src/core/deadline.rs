//! Times that are too long for a clock.

use std::time::Duration;

use tokio::time::Instant;

/// As long as nobody waits: what stands for a time that is longer than a clock can show.
pub(crate) const NEVER: Duration = Duration::from_secs(30 * 365 * 24 * 60 * 60);

/// The end of a wait that begins now: one that no clock can show is as good as never.
pub(crate) fn ending(after: Duration) -> Instant {
    let now = Instant::now();
    now.checked_add(after).unwrap_or_else(|| now + NEVER)
}
