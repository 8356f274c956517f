//! Calls that a legacy server answers only after the user has visited web pages: its error -32042.
//! Modern servers ask in their answer instead, and there the code has no meaning (rule
//! `mcp-neg-15`).

use std::collections::VecDeque;
use std::sync::Arc;

use acp_types::v1::ElicitationAction;
use rmcp::model::{ClientRequest, ServerResult};
use serde_json::Value;
use tokio::sync::watch;
use tokio::time::timeout;

use super::caller::Caller;
use super::options::CallOptions;
use crate::error::McpError;
use crate::error::{NotVisited, UrlElicitation};
use crate::session::state::notify::{HandlerGuard, Notification};
use crate::values::elicitation::{ElicitMode, ElicitRequest, Elicitation};
use crate::values::version::Era;

/// The number of times that a call may depend on further pages.
const MOST_TIMES: usize = 3;
/// The number of finished pages that are remembered, for all calls together.
const MOST_DONE: usize = 64;

impl Caller<'_> {
    /// Sends a request. Each time that the server wants pages to be visited and the user agrees,
    /// waits until the server is done with them or the time is over, and sends the request again.
    pub(in crate::session) async fn request_with_consent(
        &self,
        method: &'static str,
        request: ClientRequest,
        options: &CallOptions,
    ) -> Result<ServerResult, McpError> {
        if self.connection.info.era == Era::Modern {
            return self.request(method, request, options).await;
        }
        let Some(elicitation) = self.shared.options.elicitation.as_deref().filter(|asks| asks.modes().url)
        else {
            return match self.request(method, request, options).await {
                Err(McpError::UrlElicitationRequired { elicitations, .. }) => {
                    let reason = NotVisited::NobodyAsks;
                    Err(McpError::UrlElicitationRequired { method, elicitations, reason })
                }
                outcome => outcome,
            };
        };
        // The server may report a finished page before its error has arrived here.
        let (_guard, mut done) = self.done();
        let mut times = 0;
        loop {
            let elicitations = match self.request(method, request.clone(), options).await {
                Err(McpError::UrlElicitationRequired { elicitations, .. }) if times < MOST_TIMES => {
                    elicitations
                }
                outcome => return outcome,
            };
            times += 1;
            for asked in &elicitations {
                if !self.agrees(elicitation, asked, options).await {
                    let reason = NotVisited::Declined;
                    return Err(McpError::UrlElicitationRequired { method, elicitations, reason });
                }
            }
            let is_done = |done: &VecDeque<String>| elicitations.iter().all(|asked| done.contains(&asked.id));
            // Not every server reports it. The repeated call shows whether the page was visited.
            let _ = timeout(self.shared.options.timeouts.consent, done.wait_for(is_done)).await;
        }
    }

    async fn agrees(
        &self,
        elicitation: &dyn Elicitation,
        asked: &UrlElicitation,
        options: &CallOptions,
    ) -> bool {
        let request = ElicitRequest {
            server: self.entry.name.clone(),
            tool_call: options.tool_call.clone(),
            message: asked.message.clone(),
            mode: ElicitMode::Url { url: asked.url.clone(), id: asked.id.clone() },
        };
        matches!(elicitation.elicit(request).await, ElicitationAction::Accept(_))
    }

    /// Collects the ids of the pages that the server is done with from now on.
    fn done(&self) -> (HandlerGuard, watch::Receiver<VecDeque<String>>) {
        let (done, seen) = watch::channel(VecDeque::new());
        let add = move |notification: &Notification| {
            let Some(id) = notification.params.get("elicitationId").and_then(Value::as_str) else { return };
            done.send_modify(|done: &mut VecDeque<String>| {
                done.truncate(MOST_DONE - 1);
                done.push_front(id.to_owned());
            });
        };
        (self.entry.notifications.add("notifications/elicitation/complete", Arc::new(add)), seen)
    }
}
