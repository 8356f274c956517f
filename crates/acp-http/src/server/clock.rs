//! Moments that may never come.

use tokio::time::Instant;

/// Sleeps until a moment. Without one, and beyond the end of the clock, forever.
pub(crate) async fn sleep_until(moment: Option<Instant>) {
    match moment {
        Some(moment) => tokio::time::sleep_until(moment).await,
        None => std::future::pending().await,
    }
}
