//! A session of an agent that is started again when it ends.

use std::path::Path;
use std::sync::Arc;

use acp_types::method::Method;
use acp_types::v1::SessionId;
use acp_types::v1::methods::{SessionClose, SessionNew, SessionPrompt};

use super::ReconnectingAgent;
use super::entries::Entry;
use crate::{Agent, Error, IntoPrompt, Opening, Session, Turn};

/// A conversation that goes on when the agent has been restarted: it is
/// [resumed](crate::Agent::resume_session) where the agent offers that, else
/// [loaded](crate::Agent::load_session). Handles are cheap to clone.
///
/// A turn that runs when the agent ends fails with [`Error::Closed`]; it is not sent again, for the
/// agent may have done a part of it. What had come in and was not read is gone with it.
///
/// The conversation that a load brings, or a resume against the protocol, is not shown again. There
/// are agents that send a part of it after their answer to `session/load`: that part is with the
/// next turn's events.
#[derive(Clone, Debug)]
pub struct ReconnectingSession {
    agent: ReconnectingAgent,
    entry: Arc<Entry>,
}

impl ReconnectingAgent {
    /// Opens a session, as [`Agent::new_session`] does.
    ///
    /// # Errors
    /// Those of [`current`](Self::current), and what went wrong with `session/new`.
    pub async fn new_session(&self, cwd: impl AsRef<Path>) -> Result<ReconnectingSession, Error> {
        self.open(|agent| agent.new_session(cwd)).await
    }

    /// Opens a session in any way that an [`Agent`] has: with directories and MCP servers, by a
    /// load or a resume. It is taken up again with the same ones.
    ///
    /// ```no_run
    /// # async fn open(agent: acp_client::ReconnectingAgent) -> Result<(), acp_client::Error> {
    /// let new = agent.open(|agent| agent.new_session("/home/me/project").directory("/home/me/notes")).await?;
    /// let old = agent.open(|agent| agent.load_session("yesterday", "/home/me/project")).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Those of [`current`](Self::current), and what went wrong with the opening.
    pub async fn open<O: Opening>(
        &self,
        opening: impl FnOnce(&Agent) -> O,
    ) -> Result<ReconnectingSession, Error> {
        let (agent, generation) = self.up(SessionNew::NAME, None).await?;
        let opening = opening(&agent);
        let place = opening.place();
        let session = opening.await?;
        let id = session.id().clone();
        let entry = Arc::new(Entry::new(session, place));
        if !self.entries().add(&entry, generation) {
            let reason = agent.wait().await;
            return Err(Error::Closed { method: SessionNew::NAME.to_owned(), session: Some(id), reason });
        }
        Ok(ReconnectingSession { agent: self.clone(), entry })
    }
}

impl ReconnectingSession {
    /// The agent's id of the session: the same after a restart.
    #[must_use]
    pub fn id(&self) -> &SessionId {
        &self.entry.id
    }

    /// The agent.
    #[must_use]
    pub const fn agent(&self) -> &ReconnectingAgent {
        &self.agent
    }

    /// The session at the agent that runs now, for all that this handle does not have. While the
    /// agent is being restarted, waits until it is back.
    ///
    /// It, its turns and its [`updates`](Session::updates) end with that agent; after that, this
    /// gives the next one.
    ///
    /// # Errors
    /// [`Error::GivenUp`], [`Error::NotRestored`], or [`Error::Closed`] when the agent was closed
    /// here.
    pub async fn current(&self) -> Result<Session, Error> {
        self.session_for(SessionPrompt::NAME).await
    }

    /// Starts a turn, as [`Session::prompt`] does. While the agent is being restarted, waits until
    /// it is back.
    ///
    /// # Errors
    /// Those of [`current`](Self::current) and of [`Session::prompt`].
    pub async fn prompt(&self, content: impl IntoPrompt) -> Result<Turn, Error> {
        self.current().await?.prompt(content).await
    }

    /// Asks the agent to stop what it does in this session, as [`Session::cancel`] does. While it
    /// is being restarted there is nothing to stop.
    ///
    /// # Errors
    /// Those of [`Session::cancel`], or [`Error::NotRestored`].
    pub fn cancel(&self) -> Result<(), Error> {
        if !self.agent.is_connected() {
            return Ok(());
        }
        self.entry.session()?.cancel()
    }

    /// Closes the session, as [`Session::close`] does. It is not taken up again after that.
    ///
    /// # Errors
    /// Those of [`current`](Self::current) and of [`Session::close`].
    pub async fn close(&self) -> Result<(), Error> {
        self.session_for(SessionClose::NAME).await?.close().await
    }

    async fn session_for(&self, method: &str) -> Result<Session, Error> {
        self.agent.up(method, Some(self.id())).await?;
        self.entry.session()
    }
}
