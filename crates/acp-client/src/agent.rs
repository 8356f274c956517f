use std::path::Path;
use std::sync::Arc;

use acp_json::FromNode;
use acp_rpc::{Child, CloseReason, Driver, Peer};
use acp_types::method::{Method, Request};
use acp_types::v1::methods::Authenticate;
use acp_types::v1::{
    AgentCapabilities, AuthMethod, AuthMethodId, AuthenticateRequest, Implementation, InitializeResponse,
    ProtocolVersion, SessionId,
};
use serde_core::Serialize;
use tokio::sync::watch;

use crate::Error;
use crate::open::{LoadSession, NewSession};
use crate::service::Shared;
use crate::sessions::SessionState;

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
    child: Option<Child>,
    shared: Arc<Shared>,
    /// Holds the reason once the driver is done: the pipe is closed, and a child process and its tree are gone.
    ended: watch::Receiver<Option<CloseReason>>,
}

impl Agent {
    pub(crate) fn new(connection: Connection, initialized: InitializeResponse) -> Self {
        Self { inner: Arc::new(Inner { connection, initialized }) }
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

    /// How one can log in. Most agents need no login while their own configuration holds a key.
    #[must_use]
    pub fn auth_methods(&self) -> &[AuthMethod] {
        &self.inner.initialized.auth_methods
    }

    /// The whole answer to `initialize`.
    #[must_use]
    pub fn initialize_response(&self) -> &InitializeResponse {
        &self.inner.initialized
    }

    /// Logs in (`authenticate`) with one of the [`auth_methods`](Self::auth_methods) that the agent runs itself.
    ///
    /// # Errors
    /// [`Error::Argument`] for a method that is not listed, or is one to run in a terminal (rules v1-auth-03, -04);
    /// or the agent refused.
    pub async fn authenticate(&self, method: impl Into<AuthMethodId>) -> Result<(), Error> {
        let id = method.into();
        let problem = match self.auth_methods().iter().find(|listed| listed.id().as_ref() == Some(&id)) {
            Some(AuthMethod::Terminal(_)) => Some("names a method that is to be run in a terminal"),
            Some(_) => None,
            None => Some("does not name a method that the agent lists"),
        };
        if let Some(problem) = problem {
            return Err(Error::Argument {
                method: Authenticate::NAME,
                field: "methodId",
                problem: problem.to_owned(),
            });
        }
        self.call::<Authenticate>(None, &AuthenticateRequest::new(id)).await?;
        Ok(())
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

    /// Closes the connection and waits until it is over; a child process is ended with its whole tree.
    pub async fn close(&self) -> CloseReason {
        self.peer().close();
        self.wait().await
    }

    /// Waits until the connection is over and a child process is gone with its whole tree, and says why.
    pub async fn wait(&self) -> CloseReason {
        let mut ended = self.inner.connection.ended.clone();
        match ended.wait_for(Option::is_some).await {
            Ok(reason) => reason.clone().unwrap_or(CloseReason::Local),
            // The runtime took the driver away, and the connection with it.
            Err(_) => CloseReason::Local,
        }
    }

    /// The last lines that the agent and what it started wrote to stderr. Empty for one that is no child process.
    #[must_use]
    pub fn stderr_tail(&self) -> String {
        self.inner.connection.stderr_tail()
    }

    /// What was skipped, refused or went wrong on the connection without ending it, oldest first: noise on the
    /// agent's stdout, answers to no question, unreadable updates. The last hundred, without their contents.
    #[must_use]
    pub fn faults(&self) -> Vec<String> {
        self.inner.connection.shared.faults()
    }

    /// The connection itself, for calls that this crate does not know.
    #[must_use]
    pub fn peer(&self) -> &Peer {
        &self.inner.connection.peer
    }

    pub(crate) fn shared(&self) -> &Shared {
        &self.inner.connection.shared
    }

    pub(crate) async fn call<M: Request>(
        &self,
        session: Option<&SessionId>,
        params: &M::Params,
    ) -> Result<M::Response, Error>
    where
        M::Params: Sync,
    {
        let answer = self.peer().request(M::NAME, params).await;
        answer.map_err(|error| Error::of_call(M::NAME, session, error))
    }

    /// The answer comes after the updates of the session that came before it.
    pub(crate) async fn call_in_lane<M: Request>(
        &self,
        session: &SessionState,
        params: &M::Params,
    ) -> Result<M::Response, Error>
    where
        M::Params: Sync,
    {
        let answer = self.peer().request_in_lane(session.lane(), M::NAME, params).await;
        answer.map_err(|error| Error::of_call(M::NAME, Some(session.id()), error))
    }
}

impl Connection {
    pub(crate) fn new(peer: Peer, driver: Driver, child: Option<Child>, shared: Arc<Shared>) -> Self {
        let (tell, ended) = watch::channel(None);
        tokio::spawn(async move {
            let reason = driver.await;
            tell.send_replace(Some(reason));
        });
        Self { peer, child, shared, ended }
    }

    pub(crate) fn stderr_tail(&self) -> String {
        self.child.as_ref().map(Child::stderr_tail).unwrap_or_default()
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.peer.close();
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
