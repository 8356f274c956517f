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

/// Sees the cancellation of a request before it has an effect, and lets it pass or not.
type Guard = Box<dyn FnOnce() -> bool + Send>;

#[derive(Default)]
struct State {
    /// It has been cancelled. The guards see it first.
    is_called: bool,
    has_fired: bool,
    guards: Vec<Guard>,
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

    /// Shows the cancellation to a function, behind those before. If it returns false, the request
    /// is not cancelled. One that has been cancelled already is shown at once.
    pub(crate) fn guarded(&self, guard: impl FnOnce() -> bool + Send + 'static) {
        {
            let mut state = self.state();
            if !state.is_called {
                state.guards.push(Box::new(guard));
                return;
            }
        }
        let _ = guard();
    }

    /// Cancels the request. Only the first call has an effect.
    pub(crate) fn fire(&self) {
        let guards = {
            let mut state = self.state();
            if std::mem::replace(&mut state.is_called, true) {
                return;
            }
            std::mem::take(&mut state.guards)
        };
        if !guards.into_iter().all(|guard| guard()) {
            return;
        }
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
