//! The handle of an agent that is started again when it ends.

use std::sync::Arc;
use std::time::Duration;

use acp_rpc::CloseReason;
use acp_types::v1::{InitializeRequest, SessionId};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::entries::Entries;
use super::state::{AgentStatus, State};
use crate::wire::Wire;
use crate::{Agent, Error};

/// An agent that is started again when it ends, with its sessions: see
/// [`reconnecting`](crate::reconnecting).
///
/// Handles are cheap to clone. Dropping the last handle and session closes the agent.
#[derive(Clone, Debug)]
pub struct ReconnectingAgent {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    state: watch::Receiver<State>,
    entries: Arc<Entries>,
    /// Tells the supervisor to end.
    closing: CancellationToken,
    restore_timeout: Duration,
}

impl ReconnectingAgent {
    pub(super) fn new(
        state: watch::Receiver<State>,
        entries: Arc<Entries>,
        closing: CancellationToken,
        restore_timeout: Duration,
    ) -> Self {
        Self { inner: Arc::new(Inner { state, entries, closing, restore_timeout }) }
    }

    /// Returns the agent that runs now, for everything that this handle does not have. During a
    /// restart it waits until the agent is back.
    ///
    /// # Errors
    /// [`Error::GivenUp`]; [`Error::Closed`] if it was closed here.
    pub async fn current(&self) -> Result<Agent, Error> {
        Ok(self.up(Wire::default().method::<InitializeRequest>(), None).await?.0)
    }

    /// Returns the current status.
    #[must_use]
    pub fn status(&self) -> AgentStatus {
        self.inner.state.borrow().status()
    }

    /// Waits until the status is `wanted`, or can no longer change, and returns it.
    pub async fn status_is(&self, mut wanted: impl FnMut(AgentStatus) -> bool) -> AgentStatus {
        let mut state = self.inner.state.clone();
        let reached = state.wait_for(|state| {
            let status = state.status();
            wanted(status) || matches!(status, AgentStatus::GivenUp | AgentStatus::Closed)
        });
        match reached.await {
            Ok(state) => state.status(),
            // A panic in `connect` or `on_start` has ended the task that restarts the agent.
            Err(_) => AgentStatus::GivenUp,
        }
    }

    /// Closes the agent and waits until it is gone, with everything that it has started. An agent
    /// that is being restarted is ended, too.
    pub async fn close(&self) {
        self.inner.closing.cancel();
        self.status_is(|_| false).await;
    }

    pub(super) fn entries(&self) -> &Entries {
        &self.inner.entries
    }

    pub(super) fn restore_timeout(&self) -> Duration {
        self.inner.restore_timeout
    }

    pub(super) fn is_connected(&self) -> bool {
        matches!(&*self.inner.state.borrow(), State::Up { agent, .. } if !agent.peer().is_closed())
    }

    /// Returns the agent that runs now and the number of its start. Waits for a restart.
    pub(super) async fn up(&self, method: &str, session: Option<&SessionId>) -> Result<(Agent, u64), Error> {
        let closed = |reason| Error::Closed { method: method.to_owned(), session: session.cloned(), reason };
        let mut state = self.inner.state.clone();
        // An agent that has just ended is about to be replaced.
        let settled = state.wait_for(|state| match state {
            State::Up { agent, .. } => !agent.peer().is_closed(),
            State::Restarting(_) => false,
            State::GivenUp { .. } | State::Closed => true,
        });
        match settled.await.as_deref() {
            Ok(State::Up { agent, generation }) => Ok((agent.clone(), *generation)),
            Ok(State::GivenUp { restarts, reason }) => {
                Err(Error::GivenUp { restarts: *restarts, reason: reason.clone() })
            }
            Ok(State::Closed | State::Restarting(_)) => Err(closed(CloseReason::Local)),
            Err(_) => {
                let reason = "the start of the agent panicked, in `connect` or `on_start`".to_owned().into();
                Err(Error::GivenUp { restarts: 0, reason })
            }
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.closing.cancel();
    }
}
