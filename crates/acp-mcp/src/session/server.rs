//! A handle on one server. A request that needs a capability is refused here if the server did not
//! declare it.

use std::fmt;
use std::sync::Arc;

use rmcp::model::{
    ClientRequest, CompleteRequest, CompleteRequestParams, CompleteResult, GetPromptRequest,
    GetPromptRequestParams, GetPromptResult, InputResponses, ListPromptsRequest,
    ListResourceTemplatesRequest, ListResourcesRequest, PaginatedRequestParams, Prompt, ReadResourceRequest,
    ReadResourceRequestParams, ReadResourceResult, Resource, ResourceTemplate, ServerResult,
};
use rmcp::{Peer, RoleClient};

use super::call::caller::Caller;
use super::call::options::CallOptions;
use super::call::pages::Pages;
use super::state::entry::{Connection, Entry};
use super::state::notify::{HandlerGuard, Notification};
use super::state::shared::Shared;
use super::state::subscriptions::ResourceUpdate;
use crate::error::McpError;
use crate::values::qualified_tool::QualifiedTool;
use crate::values::server_info::{CloseReason, ServerInfo, ServerStatus, ToolsStatus};

/// A handle on one server of a session.
#[derive(Clone)]
pub struct Server {
    entry: Arc<Entry>,
    shared: Arc<Shared>,
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("name", &self.name())
            .field("status", &self.status())
            .finish_non_exhaustive()
    }
}

macro_rules! pages {
    ($self:ident, $connection:expr, $method:literal, $Request:ident, $Result:ident, $items:ident) => {{
        let connection = $connection;
        let mut pages = Pages::new($method);
        let (mut items, mut cursor) = (Vec::new(), None);
        loop {
            let params = cursor.map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)));
            let request = ClientRequest::$Request($Request { params, ..Default::default() });
            let ServerResult::$Result(page) = $self.request(&connection, $method, request).await? else {
                return Err(other_result($method));
            };
            pages.count(&page.$items, page.next_cursor.is_none())?;
            items.extend(page.$items);
            cursor = page.next_cursor;
            if cursor.is_none() {
                return Ok(items);
            }
        }
    }};
}

impl Server {
    pub(super) fn new(entry: &Arc<Entry>, shared: &Arc<Shared>) -> Self {
        Self { entry: Arc::clone(entry), shared: Arc::clone(shared) }
    }

