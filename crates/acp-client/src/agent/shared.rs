//! The state that the handles of a connection share with its reader.

use std::sync::Arc;

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::agent::faults::Faults;
use crate::sessions::roots::Roots;
use crate::sessions::table::Sessions;

/// The state that the handles of a connection share with its reader.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    pub(crate) sessions: Arc<Sessions>,
    /// Those who have something to end when the connection is over hold a receiver until they have.
    pub(crate) guests: watch::Sender<()>,
    /// Fires when the connection is over. All handlers of notifications have this one, as nobody takes back a
    /// notification.
    pub(crate) over: CancellationToken,
    pub(crate) faults: Faults,
    /// Tells that a handler works in the directories of sessions.
    needs_roots: bool,
}

impl Shared {
    pub(crate) fn new(needs_roots: bool) -> Self {
        Self { needs_roots, ..Self::default() }
    }

    /// Opens the directories of a session. To be called before the agent hears of it.
    pub(crate) async fn roots(&self, cwd: &str, directories: &[String]) -> Arc<Roots> {
        Arc::new(if self.needs_roots { Roots::open(cwd, directories).await } else { Roots::unopened(cwd) })
    }

    /// Withdraws what is asked in all sessions and ends them: the connection is over.
    pub(crate) fn end(&self) {
        self.sessions.close();
        self.over.cancel();
    }
}
