//! The archive of sessions.

use acp_types::v1::{ArchiveSessionRequest, SessionId, UnarchiveSessionRequest};

use crate::{Agent, Error};

impl Agent {
    /// Archives a session (`session/archive`). A session that is open here is closed too, as by
    /// [`Session::close`](crate::Session::close).
    ///
    /// # Errors
    /// [`Error::NotOffered`] without `sessionCapabilities.archive`, or the agent refused.
    pub async fn archive_session(&self, id: impl Into<SessionId>) -> Result<(), Error> {
        let id = id.into();
        self.check_archive(self.method::<ArchiveSessionRequest>())?;
        self.end_session(&id, &ArchiveSessionRequest::new(id.clone())).await?;
        Ok(())
    }

    /// Takes a session out of the archive (`session/unarchive`). Then it is listed again, but not
    /// open.
    ///
    /// # Errors
    /// [`Error::NotOffered`] without `sessionCapabilities.archive`, or the agent refused.
    pub async fn unarchive_session(&self, id: impl Into<SessionId>) -> Result<(), Error> {
        let id = id.into();
        self.check_archive(self.method::<UnarchiveSessionRequest>())?;
        self.ask(Some(&id), &UnarchiveSessionRequest::new(id.clone())).await?;
        Ok(())
    }

    fn check_archive(&self, method: &'static str) -> Result<(), Error> {
        let offered = self.capabilities().session_capabilities.archive.is_some();
        self.check_offered(offered, method, "sessionCapabilities.archive")
    }
}
