//! Sessions that are being closed.

use std::sync::Arc;

use crate::sessions::session_state::SessionState;
use crate::sessions::table::Sessions;

/// A session that is being closed. Dropped before it is closed, it is open again.
#[derive(Debug)]
pub(crate) struct Closing {
    state: Arc<SessionState>,
    sessions: Arc<Sessions>,
}

impl Closing {
    /// From now on no turn can begin.
    pub(crate) fn new(state: Arc<SessionState>, sessions: Arc<Sessions>) -> Self {
        state.begin_closing();
        Self { state, sessions }
    }

    /// The agent has been told: has the open permission requests answered with `cancelled`, and those still to come.
    pub(crate) fn withdraw(&self) {
        self.state.withdraw_asks();
    }

    /// The agent has agreed. A turn that runs is heard to its end first, as one that was cancelled.
    pub(crate) fn close(self) {
        if !self.state.close() {
            self.sessions.forget(&self.state);
        }
    }
}

impl Drop for Closing {
    fn drop(&mut self) {
        self.state.end_closing();
    }
}
