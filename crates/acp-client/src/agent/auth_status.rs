//! The login of the user as the agent reports it.

use acp_types::v1::{AuthStatusRequest, AuthStatusResponse};

use crate::{Agent, Error};

impl Agent {
    /// Returns the login state of the user, and the account (`auth/status`). Changes of it go to a
    /// handler of `auth/status_update`.
    ///
    /// # Errors
    /// [`Error::NotOffered`] without `auth.status`, or the agent refused.
    pub async fn auth_status(&self) -> Result<AuthStatusResponse, Error> {
        let method = self.method::<AuthStatusRequest>();
        self.check_offered(self.capabilities().auth.status.is_some(), method, "auth.status")?;
        self.ask(None, &AuthStatusRequest::new()).await
    }
}
