//! Requests that open a session.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use acp_types::v1::{LoadSessionRequest, NewSessionRequest, ResumeSessionRequest, SessionId};

use crate::agent::session::place::Place;
use crate::agent::session::wait::until_free;
use crate::wire::moment::Moment;
use crate::{Agent, Error, Session};

/// A session about to be opened with `session/new`. Await it.
///
/// ```no_run
/// # async fn open(agent: acp_client::Agent) -> Result<(), acp_client::Error> {
/// let session = agent.new_session("/home/me/project").directory("/home/me/notes").await?;
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
#[must_use = "nothing is sent until this is awaited"]
pub struct NewSession {
    agent: Agent,
    place: Place,
}

/// A session about to be opened again with `session/load`. Await it.
///
/// The conversation so far arrives as [`Event`](crate::Event)s before the agent answers. Read it
/// with [`Session::updates`] afterwards. If it is longer than 4 MiB, an
/// [`Event::Missed`](crate::Event::Missed) replaces the oldest part. To see all of a longer one,
/// [`replay`](Self::replay) it.
///
/// ```no_run
/// # async fn open(agent: acp_client::Agent) -> Result<(), acp_client::Error> {
/// let session = agent.load_session("yesterday", "/home/me/project").await?;
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
#[must_use = "nothing is sent until this is awaited"]
pub struct LoadSession {
    agent: Agent,
    id: SessionId,
    place: Place,
    wait: Option<Duration>,
}

/// A session about to be taken up again with `session/resume`, without its conversation. Await it.
///
/// Some agents send the conversation before they answer, [against the
/// protocol](https://github.com/acp-rs/acp/blob/main/docs/rules/v1.md#v1-res-02). Its messages,
/// thoughts, tool calls and plans can be read with [`Session::updates`]. They are never among the
/// events of a turn. If they are longer than 4 MiB, an [`Event::Missed`](crate::Event::Missed)
/// replaces the oldest part.
///
/// ```no_run
/// # async fn open(agent: acp_client::Agent) -> Result<(), acp_client::Error> {
/// let session = agent.resume_session("yesterday", "/home/me/project").await?;
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
#[must_use = "nothing is sent until this is awaited"]
pub struct ResumeSession {
    agent: Agent,
    id: SessionId,
    place: Place,
    wait: Option<Duration>,
}

/// A request that opens a session: [`NewSession`], [`LoadSession`] and [`ResumeSession`].
pub trait Opening: Sealed + IntoFuture<Output = Result<Session, Error>, IntoFuture: Send> + Send {}

/// The part of an [`Opening`] that only this crate uses.
pub trait Sealed {
    /// Returns the place of the session.
    fn place(&self) -> Place;
}

impl Agent {
    /// Opens a session (`session/new`) whose relative paths start at `cwd`, an absolute path.
    pub fn new_session(&self, cwd: impl AsRef<Path>) -> NewSession {
        NewSession::new(self.clone(), cwd.as_ref())
    }

    /// Opens an earlier session again (`session/load`). Its conversation arrives as events. `cwd`
    /// must be the session's.
    pub fn load_session(&self, id: impl Into<SessionId>, cwd: impl AsRef<Path>) -> LoadSession {
        LoadSession::new(self.clone(), id.into(), cwd.as_ref())
    }

    /// Takes up an earlier session again (`session/resume`), without its conversation. `cwd` must
    /// be the session's.
    pub fn resume_session(&self, id: impl Into<SessionId>, cwd: impl AsRef<Path>) -> ResumeSession {
        ResumeSession::new(self.clone(), id.into(), cwd.as_ref())
    }
}

impl NewSession {
    pub(crate) fn new(agent: Agent, cwd: &Path) -> Self {
        Self { agent, place: Place::new(cwd) }
    }

    async fn open(self) -> Result<Session, Error> {
        let place = self.place.check(&self.agent, self.agent.method::<NewSessionRequest>())?;
        let request =
            NewSessionRequest::new(place.cwd, place.mcp_servers).additional_directories(place.directories);
        #[cfg(feature = "unstable")]
        let request = match place.system_prompt {
            Some(prompt) => request.system_prompt(prompt),
            None => request,
        };
        let shared = self.agent.shared();
        let roots = shared.roots(&request.cwd, &request.additional_directories).await;
        let opening = shared.sessions.opening(Arc::clone(&roots));
        let (id, opened) = self.agent.wire().open_new(self.agent.peer(), None, &request).await?;
        let state = shared.sessions.attach(&id, roots);
        drop(opening);
        Ok(Session::new(self.agent, state, opened))
    }
}

impl LoadSession {
    pub(crate) fn new(agent: Agent, id: SessionId, cwd: &Path) -> Self {
        Self::at(agent, id, Place::new(cwd))
    }

    pub(crate) const fn at(agent: Agent, id: SessionId, place: Place) -> Self {
        Self { agent, id, place, wait: None }
    }

    /// Makes the request, if the agent offers the method.
    pub(crate) fn request(self) -> Result<(Agent, LoadSessionRequest), Error> {
        let method = self.agent.method::<LoadSessionRequest>();
        self.agent.check_offered(self.agent.capabilities().load_session, method, "loadSession")?;
        let place = self.place.check(&self.agent, method)?;
        let request = LoadSessionRequest::new(place.mcp_servers, place.cwd, self.id)
            .additional_directories(place.directories);
        #[cfg(feature = "unstable")]
        let request = match place.system_prompt {
            Some(prompt) => request.system_prompt(prompt),
            None => request,
        };
        Ok((self.agent, request))
    }

    pub(crate) const fn waits(&self) -> bool {
        self.wait.is_some()
    }

