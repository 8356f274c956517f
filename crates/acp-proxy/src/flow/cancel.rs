//! The cancellation of a request on its way.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use acp_rpc::Id;
use tokio::sync::Notify;

/// A connection that can withdraw a request that it has sent.
pub(crate) trait Withdraw: Send + Sync {
    /// Sends `$/cancel_request` for the request with this id, unless it is answered.
    fn withdraw(&self, id: i64);
}

/// The cancellation of one request. Each hop passes it on with an id of its own.
#[derive(Default)]
pub(crate) struct Cancel {
    state: Mutex<State>,
    fired: Notify,
    /// The id that the sender of the request gave to it. A message of a proxy's own has none.
    origin: Option<Id>,
}

#[derive(Default)]
struct State {
    has_fired: bool,
    /// The hop that has the request now.
    onward: Option<(Arc<dyn Withdraw>, i64)>,
}

impl Cancel {
    /// Makes the cancellation of a request of a peer.
    pub(crate) fn of(origin: Id) -> Self {
        Self { origin: Some(origin), ..Self::default() }
    }

    pub(crate) const fn origin(&self) -> Option<&Id> {
        self.origin.as_ref()
    }

    /// Cancels the request. Only the first call has an effect.
    pub(crate) fn fire(&self) {
        let onward = {
            let mut state = self.state();
            state.has_fired = true;
            state.onward.take()
        };
        self.fired.notify_waiters();
        if let Some((hop, id)) = onward {
            hop.withdraw(id);
        }
    }

    /// Notes that the request has been sent on. If it was cancelled already, so is that request.
    pub(crate) fn sent_on(&self, hop: Arc<dyn Withdraw>, id: i64) {
        {
            let mut state = self.state();
            if !state.has_fired {
                state.onward = Some((hop, id));
                return;
            }
        }
        hop.withdraw(id);
    }

    pub(crate) fn has_fired(&self) -> bool {
        self.state().has_fired
    }

    /// Waits until the request is cancelled.
    pub(crate) async fn fired(&self) {
        let fired = self.fired.notified();
        if !self.has_fired() {
            fired.await;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Cancel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cancel").field("has_fired", &self.has_fired()).finish_non_exhaustive()
    }
}
