//! The common parts of all cases.

use anyhow::Result;
use tokio::runtime::{Builder, Runtime};

/// Makes the runtime of every contender: the thread of the caller.
pub(crate) fn runtime() -> Result<Runtime> {
    Ok(Builder::new_current_thread().enable_all().build()?)
}
