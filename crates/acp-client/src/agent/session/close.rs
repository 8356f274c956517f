//! Closing and deletion of a session.

use std::sync::Arc;

use acp_types::v1::{CloseSessionRequest, DeleteSessionRequest, SessionId};

use crate::sessions::closing::Closing;
use crate::wire::ask::{Answer, Ask};
use crate::{Agent, Error, Session};

impl Session {
    /// Closes the session (`session/close`). The agent stops its work in it and frees its
    /// resources. A conversation that it has kept can be [loaded](Agent::load_session) again, if
    /// the agent offers that.
    ///
    /// Open permission requests and forms of the session are answered with `cancelled`. A running
    /// turn goes on until its response, like a [cancelled](crate::Turn::cancel) one.
    /// [`Updates`](crate::Updates) end. If the agent refuses, the session stays open.
    ///
    /// ```no_run
    /// # async fn close(session: acp_client::Session) -> Result<(), acp_client::Error> {
    /// session.close().await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::NotOffered`] without `sessionCapabilities.close`, [`Error::SessionClosed`], or the
    /// agent refused.
    pub async fn close(&self) -> Result<(), Error> {
        let method = self.agent().method::<CloseSessionRequest>();
        let offered = self.agent().capabilities().session_capabilities.close.is_some();
        self.agent().check_offered(offered, method, "sessionCapabilities.close")?;
        self.check_open(method)?;
        let request = CloseSessionRequest::new(self.id().clone());
        match self.agent().end_session(self.id(), &request).await {
            // It is closed already.
            Err(Error::Agent { error, .. }) if self.agent().wire().is_closed_by(&error) => {
                self.agent().forget_session(self.id());
                Ok(())
            }
            ended => ended.map(drop),
        }
    }
}

impl Agent {
    /// Deletes a session (`session/delete`) from the agent's list. A session that is open here is
    /// closed too, as by [`Session::close`].
    ///
    /// ```no_run
    /// # async fn delete(agent: acp_client::Agent) -> Result<(), acp_client::Error> {
    /// agent.delete_session("yesterday").await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::NotOffered`] without `sessionCapabilities.delete`, or the agent refused.
    pub async fn delete_session(&self, id: impl Into<SessionId>) -> Result<(), Error> {
        let (id, method) = (id.into(), self.method::<DeleteSessionRequest>());
        let offered = self.capabilities().session_capabilities.delete.is_some();
        self.check_offered(offered, method, "sessionCapabilities.delete")?;
        self.end_session(&id, &DeleteSessionRequest::new(id.clone())).await?;
        Ok(())
    }

    /// Closes a session that the agent does not have any more.
    fn forget_session(&self, id: &SessionId) {
        let sessions = &self.shared().sessions;
        if let Some(state) = sessions.find(id) {
            Closing::new(state, Arc::clone(sessions)).close();
        }
    }

    /// Makes a call that closes the session, if it is open here.
    pub(crate) async fn end_session<Q: Ask>(&self, id: &SessionId, request: &Q) -> Result<Answer<Q>, Error> {
        let sessions = &self.shared().sessions;
        let closing = sessions.find(id).map(|state| Closing::new(state, Arc::clone(sessions)));
        let pending = self.wire().send_request(self.peer(), id, request).await?;
        if let Some(closing) = &closing {
            closing.withdraw();
        }
        let answer = pending.await.map_err(|error| self.wire().failed::<Q>(Some(id), error))?;
        if let Some(closing) = closing {
            closing.close();
        }
        Ok(answer)
    }
}
