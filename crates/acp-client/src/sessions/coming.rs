//! Events on their way into the inbox of a session.

use std::sync::Arc;

use crate::event::Event;
use crate::sessions::session_state::SessionState;
use crate::wire::moment::Moment;

/// An event that has been received. Once this is dropped it is in the queue, or will never be.
#[derive(Debug)]
pub(crate) struct Coming {
    session: Arc<SessionState>,
    at: Moment,
}

impl Coming {
    /// Adds an event, unless it would have to wait: for a reader that is behind, or for an earlier event. Then it is
    /// given back as one that is coming. Only for the reader of the connection: nothing else comes meanwhile.
    pub(crate) fn push_now(
        session: &Arc<SessionState>,
        event: Event,
        weight: usize,
    ) -> Result<(), (Self, Event)> {
        let at = Moment::now();
        let pushed = session.inbox.push_now(event, weight, at);
        pushed.map_err(|event| (Self { session: Arc::clone(session), at }, event))
    }

    /// Adds the event that is coming.
    pub(crate) async fn push(self, event: Event, weight: usize) {
        self.session.inbox.push(event, weight, self.at).await;
    }
}

impl Drop for Coming {
    fn drop(&mut self) {
        self.session.inbox.came();
    }
}
