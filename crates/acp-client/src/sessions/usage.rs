//! Tokens and costs of a session, as its agent reports them.

use std::sync::{Mutex, MutexGuard, PoisonError};

use acp_types::v1::ext::{SessionUsage, UsageSums};
use acp_types::v1::{PromptResponse, UsageUpdate};

/// The sums of one session.
#[derive(Debug, Default)]
pub(crate) struct UsageMeter {
    sums: Mutex<UsageSums>,
}

impl UsageMeter {
    pub(crate) fn now(&self) -> SessionUsage {
        self.sums().now().clone()
    }

    /// Calls `read` with the sums.
    pub(crate) fn with<T>(&self, read: impl FnOnce(&SessionUsage) -> T) -> T {
        read(self.sums().now())
    }

    /// Notes that the session was used before it was opened here.
    pub(crate) fn take_up(&self) {
        self.sums().take_up();
    }

    /// Begins a turn: its sum is nothing.
    pub(crate) fn begin_turn(&self) {
        self.sums().begin_turn();
    }

    /// Takes an update. Its cost is the sum of the session.
    pub(crate) fn update(&self, update: &UsageUpdate) {
        self.sums().update(update);
    }

    /// Takes the tokens of a response.
    pub(crate) fn end_turn(&self, response: &PromptResponse) {
        self.sums().end_turn(response);
    }

    fn sums(&self) -> MutexGuard<'_, UsageSums> {
        // Nothing but sums is made under this lock.
        self.sums.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
