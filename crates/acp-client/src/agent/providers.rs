//! The providers of models that an agent uses.

use acp_types::v1::{
    DisableProviderRequest, ListProvidersRequest, ListProvidersResponse, ProviderId, SetProviderRequest,
};

use crate::wire::ask::{Answer, Ask};
use crate::{Agent, Error};

impl Agent {
    /// Returns the providers of models with their settings (`providers/list`).
    ///
    /// # Errors
    /// [`Error::NotOffered`] without `providers`, or the agent refused.
    pub async fn list_providers(&self) -> Result<ListProvidersResponse, Error> {
        self.ask_about_providers(&ListProvidersRequest::new()).await
    }

    /// Sets up a provider (`providers/set`). Its earlier settings are replaced.
    ///
    /// # Errors
    /// [`Error::NotOffered`] without `providers`, or the agent refused.
    pub async fn set_provider(&self, provider: &SetProviderRequest) -> Result<(), Error> {
        self.ask_about_providers(provider).await?;
        Ok(())
    }

    /// Turns a provider off (`providers/disable`). A `required` provider must stay on.
    ///
    /// # Errors
    /// [`Error::NotOffered`] without `providers`, or the agent refused.
    pub async fn disable_provider(&self, id: impl Into<ProviderId>) -> Result<(), Error> {
        self.ask_about_providers(&DisableProviderRequest::new(id)).await?;
        Ok(())
    }

    async fn ask_about_providers<Q: Ask>(&self, request: &Q) -> Result<Answer<Q>, Error> {
        self.check_offered(self.capabilities().providers.is_some(), self.method::<Q>(), "providers")?;
        self.ask(None, request).await
    }
}
