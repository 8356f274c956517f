use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use acp_json::FromNode;
use acp_rpc::{Child, CloseReason, Command, Driver, Peer};
use acp_types::method::Request;
use acp_types::v1::{AgentCapabilities, Implementation, InitializeResponse, ProtocolVersion, SessionId};
use serde_core::Serialize;
use tokio::sync::watch;

use crate::Error;
use crate::agent::session::open::{LoadSession, NewSession, ResumeSession};
use crate::serve::service::Shared;
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

/// A connection that is closed when this is dropped.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) peer: Peer,
    /// Locked because a command may have a callback, which cannot be shared.
    pub(crate) program: Option<Mutex<Command>>,
    pub(crate) cancel_timeout: Option<Duration>,
    child: Option<Child>,
    shared: Arc<Shared>,
    /// Holds the reason once the driver is done: the pipe is closed, and a child process and its tree are gone. So are the
    /// commands that ran for the agent.
    ended: watch::Receiver<Option<CloseReason>>,
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
        let inner = Arc::new(Inner { connection, initialized });
        inner.connection.shared.agent.send_replace(Some(WeakAgent(Arc::downgrade(&inner))));
        Self { inner }
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

    /// Opens a session (`session/new`) whose relative paths start at `cwd`, an absolute path.
    pub fn new_session(&self, cwd: impl AsRef<Path>) -> NewSession {
        NewSession::new(self.clone(), cwd.as_ref())
    }

    /// Opens a session of an earlier time (`session/load`): its conversation arrives as events. `cwd` is that of the
    /// session.
    pub fn load_session(&self, id: impl Into<SessionId>, cwd: impl AsRef<Path>) -> LoadSession {
        LoadSession::new(self.clone(), id.into(), cwd.as_ref())
    }

    /// Takes up a session of an earlier time (`session/resume`), without its conversation. `cwd` is that of the session.
    pub fn resume_session(&self, id: impl Into<SessionId>, cwd: impl AsRef<Path>) -> ResumeSession {
        ResumeSession::new(self.clone(), id.into(), cwd.as_ref())
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
        self.inner.connection.shared.faults()
    }

    /// How many messages of the agent could not be read, so that nobody knows what they said. [`faults`](Self::faults)
    /// tells why. What else the agent prints to its stdout does not count.
    #[must_use]
    pub fn lost_messages(&self) -> u64 {
        self.inner.connection.shared.lost()
    }

    /// The connection itself, for calls that this crate does not know.
    #[must_use]
    pub fn peer(&self) -> &Peer {
        &self.inner.connection.peer
    }

    pub(crate) fn shared(&self) -> &Shared {
        &self.inner.connection.shared
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

impl Connection {
    pub(crate) fn new(peer: Peer, driver: Driver, child: Option<Child>, shared: Arc<Shared>) -> Self {
        let (tell, ended) = watch::channel(None);
        let guests = Arc::clone(&shared);
        tokio::spawn(async move {
            let reason = driver.await;
            guests.guests.closed().await;
            tell.send_replace(Some(reason));
        });
        Self { peer, program: None, cancel_timeout: None, child, shared, ended }
    }

    pub(crate) async fn over(&self) -> CloseReason {
        let mut ended = self.ended.clone();
        match ended.wait_for(Option::is_some).await {
            Ok(reason) => reason.clone().unwrap_or(CloseReason::Local),
            // The runtime took the driver away, and the connection with it.
            Err(_) => CloseReason::Local,
        }
    }

    pub(crate) fn close(&self) {
        // The agent that is told to stop is to know that this was no consent.
        self.shared.sessions.withdraw();
        self.peer.close();
    }

    pub(crate) fn stderr_tail(&self) -> String {
        self.child.as_ref().map(Child::stderr_tail).unwrap_or_default()
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.close();
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
