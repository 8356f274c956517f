//! Questions of MCP servers to the user. The client asks them.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use acp_mcp::{ElicitMode, ElicitRequest, Elicitation, ElicitationModes, McpSession, Notification};
use acp_types::v1::ext::unique_id;
use acp_types::v1::{
    CreateElicitationResponse, ElicitationAction, ElicitationId, ElicitationScope, ElicitationSessionScope,
};

use super::calls::Calls;
use super::named::Named;
use crate::client::Client;
use crate::error::{Error, Result};

/// The notification of a server that a web page has served its purpose.
const COMPLETED: &str = "notifications/elicitation/complete";

/// Passes questions of servers on to the client.
pub(super) struct Bridge {
    client: Client,
    session: Arc<Named>,
    calls: Calls,
    modes: ElicitationModes,
    pages: Pages,
}

/// The web pages that were asked for, under the ids that the client knows.
#[derive(Clone, Default)]
pub(super) struct Pages(Arc<Mutex<Vec<Page>>>);

struct Page {
    server: String,
    /// The server's own id. Different servers may use the same one.
    theirs: String,
    ours: ElicitationId,
}

impl Pages {
    fn add(&self, server: &str, theirs: &mut String) {
        let ours = unique_id("elicitation");
        let theirs = std::mem::replace(theirs, ours.clone());
        self.lock().push(Page { server: server.to_owned(), theirs, ours: ours.into() });
    }

    fn remove(&self, server: &str, theirs: &str) -> Option<ElicitationId> {
        let mut pages = self.lock();
        let place = pages.iter().position(|page| page.server == server && page.theirs == theirs)?;
        Some(pages.swap_remove(place).ours)
    }

    /// Reports to the client when a server is done with a page.
    pub(super) fn complete(&self, servers: &McpSession, client: &Client) {
        for server in servers.servers() {
            let (pages, client) = (self.clone(), client.clone());
            let done = move |notification: &Notification| {
                let id = notification.params.get("elicitationId").and_then(|id| id.as_str());
                if let Some(ours) = id.and_then(|id| pages.remove(&notification.server, id)) {
                    client.wire().complete_elicitation_now(client.peer(), &ours);
                }
            };
            server.on_notification(COMPLETED, done).forget();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Page>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Bridge {
    /// Returns `None` if the client cannot be asked anything. Servers then do not know that they
    /// could ask. An empty capability means nothing in ACP, and forms in MCP (rule `acp-mcp-09`).
    pub(super) fn new(client: &Client, session: &Arc<Named>, calls: &Calls, pages: &Pages) -> Option<Self> {
        let offered = client.capabilities().elicitation.as_ref()?;
        let (form, url) = (offered.form.is_some(), offered.url.is_some());
        (form || url).then(|| Bridge {
            client: client.clone(),
            session: Arc::clone(session),
            calls: calls.clone(),
            modes: ElicitationModes::new(form, url),
            pages: pages.clone(),
        })
    }

    /// Asks in the scope of the tool call that the question comes from, for as long as its turn
    /// runs. Without one, asks in the scope of the session.
    async fn ask(&self, mut request: ElicitRequest) -> Result<CreateElicitationResponse> {
        // A server may ask while it is being connected. The question waits until the client knows
        // the session.
        let session = self.session.id().await.ok_or(Error::Cancelled)?;
        let mut scope = ElicitationSessionScope::new(session);
        if let ElicitMode::Url { id, .. } = &mut request.mode {
            self.pages.add(&request.server, id);
        }
        match self.calls.asking(&request) {
            Some((call, turn)) => {
                scope.tool_call_id = Some(call);
                turn.elicit_with(&request.to_acp(ElicitationScope::from(scope))).await
            }
            None => self.client.ask_untimed(&request.to_acp(ElicitationScope::from(scope))).await,
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
