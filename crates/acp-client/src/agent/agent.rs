//! A connected agent, and calls of its methods.

use std::fmt;
use std::sync::{Arc, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use acp_json::FromNode;
use acp_rpc::{CloseReason, Command, Peer};
use acp_types::method;
use acp_types::v1::{AgentCapabilities, Implementation, InitializeResponse, ProtocolVersion, SessionId};
use serde_core::Serialize;

use crate::Error;
use crate::agent::connection::Connection;
use crate::agent::session::limits::TurnLimits;
use crate::agent::shared::Shared;
use crate::wire::Wire;
use crate::wire::ask::{Answer, Ask, Message};
use crate::wire::initialized::Initialized;

/// A connected agent. It has answered `initialize`, so its capabilities are known.
///
/// Handles are cheap to clone. When the last handle, session and turn of a connection is dropped,
/// the connection is closed and a child process is ended.
///
/// A request that needs a capability which the agent did not advertise fails at once with
/// [`Error::NotOffered`]. It is not sent.
#[derive(Clone)]
pub struct Agent {
    inner: Arc<Inner>,
}

struct Inner {
    connection: Connection,
    initialized: Initialized,
}

/// A handle that does not keep the connection open.
#[derive(Clone, Debug)]
pub(crate) struct WeakAgent(Weak<Inner>);

impl WeakAgent {
    pub(crate) fn upgrade(&self) -> Option<Agent> {
        Some(Agent { inner: self.0.upgrade()? })
    }
}

impl Agent {
    pub(crate) fn new(connection: Connection, initialized: Initialized) -> Self {
        Self { inner: Arc::new(Inner { connection, initialized }) }
    }

    pub(crate) fn downgrade(&self) -> WeakAgent {
        WeakAgent(Arc::downgrade(&self.inner))
    }

    /// Returns the agent's name and version, if it gave them.
    #[must_use]
    pub fn info(&self) -> Option<&Implementation> {
        self.inner.initialized.response.agent_info.as_ref()
    }

    /// Returns the capabilities of the agent.
    #[must_use]
    pub fn capabilities(&self) -> &AgentCapabilities {
        &self.inner.initialized.response.agent_capabilities
    }

    /// Returns the version of the protocol that both sides speak.
    #[must_use]
    pub fn protocol_version(&self) -> ProtocolVersion {
        self.inner.initialized.response.protocol_version
    }

    /// Returns the whole answer to `initialize`. That of an agent of version 2 is given in the form
    /// of version 1.
    #[must_use]
    pub fn initialize_response(&self) -> &InitializeResponse {
        &self.inner.initialized.response
    }

    /// Calls an extension method. Its name starts with an underscore.
    ///
    /// # Errors
    /// [`Error::Argument`] for another name; the agent answered with an error (-32601 for an
    /// unknown method); its result is not an `R`.
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

    /// Closes the connection and waits until it is over. Open permission requests are answered with
    /// `cancelled` first. A child process is ended with its whole tree.
    pub async fn close(&self) -> CloseReason {
        self.inner.connection.close();
        self.wait().await
    }

    /// Waits until the connection is over and returns the reason. By then a child process is gone
    /// with its whole tree, and so are the commands of the agent in
    /// [`LocalTerminals`](crate::LocalTerminals).
    pub async fn wait(&self) -> CloseReason {
        self.inner.connection.over().await
    }

    /// Returns the last lines of the agent and its children on stderr. It is empty for an agent
    /// that is not a child process.
    #[must_use]
    pub fn stderr_tail(&self) -> String {
        self.inner.connection.stderr_tail()
    }

    /// Returns the faults that did not end the connection, oldest first: noise on the agent's
    /// stdout, answers without a request, unreadable updates, text that had to be repaired. Parts
    /// of the client's own messages that the version of the protocol does not have are among them,
    /// once in a session for each kind. The last hundred are kept, without contents.
    #[must_use]
    pub fn faults(&self) -> Vec<String> {
        self.shared().faults.all()
    }

    /// Returns the number of messages of the agent that could not be read. [`faults`](Self::faults)
    /// gives the reasons. Other output of the agent on stdout does not count.
    #[must_use]
    pub fn lost_messages(&self) -> u64 {
        self.shared().faults.lost()
    }

    /// Returns the connection, for methods that this crate does not know.
    #[must_use]
    pub fn peer(&self) -> &Peer {
        &self.inner.connection.peer
    }

    pub(crate) fn shared(&self) -> &Shared {
        self.inner.connection.shared()
    }

    /// Returns the state of the connection for a task that must not keep the connection open.
    pub(crate) fn shared_with_reader(&self) -> Arc<Shared> {
        Arc::clone(self.inner.connection.shared())
    }

    pub(crate) fn turn_limits(&self) -> &TurnLimits {
        &self.inner.connection.turn_limits
    }

    pub(crate) fn cancel_timeout(&self) -> Option<Duration> {
        self.inner.connection.cancel_timeout
    }

    /// Returns the program, if the agent was started here.
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
        if is_offered { Ok(()) } else { Err(self.not_offered(method, capability)) }
    }

    /// Returns the error of a capability that is missing. `capability` is its name in version 1.
    pub(crate) fn not_offered(&self, method: &'static str, capability: &'static str) -> Error {
        Error::NotOffered { method, capability: self.wire().capability(capability) }
    }

    /// Makes a call.
    pub(crate) async fn ask<Q: Ask>(
        &self,
        session: Option<&SessionId>,
        request: &Q,
    ) -> Result<Answer<Q>, Error> {
        self.wire().ask(self.peer(), session, request).await
    }

    /// Returns the name of a method, for errors.
    pub(crate) fn method<M: Message>(&self) -> &'static str {
        self.wire().method::<M>()
    }

    pub(crate) fn wire(&self) -> Wire {
        self.shared().wire()
    }

    /// Returns true if the agent takes MCP servers over stdio.
    pub(crate) fn takes_stdio_servers(&self) -> bool {
        self.inner.initialized.takes_stdio_servers
    }
}

fn check_extension(name: &str) -> Result<(), Error> {
    method::check_extension(name).map_err(|error| Error::argument("an extension call", "method", &error))
}

/// Shows the agent's name, and neither settings nor messages.
impl fmt::Debug for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Agent").field("info", &self.info()).finish_non_exhaustive()
    }
}
