//! The providers of models that an agent uses.

use acp_types::method::Method;
use acp_types::v1::methods::{ProvidersDisable, ProvidersList, ProvidersSet};
use acp_types::v1::{
    DisableProviderRequest, ListProvidersRequest, ListProvidersResponse, ProviderId, SetProviderRequest,
};

use crate::{Agent, Error};

impl Agent {
    /// Returns the providers of models with their settings (`providers/list`).
    ///
    /// # Errors
    /// [`Error::NotOffered`] without `providers`, or the agent refused.
    pub async fn list_providers(&self) -> Result<ListProvidersResponse, Error> {
        self.check_providers(ProvidersList::NAME)?;
        self.call::<ProvidersList>(None, &ListProvidersRequest::new()).await
    }

    /// Sets up a provider (`providers/set`). Its earlier settings are replaced.
    ///
    /// # Errors
    /// [`Error::NotOffered`] without `providers`, or the agent refused.
    pub async fn set_provider(&self, provider: &SetProviderRequest) -> Result<(), Error> {
        self.check_providers(ProvidersSet::NAME)?;
        self.call::<ProvidersSet>(None, provider).await?;
        Ok(())
    }

    /// Turns a provider off (`providers/disable`). A `required` provider must stay on.
    ///
    /// # Errors
    /// [`Error::NotOffered`] without `providers`, or the agent refused.
    pub async fn disable_provider(&self, id: impl Into<ProviderId>) -> Result<(), Error> {
        self.check_providers(ProvidersDisable::NAME)?;
        self.call::<ProvidersDisable>(None, &DisableProviderRequest::new(id)).await?;
        Ok(())
    }

    fn check_providers(&self, method: &'static str) -> Result<(), Error> {
        self.check_offered(self.capabilities().providers.is_some(), method, "providers")
    }
}