    /// Calls `attempt` until the session is not open elsewhere any more, within the limit.
    pub(crate) async fn until_free<T, F: Future<Output = Result<T, Error>>>(
        self,
        attempt: impl Fn(Self) -> F,
    ) -> Result<T, Error> {
        until_free(&self.agent, self.wait, || attempt(self.clone())).await
    }

    async fn open(self) -> Result<Session, Error> {
        self.until_free(Self::open_now).await
    }

    async fn open_now(self) -> Result<Session, Error> {
        let (agent, request) = self.request()?;
        // Its updates come before the answer (rule v1-load-09).
        let roots = agent.shared().roots(&request.cwd, &request.additional_directories).await;
        let state = agent.shared().sessions.take_up(&request.session_id, roots);
        let opened = agent.wire().open(agent.peer(), (state.id(), state.lane()), &request).await?;
        Ok(Session::new(agent, state, opened))
    }
}

impl ResumeSession {
    pub(crate) fn new(agent: Agent, id: SessionId, cwd: &Path) -> Self {
        Self::at(agent, id, Place::new(cwd))
    }

    pub(crate) const fn at(agent: Agent, id: SessionId, place: Place) -> Self {
        Self { agent, id, place, wait: None }
    }

    async fn open(self) -> Result<Session, Error> {
        until_free(&self.agent, self.wait, || self.clone().open_now()).await
    }

    async fn open_now(self) -> Result<Session, Error> {
        let method = self.agent.method::<ResumeSessionRequest>();
        let offered = self.agent.capabilities().session_capabilities.resume.is_some();
        self.agent.check_offered(offered, method, "sessionCapabilities.resume")?;
        let place = self.place.check(&self.agent, method)?;
        let request = ResumeSessionRequest::new(self.id, place.cwd)
            .mcp_servers(place.mcp_servers)
            .additional_directories(place.directories);
        #[cfg(feature = "unstable")]
        let request = match place.system_prompt {
            Some(prompt) => request.system_prompt(prompt),
            None => request,
        };
        let roots = self.agent.shared().roots(&request.cwd, &request.additional_directories).await;
        let state = self.agent.shared().sessions.take_up(&request.session_id, roots);
        let asked = Moment::now();
        let agent = &self.agent;
        let opened = agent.wire().open(agent.peer(), (state.id(), state.lane()), &request).await?;
        // A session that was open here already may have a running turn.
        if !state.has_turn() {
            state.inbox.set_aside(asked, opened.at);
        }
        Ok(Session::new(self.agent, state, opened))
    }
}

/// Adds the members that every request to open a session has.
macro_rules! opens_a_session {
    ($($opening:ident),*) => {$(
        impl $opening {
            /// Lets the session work in another directory too, an absolute path. Directories of
            /// earlier times are not remembered. Needs `sessionCapabilities.additionalDirectories`.
            pub fn directory(mut self, directory: impl AsRef<std::path::Path>) -> Self {
                self.place.add_directory(directory.as_ref());
                self
            }

            /// Gives the session an MCP server. Servers over HTTP need `mcpCapabilities.http`,
            /// servers over SSE `mcpCapabilities.sse`.
            pub fn mcp_server(mut self, server: impl Into<acp_types::v1::McpServer>) -> Self {
                self.place.add_mcp_server(server.into());
                self
            }

            /// Adds to the agent's system prompt or replaces it. Needs
            /// `sessionCapabilities.systemPrompt`.
            #[cfg(feature = "unstable")]
            pub fn system_prompt(mut self, prompt: impl Into<acp_types::v1::SystemPrompt>) -> Self {
                self.place.system_prompt = Some(prompt.into());
                self
            }
        }

        impl crate::agent::session::open::Sealed for $opening {
            fn place(&self) -> crate::agent::session::place::Place {
                self.place.clone()
            }
        }

        impl crate::agent::session::open::Opening for $opening {}

        impl std::future::IntoFuture for $opening {
            type Output = Result<crate::Session, crate::Error>;
            type IntoFuture = std::pin::Pin<Box<dyn Future<Output = Self::Output> + Send>>;

            fn into_future(self) -> Self::IntoFuture {
                Box::pin(self.open())
            }
        }
    )*};
}

opens_a_session!(NewSession, LoadSession, ResumeSession);

/// Adds the wait to the requests for sessions that exist.
macro_rules! waits_until_free {
    ($($opening:ident),*) => {$(
        impl $opening {
            /// Waits while the session is open elsewhere, and tries again for as long as `limit`
            /// says. Then the agent's error counts. A process that has crashed may hold its
            /// sessions for a while: 30 seconds, if a database keeps them and nothing else was set.
            ///
            /// It is tried again at the [time](crate::StoreProblem::Busy::until) that the agent
            /// names. Before that, and if the agent names none, there are pauses of up to 5
            /// seconds, because the session may be closed at any time. Every other error counts
            /// at once, also that of an agent that does not [say](crate::Error::store_problem)
            /// that the session is open elsewhere. The limit does not end an attempt.
            ///
            /// ```no_run
            /// # async fn open(agent: acp_client::Agent) -> Result<(), acp_client::Error> {
            /// use std::time::Duration;
            ///
            /// let resumed = agent.resume_session("yesterday", "/home/me/project");
            /// let session = resumed.wait_until_free(Duration::from_secs(40)).await?;
            /// # Ok(()) }
            /// ```
            pub const fn wait_until_free(mut self, limit: Duration) -> Self {
                self.wait = Some(limit);
                self
            }
        }
    )*};
}

waits_until_free!(LoadSession, ResumeSession);
#[cfg(feature = "unstable")]
pub(crate) use opens_a_session;