    /// Returns the name of the server in `mcpServers`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.entry.name
    }

    /// Returns the transport of the server in `mcpServers`: `stdio`, `http`, `sse` or another.
    #[must_use]
    pub fn transport(&self) -> &str {
        &self.entry.transport
    }

    /// Returns the status of the server.
    #[must_use]
    pub fn status(&self) -> ServerStatus {
        self.entry.status()
    }

    /// Waits until the server has ended for good, and returns the reason. A server that is being
    /// started again has not ended.
    pub async fn closed(&self) -> CloseReason {
        match self.entry.over().await {
            McpError::Closed => CloseReason::Shutdown,
            error => CloseReason::Failed(error),
        }
    }

    /// Returns the facts that the server has told about itself, if it is connected.
    #[must_use]
    pub fn info(&self) -> Option<Arc<ServerInfo>> {
        self.status().info().cloned()
    }

    /// Returns the status of the list of tools.
    #[must_use]
    pub fn tools_status(&self) -> ToolsStatus {
        self.entry.tools_status()
    }

    /// Returns the tools that are known now.
    #[must_use]
    pub fn tools(&self) -> Vec<QualifiedTool> {
        self.entry.tools()
    }

    /// Returns the peer of rmcp, for requests that have no method here. It belongs to the current
    /// connection and does not survive a restart of the server. It checks no capabilities.
    ///
    /// # Errors
    ///
    /// The failure of the server.
    pub async fn peer(&self) -> Result<Peer<RoleClient>, McpError> {
        Ok(self.connection().await?.peer)
    }

    /// Calls `handler` for every notification of this method, such as
    /// `notifications/resources/updated`, until the guard is dropped. The handler must not block.
    pub fn on_notification(
        &self,
        method: &str,
        handler: impl Fn(&Notification) + Send + Sync + 'static,
    ) -> HandlerGuard {
        self.entry.notifications.add(method, Arc::new(handler))
    }

    /// Calls `handler` when the list of tools has changed, until the guard is dropped. The handler
    /// must not block. The session fetches its own list again by itself.
    ///
    /// The handlers for changed lists are also called when a change may have been missed, because
    /// the stream of changes of a modern server broke and was opened again. A server that does not
    /// declare `listChanged` reports nothing.
    pub fn on_tools_list_changed(&self, handler: impl Fn() + Send + Sync + 'static) -> HandlerGuard {
        self.on_notification("notifications/tools/list_changed", move |_| handler())
    }

    /// Calls `handler` when the list of prompts has changed, until the guard is dropped. The
    /// handler must not block.
    pub fn on_prompts_list_changed(&self, handler: impl Fn() + Send + Sync + 'static) -> HandlerGuard {
        self.on_notification("notifications/prompts/list_changed", move |_| handler())
    }

    /// Calls `handler` when the list of resources has changed, until the guard is dropped. The
    /// handler must not block.
    pub fn on_resources_list_changed(&self, handler: impl Fn() + Send + Sync + 'static) -> HandlerGuard {
        self.on_notification("notifications/resources/list_changed", move |_| handler())
    }

    /// Subscribes to a resource: calls `handler` for each update of it or of a resource below it,
    /// until the guard is dropped. Dropping the last guard of a resource ends the subscription. The
    /// handler must not block.
    ///
    /// A subscription outlives connections. After the server was started again, or its stream of
    /// changes broke, the session subscribes again, and calls the handler once to report that
    /// updates [may have been missed](ResourceUpdate::after_gap). If the server refuses then, the
    /// session sends [`Event::SubscriptionLost`](crate::Event::SubscriptionLost).
    ///
    /// # Errors
    ///
    /// [`McpError::NotSupported`] naming `resources.subscribe`; [`McpError::TooMany`] beyond 1000
    /// resources of the server; [`McpError::ResourceNotFound`]; the failure of the server, or the
    /// error that it answers with.
    pub async fn on_resource_updated(
        &self,
        uri: impl Into<String>,
        handler: impl Fn(&ResourceUpdate) + Send + Sync + 'static,
    ) -> Result<HandlerGuard, McpError> {
        self.need("resources.subscribe", ServerInfo::supports_resource_subscribe).await?;
        let (uri, subscriptions) = (uri.into(), &self.entry.subscriptions);
        let guard = subscriptions.add(&uri, Arc::new(handler))?;
        tokio::select! {
            biased;
            answered = subscriptions.answered(&uri) => answered.map(|()| guard),
            error = self.entry.over() => Err(error),
        }
    }

    /// Lists the prompts, all pages.
    ///
    /// # Errors
    ///
    /// [`McpError::NotSupported`] naming `prompts`; the failure of the server, and what it answers.
    pub async fn list_prompts(&self) -> Result<Vec<Prompt>, McpError> {
        let connection = self.need("prompts", ServerInfo::supports_prompts).await?;
        pages!(self, connection, "prompts/list", ListPromptsRequest, ListPromptsResult, prompts)
    }

    /// Gets a prompt with its arguments filled in.
    ///
    /// # Errors
    ///
    /// [`McpError::NotSupported`] naming `prompts`; the failure of the server, and what it answers.
    pub async fn get_prompt(&self, params: GetPromptRequestParams) -> Result<GetPromptResult, McpError> {
        let connection = self.need("prompts", ServerInfo::supports_prompts).await?;
        let make = |responses: Option<InputResponses>, state: Option<String>| {
            let mut params = params.clone();
            params.input_responses = responses.or(params.input_responses);
            params.request_state = state.or(params.request_state);
            ClientRequest::GetPromptRequest(GetPromptRequest::new(params))
        };
        match self.caller(&connection).answered("prompts/get", &CallOptions::new(), make).await? {
            ServerResult::GetPromptResult(result) => Ok(result),
            _ => Err(other_result("prompts/get")),
        }
    }

    /// Lists the resources, all pages.
    ///
    /// # Errors
    ///
    /// [`McpError::NotSupported`] naming `resources`; the failure of the server, and what it
    /// answers.
    pub async fn list_resources(&self) -> Result<Vec<Resource>, McpError> {
        let connection = self.need("resources", ServerInfo::supports_resources).await?;
        pages!(self, connection, "resources/list", ListResourcesRequest, ListResourcesResult, resources)
    }

    /// Lists the resource templates, all pages.
    ///
    /// # Errors
    ///
    /// [`McpError::NotSupported`] naming `resources`; the failure of the server, and what it
    /// answers.
    pub async fn list_resource_templates(&self) -> Result<Vec<ResourceTemplate>, McpError> {
        let connection = self.need("resources", ServerInfo::supports_resources).await?;
        pages!(
            self,
            connection,
            "resources/templates/list",
            ListResourceTemplatesRequest,
            ListResourceTemplatesResult,
            resource_templates
        )
    }

    /// Reads the contents of a resource.
    ///
    /// # Errors
    ///
    /// [`McpError::NotSupported`] naming `resources`; the failure of the server, and what it
    /// answers.
    pub async fn read_resource(&self, uri: impl Into<String>) -> Result<ReadResourceResult, McpError> {
        let connection = self.need("resources", ServerInfo::supports_resources).await?;
        let uri = uri.into();
        let make = |responses, state| {
            let mut params = ReadResourceRequestParams::new(&uri);
            (params.input_responses, params.request_state) = (responses, state);
            ClientRequest::ReadResourceRequest(ReadResourceRequest::new(params))
        };
        let caller = self.caller(&connection);
        let read = caller.answered("resources/read", &CallOptions::new(), make).await;
        match read.map_err(|error| error.of_resource(&uri))? {
            ServerResult::ReadResourceResult(result) => Ok(result),
            _ => Err(other_result("resources/read")),
        }
    }

    /// Completes an argument of a prompt or of a resource template.
    ///
    /// # Errors
    ///
    /// [`McpError::NotSupported`] naming `completions`; the failure of the server, and what it
    /// answers.
    pub async fn complete(&self, params: CompleteRequestParams) -> Result<CompleteResult, McpError> {
        let connection = self.need("completions", ServerInfo::supports_completions).await?;
        let request = ClientRequest::CompleteRequest(CompleteRequest::new(params));
        match self.request(&connection, "completion/complete", request).await? {
            ServerResult::CompleteResult(result) => Ok(result),
            _ => Err(other_result("completion/complete")),
        }
    }

    async fn connection(&self) -> Result<Connection, McpError> {
        self.entry.connection(0).await
    }

    async fn need(
        &self,
        capability: &'static str,
        has: fn(&ServerInfo) -> bool,
    ) -> Result<Connection, McpError> {
        let connection = self.connection().await?;
        if has(&connection.info) { Ok(connection) } else { Err(McpError::NotSupported { capability }) }
    }

    async fn request(
        &self,
        connection: &Connection,
        method: &'static str,
        request: ClientRequest,
    ) -> Result<ServerResult, McpError> {
        self.caller(connection).request_with_consent(method, request, &CallOptions::new()).await
    }

    fn caller<'a>(&'a self, connection: &'a Connection) -> Caller<'a> {
        Caller { entry: &self.entry, shared: &self.shared, connection }
    }
}

const fn other_result(method: &'static str) -> McpError {
    McpError::InvalidResult { method, problem: "it is not a result of this method" }
}
