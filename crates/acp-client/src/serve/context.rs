//! The context of a handler's call.

use std::sync::Arc;

use acp_rpc::{CallError, CloseReason, Peer};
use acp_types::v1::SessionId;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::agent::agent::WeakAgent;
use crate::agent::shared::Shared;
use crate::error::Result;
use crate::sessions::roots::Roots;
use crate::sessions::session_state::SessionState;
use crate::wire::Wire;
use crate::wire::loss::Losses;
use crate::{Agent, Cancel, Error, RpcError};

/// The context of a handler's call, beside the params.
#[derive(Clone, Debug)]
pub struct Context {
    peer: Peer,
    cancel: CancellationToken,
    link: Arc<Link>,
}

impl Context {
    pub(crate) const fn new(peer: Peer, cancel: CancellationToken, link: Arc<Link>) -> Self {
        Self { peer, cancel, link }
    }

    /// Waits until the agent withdraws the call (`$/cancel_request`), or the connection ends.
    pub async fn cancelled(&self) {
        self.cancel.cancelled().await;
    }

    /// Returns true if the agent has withdrawn the call, or the connection has ended.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// Awaits `what`. Returns -32800 if the agent withdraws the request first.
    pub(crate) async fn unless_withdrawn<T>(&self, what: impl Future<Output = T>) -> Result<T, RpcError> {
        tokio::select! {
            biased;
            value = what => Ok(value),
            () = self.cancelled() => Err(RpcError::cancelled()),
        }
    }

    /// Returns the connection, to call the agent.
    #[must_use]
    pub const fn peer(&self) -> &Peer {
        &self.peer
    }

    /// Returns the version that the connection speaks.
    pub(crate) fn wire(&self) -> Wire {
        self.link.shared.wire()
    }

    /// Returns the agent. Waits until it has answered `initialize`.
    pub(crate) async fn agent(&self, method: &str) -> Result<Agent> {
        let mut agent = self.link.agent.subscribe();
        let found = agent.wait_for(Option::is_some).await.ok().and_then(|found| found.as_ref()?.upgrade());
        // Its last handle was dropped.
        found.ok_or_else(|| Error::of_call(method, None, CallError::Closed(CloseReason::Local)))
    }

    pub(crate) fn cancel(&self) -> Cancel {
        Cancel::new(self.cancel.clone())
    }

    /// Returns the session with this id, if a handle of it exists.
    pub(crate) fn session(&self, id: &SessionId) -> Option<Arc<SessionState>> {
        self.link.shared.sessions.find(id)
    }

    /// Returns the directories of a session that is open or being made.
    pub(crate) fn roots(&self, id: &SessionId) -> Vec<Arc<Roots>> {
        self.link.shared.sessions.roots(id)
    }

    /// Returns a guard. While it is held, the connection is not reported as over.
    pub(crate) fn guest(&self) -> watch::Receiver<()> {
        self.link.shared.guests.subscribe()
    }

    /// Adds the losses of a session to [`Agent::faults`](crate::Agent::faults).
    pub(crate) fn report(&self, losses: Losses, session: &SessionId) {
        self.link.shared.report(losses, self.session(session).as_deref());
    }

    /// Adds to [`Agent::faults`](crate::Agent::faults).
    pub(crate) fn note(&self, fault: String) {
        self.link.shared.faults.note(fault);
    }
}

/// The connection as handlers see it.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) shared: Arc<Shared>,
    /// Set when `initialize` is answered. Handlers call the agent through it.
    agent: watch::Sender<Option<WeakAgent>>,
}

impl Link {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self { shared, agent: watch::Sender::new(None) }
    }

    /// Gives the agent to the handlers that wait for it.
    pub(crate) fn set_agent(&self, agent: &Agent) {
        self.agent.send_replace(Some(agent.downgrade()));
    }
}
