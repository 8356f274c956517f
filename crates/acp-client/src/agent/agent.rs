//! A connected agent: what it is, and how it is called.

use std::sync::{Arc, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use acp_json::FromNode;
use acp_rpc::{CloseReason, Command, Peer};
use acp_types::method::Request;
use acp_types::v1::{AgentCapabilities, Implementation, InitializeResponse, ProtocolVersion, SessionId};
use serde_core::Serialize;

use crate::Error;
use crate::agent::connection::Connection;
use crate::agent::shared::Shared;
use crate::sessions::session_state::SessionState;

/// An agent that has answered `initialize`: what it is, what it offers, and how to call it.
///
/// Handles are cheap to clone. When the last handle, session and turn of a connection is dropped, the connection is
/// closed and a child process is ended.
///
/// What the agent did not advertise is not sent: such a call fails at once with [`Error::NotOffered`].
#[derive(Clone, Debug)]
pub struct Agent {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    connection: Connection,
    initialized: InitializeResponse,
}

/// A handle that does not keep the connection.
#[derive(Clone, Debug)]
pub(crate) struct WeakAgent(Weak<Inner>);

impl WeakAgent {
    pub(crate) fn upgrade(&self) -> Option<Agent> {
        Some(Agent { inner: self.0.upgrade()? })
    }
}

impl Agent {
    pub(crate) fn new(connection: Connection, initialized: InitializeResponse) -> Self {
        Self { inner: Arc::new(Inner { connection, initialized }) }
    }

    pub(crate) fn downgrade(&self) -> WeakAgent {
        WeakAgent(Arc::downgrade(&self.inner))
    }

    /// The agent's name and version, if it told.
    #[must_use]
    pub fn info(&self) -> Option<&Implementation> {
        self.inner.initialized.agent_info.as_ref()
    }

    /// What the agent can do.
    #[must_use]
    pub fn capabilities(&self) -> &AgentCapabilities {
        &self.inner.initialized.agent_capabilities
    }

    /// The version of the protocol that both sides speak.
    #[must_use]
    pub fn protocol_version(&self) -> ProtocolVersion {
        self.inner.initialized.protocol_version
    }

    /// The whole answer to `initialize`.
    #[must_use]
    pub fn initialize_response(&self) -> &InitializeResponse {
        &self.inner.initialized
    }

    /// Calls an extension method. Its name starts with an underscore.
    ///
    /// # Errors
    /// [`Error::Argument`] for another name; the agent answered with an error (-32601: it does not know the method),
    /// or its result is no `R`.
    pub async fn ext_request<R: FromNode + Send + 'static>(
        &self,
        method: &str,
        params: &(impl Serialize + Sync + ?Sized),
    ) -> Result<R, Error> {
        check_extension(method)?;
        let answer = self.peer().request(method, params).await;
        answer.map_err(|error| Error::of_call(method, None, error))
    }

    /// Sends an extension notification. Its name starts with an underscore.
    ///
    /// # Errors
    /// [`Error::Argument`] for another name; the connection is over.
    pub async fn ext_notify(
        &self,
        method: &str,
        params: &(impl Serialize + Sync + ?Sized),
    ) -> Result<(), Error> {
        check_extension(method)?;
        self.peer().notify(method, params).await.map_err(|error| Error::of_call(method, None, error))
    }

    /// Closes the connection and waits until it is over; a child process is ended with its whole tree. Open permission
    /// requests are answered with `cancelled` first.
    pub async fn close(&self) -> CloseReason {
        self.inner.connection.close();
        self.wait().await
    }

    /// Waits until the connection is over and a child process is gone with its whole tree, and says why. What ran for the
    /// agent in [`LocalTerminals`](crate::LocalTerminals) is gone by then, too.
    pub async fn wait(&self) -> CloseReason {
        self.inner.connection.over().await
    }

    /// The last lines that the agent and what it started wrote to stderr. Empty for one that is no child process.
    #[must_use]
    pub fn stderr_tail(&self) -> String {
        self.inner.connection.stderr_tail()
    }

    /// What was skipped, refused or went wrong on the connection without ending it, oldest first: noise on the
    /// agent's stdout, answers to no question, unreadable updates, text that had to be repaired. The last hundred,
    /// without their contents.
    #[must_use]
    pub fn faults(&self) -> Vec<String> {
        self.shared().faults.all()
    }

    /// How many messages of the agent could not be read, so that nobody knows what they said. [`faults`](Self::faults)
    /// tells why. What else the agent prints to its stdout does not count.
    #[must_use]
    pub fn lost_messages(&self) -> u64 {
        self.shared().faults.lost()
    }

    /// The connection itself, for calls that this crate does not know.
    #[must_use]
    pub fn peer(&self) -> &Peer {
        &self.inner.connection.peer
    }

    pub(crate) fn shared(&self) -> &Shared {
        self.inner.connection.shared()
    }

    pub(crate) fn cancel_timeout(&self) -> Option<Duration> {
        self.inner.connection.cancel_timeout
    }

    /// The program that was started, if one was.
    pub(crate) fn program(&self) -> Option<MutexGuard<'_, Command>> {
        let program = self.inner.connection.program.as_ref()?;
        Some(program.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn check_offered(
        &self,
        is_offered: bool,
        method: &'static str,
        capability: &'static str,
    ) -> Result<(), Error> {
        if is_offered { Ok(()) } else { Err(Error::NotOffered { method, capability }) }
    }

    pub(crate) async fn call<M: Request>(
        &self,
        session: Option<&SessionId>,
        params: &M::Params,
    ) -> Result<M::Response, Error>
    where
        M::Params: Sync,
    {
        self.call_for(M::NAME, session, params).await
    }

    pub(crate) async fn call_for<R: FromNode + Send + 'static>(
        &self,
        method: &'static str,
        session: Option<&SessionId>,
        params: &(impl Serialize + Sync),
    ) -> Result<R, Error> {
        let answer = self.peer().request(method, params).await;
        answer.map_err(|error| Error::of_call(method, session, error))
    }

    /// The answer comes after the updates of the session that came before it.
    pub(crate) async fn call_in_lane<R: FromNode + Send + 'static>(
        &self,
        method: &'static str,
        session: &SessionState,
        params: &(impl Serialize + Sync),
    ) -> Result<R, Error> {
        let answer = self.peer().request_in_lane(session.lane(), method, params).await;
        answer.map_err(|error| Error::of_call(method, Some(session.id()), error))
    }
}

fn check_extension(method: &str) -> Result<(), Error> {
    if method.starts_with('_') {
        return Ok(());
    }
    Err(Error::Argument {
        method: "an extension call",
        field: "method",
        problem: "must start with an underscore: all other names belong to the protocol".to_owned(),
    })
}
