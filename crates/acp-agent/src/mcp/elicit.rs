//! Questions of MCP servers, put to the user by the client.

use std::pin::Pin;
use std::sync::Arc;

use acp_mcp::{ElicitRequest, Elicitation, ElicitationModes};
use acp_types::method::Method as _;
use acp_types::v1::{
    CreateElicitationResponse, ElicitationAction, ElicitationScope, ElicitationSessionScope, methods,
};

use super::Named;
use super::call::Calls;
use crate::client::Client;
use crate::error::{Error, Result};

/// Asks the client what servers ask the agent.
pub(super) struct Bridge {
    client: Client,
    session: Arc<Named>,
    calls: Calls,
    modes: ElicitationModes,
}

impl Bridge {
    /// `None` where the client cannot be asked anything: then servers are not told that they could ask. An empty
    /// capability means nothing in ACP, and forms in MCP (rule `acp-mcp-09`).
    pub(super) fn new(client: &Client, session: &Arc<Named>, calls: &Calls) -> Option<Self> {
        let offered = client.capabilities().elicitation.as_ref()?;
        let (form, url) = (offered.form.is_some(), offered.url.is_some());
        (form || url).then(|| Bridge {
            client: client.clone(),
            session: Arc::clone(session),
            calls: calls.clone(),
            modes: ElicitationModes::new(form, url),
        })
    }

    /// In the scope of the tool call that the question comes from, and as long as its turn; else in the session's.
    async fn ask(&self, request: ElicitRequest) -> Result<CreateElicitationResponse> {
        // A server that asks while it is being connected waits until the client knows the session.
        let session = self.session.id().await.ok_or(Error::Cancelled)?;
        let mut scope = ElicitationSessionScope::new(session);
        match self.calls.asking(&request) {
            Some((call, turn)) => {
                scope.tool_call_id = Some(call);
                turn.elicit_with(&request.to_acp(ElicitationScope::from(scope))).await
            }
            None => {
                let method = methods::ElicitationCreate::NAME;
                let request = request.to_acp(ElicitationScope::from(scope));
                let answer = self.client.peer().timeout(None).request(method, &request).await;
                answer.map_err(|error| Error::call(method, error))
            }
        }
    }
}

impl Elicitation for Bridge {
    fn modes(&self) -> ElicitationModes {
        self.modes
    }

    fn elicit(&self, request: ElicitRequest) -> Pin<Box<dyn Future<Output = ElicitationAction> + Send + '_>> {
        Box::pin(async move {
            // A user who was not reached has not answered.
            self.ask(request).await.map_or(ElicitationAction::Cancel, |answer| answer.action)
        })
    }
}
