//! Requests over one connection.

use rmcp::model::{
    CancelledNotification, CancelledNotificationParam, ClientNotification, ClientRequest, RequestId,
    ResultType, ServerResult,
};
use rmcp::service::{PeerRequestOptions, ServiceError};
use rmcp::{Peer, RoleClient};

use super::authorize::Attempts;
use super::options::CallOptions;
use super::{failure, hints};
use crate::error::McpError;
use crate::session::state::entry::{Connection, Entry};
use crate::session::state::shared::Shared;
use crate::values::timeouts::NEVER;

pub(super) const OTHER_TYPE: &str = "its `resultType` was not agreed on";

/// Sends requests over a connection.
pub(in crate::session) struct Caller<'a> {
    pub(in crate::session) entry: &'a Entry,
    pub(in crate::session) shared: &'a Shared,
    pub(in crate::session) connection: &'a Connection,
}

impl Caller<'_> {
    /// Sends a request, and sends it again after an authorization that the server wants.
    pub(in crate::session) async fn request(
        &self,
        method: &'static str,
        request: ClientRequest,
        options: &CallOptions,
    ) -> Result<ServerResult, McpError> {
        let mut attempts = Attempts::new(self.entry, &self.shared.options.timeouts);
        while attempts.may_be_more() {
            match self.request_once(method, request.clone(), options).await {
                Err(error) => attempts.after(error).await?,
                result => return result,
            }
        }
        self.request_once(method, request, options).await
    }

    /// Sends a request once, with its time limits, progress and cancellation.
    async fn request_once(
        &self,
        method: &'static str,
        mut request: ClientRequest,
        options: &CallOptions,
    ) -> Result<ServerResult, McpError> {
        let on_progress = options.on_progress.as_ref();
        let _progress = on_progress.map(|on_progress| self.entry.progress.add(&mut request, on_progress));
        let timeouts = &self.shared.options.timeouts;
        // rmcp adds this to a point in time, which must not overflow.
        let time = options.timeout.unwrap_or(timeouts.request).min(NEVER);
        let limits = PeerRequestOptions::with_timeout(time)
            .reset_timeout_on_progress()
            .with_max_total_timeout(timeouts.request_max.max(time));
        let peer = &self.connection.peer;
        let sent = peer.send_request_with_option(request, limits).await;
        let answer = match sent {
            Ok(handle) => {
                let mut abandoned = Abandoned { peer, id: Some(handle.id.clone()) };
                let answer = handle.await_response().await;
                abandoned.id = None;
                answer
            }
            Err(error) => Err(error),
        };
        match answer {
            // A result of another type than was agreed on is not valid: `mcp-neg-12`, `-22`.
            Ok(result) if result_type(&result).is_some_and(|kind| !kind.is_complete()) => {
                Err(McpError::InvalidResult { method, problem: OTHER_TYPE })
            }
            Ok(result) => {
                hints::check(self.entry, self.connection, method, &result);
                Ok(result)
            }
            Err(error) => Err(self.error(method, error).await),
        }
    }

    pub(in crate::session) async fn error(&self, method: &'static str, error: ServiceError) -> McpError {
        match error {
            ServiceError::McpError(error) => failure::of_fault(method, self.connection.info.era, error),
            ServiceError::Timeout { timeout } => McpError::Timeout { waiting_for: method, waited: timeout },
            ServiceError::TransportSend(error) => failure::of_transport(method, error.error.as_ref()),
            ServiceError::TransportClosed => self.entry.ended(self.connection.number).await,
            ServiceError::UnexpectedResponse => {
                McpError::InvalidResult { method, problem: "it is not a result of this method" }
            }
            error => McpError::unreachable(error),
        }
    }
}

/// Returns the `resultType` of a result.
fn result_type(result: &ServerResult) -> Option<&ResultType> {
    match result {
        ServerResult::CompleteResult(result) => result.result_type.as_ref(),
        ServerResult::GetPromptResult(result) => result.result_type.as_ref(),
        ServerResult::ListPromptsResult(result) => result.result_type.as_ref(),
        ServerResult::ListResourcesResult(result) => result.result_type.as_ref(),
        ServerResult::ListResourceTemplatesResult(result) => result.result_type.as_ref(),
        ServerResult::ReadResourceResult(result) => result.result_type.as_ref(),
        ServerResult::ListToolsResult(result) => result.result_type.as_ref(),
        ServerResult::CallToolResult(result) => result.result_type.as_ref(),
        _ => None,
    }
}

/// Cancels a request at the server, if nobody waits for it any more (rules `mcp-neg-35` and `-50`).
struct Abandoned<'a> {
    peer: &'a Peer<RoleClient>,
    id: Option<RequestId>,
}

impl Drop for Abandoned<'_> {
    fn drop(&mut self) {
        let Some(id) = self.id.take() else { return };
        let peer = self.peer.clone();
        let params =
            CancelledNotificationParam::new(Some(id), Some("the caller does not wait any more".to_owned()));
        let notification = ClientNotification::CancelledNotification(CancelledNotification::new(params));
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move { peer.send_notification(notification).await });
        }
    }
}
