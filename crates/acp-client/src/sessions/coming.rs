//! Events on their way into the inbox of a session.

use std::sync::Arc;

use crate::event::Event;
use crate::sessions::session_state::SessionState;
use crate::wire::moment::Moment;

/// An event that was received and waits for its place in the queue. The wait ends when this is
/// dropped.
#[derive(Debug)]
pub(crate) struct Coming {
    session: Arc<SessionState>,
    at: Moment,
}

impl Coming {
    /// Adds an event if it can be added at once. Behind a slow reader or an earlier event it has to
    /// wait, and is given back as one that is coming. Only the reader of the connection may call
    /// this, so that nothing else comes meanwhile.
    pub(crate) fn push_now(
        session: &Arc<SessionState>,
        event: Event,
        weight: usize,
    ) -> Result<(), (Self, Event)> {
        let at = Moment::now();
        let pushed = session.inbox.push_now(event, weight, at);
        pushed.map_err(|event| (Self { session: Arc::clone(session), at }, event))
    }

    /// Adds the event, after waiting for its turn.
    pub(crate) async fn push(self, event: Event, weight: usize) {
        self.session.inbox.push(event, weight, self.at).await;
    }
}

impl Drop for Coming {
    fn drop(&mut self) {
        self.session.inbox.came();
    }
}
