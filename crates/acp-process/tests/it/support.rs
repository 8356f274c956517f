//! Commands for tests, and waits that end.

use std::time::Duration;

#[cfg(unix)]
use acp_process::Command;
use tokio::time::timeout;

/// The time that a test waits for something that should happen at once. Only a failure takes so
/// long.
pub(crate) const GUARD: Duration = Duration::from_secs(60);

/// Awaits a future that must not take long.
pub(crate) async fn soon<F: Future>(what: &str, future: F) -> F::Output {
    match timeout(GUARD, future).await {
        Ok(output) => output,
        Err(_) => panic!("waited in vain for {what}"),
    }
}

/// A script that gets next to no time to end by itself.
#[cfg(unix)]
pub(crate) fn shell(script: &str) -> Command {
    Command::new("/bin/sh").arg("-c").arg(script).grace(Duration::from_millis(100))
}
