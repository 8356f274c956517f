//! Authorizations of MCP servers. The client takes the user to their pages.

use std::future::pending;
use std::pin::Pin;
use std::sync::Arc;

use acp_mcp::{AuthorizationPage, Authorizer, AuthorizerAnswer, OAuth};
use acp_types::v1::ext::unique_id;
use acp_types::v1::{
    CreateElicitationRequest, CreateElicitationResponse, ElicitationAction, ElicitationId, ElicitationScope,
    ElicitationSessionScope, ElicitationUrlMode,
};

use super::named::Named;
use crate::client::Client;
use crate::error::{Error, Result};

/// Returns these settings with a client that takes the user to pages, if it can.
pub(super) fn by_client(oauth: &OAuth, client: &Client, session: &Arc<Named>) -> OAuth {
    let offered = client.capabilities().elicitation.as_ref();
    if offered.is_none_or(|offered| offered.url.is_none()) {
        return oauth.clone();
    }
    oauth.clone().authorizer(LoginPages { client: client.clone(), session: Arc::clone(session) })
}

/// Shows pages through the client.
struct LoginPages {
    client: Client,
    session: Arc<Named>,
}

impl LoginPages {
    async fn show(&self, page: AuthorizationPage) -> AuthorizerAnswer {
        // A client shows a page, and does not know its outcome.
        if !page.returns_here {
            return AuthorizerAnswer::Unavailable;
        }
        let id = ElicitationId::from(unique_id("authorization"));
        match self.ask(&page, id.clone()).await.map(|answer| answer.action) {
            Ok(ElicitationAction::Accept(_)) => {
                // This ends when the browser has come back, or when nobody waits for it any more.
                let _shown = ShownPage { client: &self.client, id };
                pending().await
            }
            Ok(ElicitationAction::Decline) => AuthorizerAnswer::Declined,
            // A user who was not reached has not answered.
            _ => AuthorizerAnswer::Unavailable,
        }
    }

    async fn ask(&self, page: &AuthorizationPage, id: ElicitationId) -> Result<CreateElicitationResponse> {
        // The client has to know the session first.
        let session = self.session.id().await.ok_or(Error::Cancelled)?;
        let scope = ElicitationScope::from(ElicitationSessionScope::new(session));
        let message = format!("The MCP server `{}` wants to be authorized at {}", page.server, page.issuer);
        let request = CreateElicitationRequest::new(message, ElicitationUrlMode::new(id, &page.url, scope));
        self.client.ask_untimed(&request).await
    }
}

impl Authorizer for LoginPages {
    fn authorize(
        &self,
        page: AuthorizationPage,
    ) -> Pin<Box<dyn Future<Output = AuthorizerAnswer> + Send + '_>> {
        Box::pin(self.show(page))
    }
}

/// A page that the client shows until this is dropped.
struct ShownPage<'a> {
    client: &'a Client,
    id: ElicitationId,
}

impl Drop for ShownPage<'_> {
    fn drop(&mut self) {
        self.client.wire().complete_elicitation_now(self.client.peer(), &self.id);
    }
}
