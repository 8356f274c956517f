//! The state and the title of a session, which need not be open.

use acp_types::v1::{SessionId, SessionStatusRequest, SessionStatusResponse, SetSessionTitleRequest};

use crate::{Agent, Error};

impl Agent {
    /// Returns the state of a session (`session/status`), without opening it.
    ///
    /// # Errors
    /// [`Error::NotOffered`] without `sessionCapabilities.status`, or the agent refused.
    pub async fn session_status(&self, id: impl Into<SessionId>) -> Result<SessionStatusResponse, Error> {
        let id = id.into();
        let offered = self.capabilities().session_capabilities.status.is_some();
        self.check_offered(offered, self.method::<SessionStatusRequest>(), "sessionCapabilities.status")?;
        self.ask(Some(&id), &SessionStatusRequest::new(id.clone())).await
    }

    /// Gives a session a title (`session/set_title`) and returns the title that the agent has set.
    ///
    /// # Errors
    /// [`Error::NotOffered`] without `sessionCapabilities.title`, or the agent refused.
    pub async fn set_session_title(
        &self,
        id: impl Into<SessionId>,
        title: impl Into<String>,
    ) -> Result<String, Error> {
        let id = id.into();
        let offered = self.capabilities().session_capabilities.title.is_some();
        self.check_offered(offered, self.method::<SetSessionTitleRequest>(), "sessionCapabilities.title")?;
        let request = SetSessionTitleRequest::new(id.clone(), title);
        Ok(self.ask(Some(&id), &request).await?.title)
    }
}
