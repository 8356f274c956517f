//! Calls that a legacy server makes depend on the user visiting web pages first: its error -32042. Modern servers ask by
//! their answer to the call instead, and there the code has no meaning (rule `mcp-neg-15`).

use std::collections::VecDeque;
use std::sync::Arc;

use acp_types::v1::ElicitationAction;
use rmcp::model::{ClientRequest, ServerResult};
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::watch;
use tokio::time::timeout;

use super::caller::{CallOptions, Caller};
use crate::error::McpError;
use crate::error::{NotVisited, UrlElicitation};
use crate::session::state::notify::{Guard, Notification};
use crate::values::elicitation::{ElicitMode, ElicitRequest, Elicitation};
use crate::values::version::Era;

pub(in crate::session) const REQUIRED: i32 = -32042;
/// How often a call may depend on more pages.
const MOST_TIMES: usize = 3;
/// How many pages a server may want to be visited at once.
const MOST_PAGES: usize = 8;
/// How many pages that the server is done with are kept in mind, whoever they are of.
const MOST_DONE: usize = 64;

impl Caller<'_> {
    /// A request, made again each time that the user has agreed to visit what the server wants to be visited, and the
    /// server has said that it is done with that, or has had its time.
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
        // What the server is done with may be told before its error has been seen here.
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
            // Not every server says so; the call shows whether it was done.
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

    /// The ids of the pages that the server is done with, from now on.
    fn done(&self) -> (Guard, watch::Receiver<VecDeque<String>>) {
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

/// What the data of the error asks for. `None` when it is not such data, or more than anybody would visit.
pub(in crate::session) fn elicitations(data: Option<&Value>) -> Option<Vec<UrlElicitation>> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Asked {
        mode: String,
        elicitation_id: String,
        url: String,
        message: String,
    }
    let listed = data?.get("elicitations")?.as_array()?;
    let read = |asked: &Value| {
        let asked = Asked::deserialize(asked).ok().filter(|asked| asked.mode == "url")?;
        Some(UrlElicitation { id: asked.elicitation_id, url: asked.url, message: asked.message })
    };
    let is_reasonable = (1..=MOST_PAGES).contains(&listed.len());
    is_reasonable.then(|| listed.iter().map(read).collect())?
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_a_reasonable_list_of_pages_is_one() {
        let page =
            json!({ "mode": "url", "elicitationId": "1", "url": "https://a/b?c", "message": "Log in" });
        for (data, expected) in [
            (json!({ "elicitations": [page] }), Some(1)),
            (json!({ "elicitations": vec![&page; MOST_PAGES] }), Some(MOST_PAGES)),
            (json!({ "elicitations": vec![&page; MOST_PAGES + 1] }), None),
            (json!({ "elicitations": [] }), None),
            (json!({ "elicitations": [page, { "mode": "form", "message": "?" }] }), None),
            (json!({ "elicitations": [{ "mode": "url", "url": "https://a", "message": "no id" }] }), None),
            (json!({ "elicitations": page }), None),
            (json!([page]), None),
        ] {
            assert_eq!(elicitations(Some(&data)).map(|pages| pages.len()), expected, "{data}");
        }
        assert_eq!(elicitations(None), None);
    }
}
