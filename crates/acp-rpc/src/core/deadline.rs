//! Times that are too long for a clock.

use std::time::Duration;

use tokio::time::Instant;

/// A time as good as for ever. It stands for times that are longer than a clock can show.
pub(crate) const NEVER: Duration = Duration::from_secs(30 * 365 * 24 * 60 * 60);

/// Returns the end of a wait that begins now. If no clock can show it, it is as good as never.
pub(crate) fn ending(after: Duration) -> Instant {
    let now = Instant::now();
    now.checked_add(after).unwrap_or_else(|| now + NEVER)
}
