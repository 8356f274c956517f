//! Calls of an agent that is started again when it ends: each goes to the agent that runs now.

use acp_types::FromNode;
use acp_types::v1::{AgentCapabilities, AuthMethodId, Implementation, SessionId, SessionInfo};
#[cfg(feature = "unstable")]
use acp_types::v1::{
    AuthStatusResponse, ListProvidersResponse, ProviderId, SessionStatusResponse, SetProviderRequest,
};
use serde_core::Serialize;

use super::ReconnectingAgent;
use crate::Error;

/// Forwards calls without and with an argument.
macro_rules! forwards {
    ($($(#[$about:meta])* $name:ident($($argument:ident: $type:ty),*) -> $value:ty;)*) => {$(
        $(#[$about])*
        ///
        /// # Errors
        /// The errors of [`current`](Self::current) and of the call.
        pub async fn $name(&self, $($argument: $type),*) -> Result<$value, Error> {
            self.current().await?.$name($($argument),*).await
        }
    )*};
}

/// Calls of the agent that runs now. During a restart they wait until the agent is back. A call
/// that is under way when the agent ends fails with [`Error::Closed`], and is not sent again.
impl ReconnectingAgent {
    /// Returns the capabilities of the agent that runs now. Another release may have others.
    ///
    /// # Errors
    /// The errors of [`current`](Self::current).
    pub async fn capabilities(&self) -> Result<AgentCapabilities, Error> {
        Ok(self.current().await?.capabilities().clone())
    }

    /// Returns the name and version of the agent that runs now, if it gave them.
    ///
    /// # Errors
    /// The errors of [`current`](Self::current).
    pub async fn info(&self) -> Result<Option<Implementation>, Error> {
        Ok(self.current().await?.info().cloned())
    }

    /// Returns all stored sessions, like [`Agent::list_sessions`](crate::Agent::list_sessions).
    ///
    /// # Errors
    /// The errors of [`current`](Self::current) and of `session/list`.
    pub async fn list_sessions(&self) -> Result<Vec<SessionInfo>, Error> {
        let (mut list, mut all) = (self.current().await?.list_sessions(), Vec::new());
        while let Some(session) = list.next().await {
            all.push(session?);
        }
        Ok(all)
    }

    /// Calls an extension method, like [`Agent::ext_request`](crate::Agent::ext_request).
    ///
    /// # Errors
    /// The errors of [`current`](Self::current) and of the call.
    pub async fn ext_request<R: FromNode + Send + 'static>(
        &self,
        method: &str,
        params: &(impl Serialize + Sync + ?Sized),
    ) -> Result<R, Error> {
        self.current().await?.ext_request(method, params).await
    }

    /// Sends an extension notification, like [`Agent::ext_notify`](crate::Agent::ext_notify).
    ///
    /// # Errors
    /// The errors of [`current`](Self::current) and of the call.
    pub async fn ext_notify(
        &self,
        method: &str,
        params: &(impl Serialize + Sync + ?Sized),
    ) -> Result<(), Error> {
        self.current().await?.ext_notify(method, params).await
    }

    forwards! {
        /// Logs in, like [`Agent::authenticate`](crate::Agent::authenticate). A login that each
        /// start needs is for [`Reconnect::on_start`](crate::Reconnect::on_start).
        authenticate(method: impl Into<AuthMethodId>) -> ();
        /// Logs out, like [`Agent::logout`](crate::Agent::logout).
        logout() -> ();
        /// Deletes a session, like [`Agent::delete_session`](crate::Agent::delete_session).
        delete_session(id: impl Into<SessionId>) -> ();
    }

    #[cfg(feature = "unstable")]
    forwards! {
        /// Returns the status of the login, like [`Agent::auth_status`](crate::Agent::auth_status).
        auth_status() -> AuthStatusResponse;
        /// Lists the providers, like [`Agent::list_providers`](crate::Agent::list_providers).
        list_providers() -> ListProvidersResponse;
        /// Sets a provider, like [`Agent::set_provider`](crate::Agent::set_provider).
        set_provider(provider: &SetProviderRequest) -> ();
        /// Disables a provider, like [`Agent::disable_provider`](crate::Agent::disable_provider).
        disable_provider(id: impl Into<ProviderId>) -> ();
        /// Archives a session, like [`Agent::archive_session`](crate::Agent::archive_session).
        archive_session(id: impl Into<SessionId>) -> ();
        /// Takes a session out of the archive, like
        /// [`Agent::unarchive_session`](crate::Agent::unarchive_session).
        unarchive_session(id: impl Into<SessionId>) -> ();
        /// Sets the title of a session, like
        /// [`Agent::set_session_title`](crate::Agent::set_session_title).
        set_session_title(id: impl Into<SessionId>, title: impl Into<String>) -> String;
        /// Returns the status of a session, like
        /// [`Agent::session_status`](crate::Agent::session_status).
        session_status(id: impl Into<SessionId>) -> SessionStatusResponse;
    }
}
