//! What every case needs.

use anyhow::Result;
use tokio::runtime::{Builder, Runtime};

/// The runtime of every contender: one thread, the caller's.
pub(crate) fn runtime() -> Result<Runtime> {
    Ok(Builder::new_current_thread().enable_all().build()?)
}
