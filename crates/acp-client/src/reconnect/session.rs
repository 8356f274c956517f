//! A session of an agent that is started again when it ends.

use std::path::Path;
use std::sync::Arc;

use acp_types::v1::{CloseSessionRequest, NewSessionRequest, PromptRequest, SessionId};

use super::entries::Entry;
use super::{ReconnectingAgent, restore};
use crate::wire::Wire;
use crate::{Agent, Error, IntoPrompt, Opening, Session, Turn};

/// A conversation that goes on after the agent was restarted. It is
/// [resumed](crate::Agent::resume_session) if the agent offers that, and
/// [loaded](crate::Agent::load_session) otherwise. Handles are cheap to clone.
///
/// A turn that runs when the agent ends fails with [`Error::Closed`]. It is not sent again, because
/// the agent may have done a part of it. Unread events are lost with it.
///
/// The conversation that comes with a load, or with a resume against the protocol, is not shown
/// again. Some agents send a part of it after their answer to `session/load`. That part is among
/// the next turn's events.
#[derive(Clone, Debug)]
pub struct ReconnectingSession {
    agent: ReconnectingAgent,
    entry: Arc<Entry>,
}

impl ReconnectingAgent {
    /// Opens a session, like [`Agent::new_session`].
    ///
    /// # Errors
    /// The errors of [`current`](Self::current) and of `session/new`.
    pub async fn new_session(&self, cwd: impl AsRef<Path>) -> Result<ReconnectingSession, Error> {
        self.open(|agent| agent.new_session(cwd)).await
    }

    /// Opens a session by any request of an [`Agent`]: with directories and MCP servers, by a load
    /// or a resume. After a restart it is taken up again with these.
    ///
    /// ```no_run
    /// # async fn open(agent: acp_client::ReconnectingAgent) -> Result<(), acp_client::Error> {
    /// let cwd = "/home/me/project";
    /// let new = agent.open(|agent| agent.new_session(cwd).directory("/home/me/notes")).await?;
    /// let old = agent.open(|agent| agent.load_session("yesterday", "/home/me/project")).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// The errors of [`current`](Self::current) and of the request.
    pub async fn open<O: Opening>(
        &self,
        opening: impl FnOnce(&Agent) -> O,
    ) -> Result<ReconnectingSession, Error> {
        let (agent, generation) = self.up(Wire::default().method::<NewSessionRequest>(), None).await?;
        let opening = opening(&agent);
        let place = opening.place();
        let session = opening.await?;
        let id = session.id().clone();
        let entry = Arc::new(Entry::new(session, place));
        if !self.entries().add(&entry, generation) {
            let reason = agent.wait().await;
            return Err(Error::Closed {
                method: agent.method::<NewSessionRequest>().to_owned(),
                session: Some(id),
                reason,
            });
        }
        Ok(ReconnectingSession { agent: self.clone(), entry })
    }
}

impl ReconnectingSession {
    /// Returns the agent's id of the session. It stays the same after a restart.
    #[must_use]
    pub fn id(&self) -> &SessionId {
        &self.entry.id
    }

    /// Returns the agent.
    #[must_use]
    pub const fn agent(&self) -> &ReconnectingAgent {
        &self.agent
    }

    /// Returns the session at the agent that runs now, for everything that this handle does not
    /// have. During a restart it waits until the agent is back. If the session could
    /// not be taken up for a reason that passes, the agent is asked again, for as long as
    /// [`restore_timeout`](crate::Reconnect::restore_timeout) says: the lost connection still has
    /// it (-32600), or the request failed (-32603).
    ///
    /// The session, its turns and its [`updates`](Session::updates) end with that agent. After
    /// that, this method returns the next one.
    ///
    /// # Errors
    /// [`Error::GivenUp`]; [`Error::NotRestored`]; [`Error::Closed`] if the agent was closed here.
    pub async fn current(&self) -> Result<Session, Error> {
        self.session_for(Wire::default().method::<PromptRequest>()).await
    }

    /// Starts a turn, like [`Session::prompt`]. During a restart it waits until the agent is back.
    ///
    /// # Errors
    /// The errors of [`current`](Self::current) and of [`Session::prompt`].
    pub async fn prompt(&self, content: impl IntoPrompt) -> Result<Turn, Error> {
        self.current().await?.prompt(content).await
    }

    /// Asks the agent to stop its work in this session, like [`Session::cancel`]. During a restart
    /// there is nothing to stop.
    ///
    /// # Errors
    /// The errors of [`Session::cancel`], and [`Error::NotRestored`].
    pub fn cancel(&self) -> Result<(), Error> {
        if !self.agent.is_connected() {
            return Ok(());
        }
        self.entry.session()?.cancel()
    }

    /// Closes the session, like [`Session::close`]. It is not taken up again after that.
    ///
    /// # Errors
    /// The errors of [`current`](Self::current) and of [`Session::close`].
    pub async fn close(&self) -> Result<(), Error> {
        self.session_for(Wire::default().method::<CloseSessionRequest>()).await?.close().await
    }

    async fn session_for(&self, method: &str) -> Result<Session, Error> {
        let (agent, _) = self.agent.up(method, Some(self.id())).await?;
        if self.entry.may_come() {
            restore::again(&agent, &self.entry, self.agent.restore_timeout()).await;
        }
        self.entry.session()
    }
}
