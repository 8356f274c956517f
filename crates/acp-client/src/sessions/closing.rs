//! Sessions that are being closed.

use std::sync::Arc;

use crate::sessions::session_state::SessionState;
use crate::sessions::table::Sessions;

/// A session that is being closed. Dropping it before the agent has agreed opens the session again.
#[derive(Debug)]
pub(crate) struct Closing {
    state: Arc<SessionState>,
    sessions: Arc<Sessions>,
}

impl Closing {
    /// Lets no turn begin from now on.
    pub(crate) fn new(state: Arc<SessionState>, sessions: Arc<Sessions>) -> Self {
        state.begin_closing();
        Self { state, sessions }
    }

    /// Answers the open permission requests with `cancelled`, and later ones too. Call it when the
    /// agent has been told.
    pub(crate) fn withdraw(&self) {
        self.state.withdraw_asks();
    }

    /// Closes the session after the agent has agreed. A running turn is read to its end first, like
    /// a cancelled one.
    pub(crate) fn close(self) {
        // Before it is forgotten, and after the last updates of the agent.
        self.state.flow.close().tell();
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
