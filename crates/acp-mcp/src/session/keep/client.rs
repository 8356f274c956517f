//! The client side of a connection, for requests and notifications of the server.

use std::sync::Arc;

use rmcp::RoleClient;
use rmcp::model::{ClientConfig, ClientResult, ErrorCode, ErrorData, ServerNotification, ServerRequest};
use rmcp::service::{NotificationContext, RequestContext, Service};

use crate::session::state::entry::Entry;
use crate::session::state::shared::Shared;
use crate::values::elicitation;

/// Answers the requests of a legacy server, and passes notifications on.
pub(in crate::session) struct Client {
    pub(in crate::session) entry: Arc<Entry>,
    pub(in crate::session) shared: Arc<Shared>,
    pub(in crate::session) config: ClientConfig,
}

impl Service<RoleClient> for Client {
    async fn handle_request(
        &self,
        request: ServerRequest,
        _: RequestContext<RoleClient>,
    ) -> Result<ClientResult, ErrorData> {
        let method = match request {
            ServerRequest::PingRequest(_) => return Ok(ClientResult::empty(())),
            ServerRequest::ElicitRequest(request) => {
                let elicitation = self.shared.options.elicitation.as_deref();
                let answer = elicitation::ask(elicitation, &self.entry.name, None, request.params).await?;
                return Ok(ClientResult::ElicitResult(answer));
            }
            // Neither capability was declared.
            ServerRequest::CreateMessageRequest(_) => "sampling/createMessage".to_owned(),
            ServerRequest::ListRootsRequest(_) => "roots/list".to_owned(),
            ServerRequest::CustomRequest(request) => request.method,
            _ => "an unknown method".to_owned(),
        };
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method, None))
    }

    async fn handle_notification(
        &self,
        notification: ServerNotification,
        _: NotificationContext<RoleClient>,
    ) -> Result<(), ErrorData> {
        self.entry.received(&notification);
        Ok(())
    }

    fn get_info(&self) -> ClientConfig {
        self.config.clone()
    }
}
