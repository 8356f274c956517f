//! What servers find on this side.

use std::sync::Arc;

use rmcp::RoleClient;
use rmcp::model::{
    ClientConfig, ClientResult, ErrorCode, ErrorData, ServerNotification, ServerRequest, SubscriptionFilter,
};
use rmcp::service::{NotificationContext, RequestContext, Service};

use crate::session::Shared;
use crate::session::state::entry::Entry;
use crate::values::elicitation;

/// Answers requests of a legacy server, and passes notifications on.
pub(in crate::session) struct Client {
    pub(in crate::session) entry: Arc<Entry>,
    pub(in crate::session) shared: Arc<Shared>,
    pub(in crate::session) config: ClientConfig,
}

impl Client {
    pub(in crate::session) fn tell(entry: &Entry, notification: &ServerNotification) {
        match notification {
            ServerNotification::ToolListChangedNotification(_) => entry.tools_changed.notify_one(),
            ServerNotification::ProgressNotification(progress) => entry.progress.tell(&progress.params),
            ServerNotification::ResourceUpdatedNotification(updated) => {
                entry.subscriptions.tell(&entry.name, &updated.params.uri);
            }
            _ => {}
        }
        entry.notifications.tell(&entry.name, notification);
    }

    /// Tells that the lists have changed, as is the case as far as one knows after a time of not listening.
    pub(in crate::session) fn lists_may_have_changed(entry: &Entry, accepted: &SubscriptionFilter) {
        use ServerNotification as Told;
        for (is_told, notification) in [
            (accepted.tools_list_changed, Told::ToolListChangedNotification(Default::default())),
            (accepted.prompts_list_changed, Told::PromptListChangedNotification(Default::default())),
            (accepted.resources_list_changed, Told::ResourceListChangedNotification(Default::default())),
        ] {
            if is_told == Some(true) {
                Self::tell(entry, &notification);
            }
        }
    }
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
            // Neither was declared.
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
        Self::tell(&self.entry, &notification);
        Ok(())
    }

    fn get_info(&self) -> ClientConfig {
        self.config.clone()
    }
}
