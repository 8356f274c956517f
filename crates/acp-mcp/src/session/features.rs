//! What can be done with one server. Whatever needs a capability is refused here when the server did not declare it.

use std::fmt;
use std::sync::Arc;

use rmcp::model::{
    ClientRequest, CompleteRequest, CompleteRequestParams, CompleteResult, GetPromptRequest,
    GetPromptRequestParams, GetPromptResult, ListPromptsRequest, ListResourceTemplatesRequest,
    ListResourcesRequest, PaginatedRequestParams, Prompt, ReadResourceRequest, ReadResourceRequestParams,
    ReadResourceResult, Resource, ResourceTemplate, ServerResult,
};
use rmcp::{Peer, RoleClient};

use super::Shared;
use super::call::{CallOptions, Caller};
use super::entry::{Connection, Entry};
use super::info::{ServerInfo, ServerStatus, ToolsStatus};
use super::notify::{Guard, Notification};
use crate::error::McpError;
use crate::tools::QualifiedTool;

/// A list with more pages than this has no end.
const MOST_PAGES: usize = 200;

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
    ($self:ident, $method:literal, $Request:ident, $Result:ident, $items:ident) => {{
        let connection = $self.connection().await?;
        let (mut items, mut cursor) = (Vec::new(), None);
        for _ in 0..MOST_PAGES {
            let params = cursor.map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)));
            let request = ClientRequest::$Request($Request { params, ..Default::default() });
            let ServerResult::$Result(page) = $self.request(&connection, $method, request).await? else {
                return Err(other_result($method));
            };
            items.extend(page.$items);
            cursor = page.next_cursor;
            if cursor.is_none() {
                return Ok(items);
            }
        }
        Err(McpError::InvalidResult { method: $method, problem: "it has more than 200 pages" })
    }};
}

impl Server {
    pub(super) fn new(entry: &Arc<Entry>, shared: &Arc<Shared>) -> Self {
        Self { entry: Arc::clone(entry), shared: Arc::clone(shared) }
    }

    /// Its name, as `mcpServers` has it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.entry.name
    }

    /// Its transport, as `mcpServers` names it: `stdio`, `http`, `sse` or another.
    #[must_use]
    pub fn transport(&self) -> &str {
        &self.entry.transport
    }

    /// How it is.
    #[must_use]
    pub fn status(&self) -> ServerStatus {
        self.entry.status()
    }

    /// What it has said of itself, if it is connected.
    #[must_use]
    pub fn info(&self) -> Option<Arc<ServerInfo>> {
        self.status().info().cloned()
    }

    /// How the list of its tools is.
    #[must_use]
    pub fn tools_status(&self) -> ToolsStatus {
        self.entry.tools_status()
    }

    /// Its tools, as they are known now.
    #[must_use]
    pub fn tools(&self) -> Vec<QualifiedTool> {
        self.entry.tools()
    }

    /// What rmcp has for everything that has no method here. It is that of the present connection, and does not survive
    /// a restart of the server; nothing is checked before use.
    ///
    /// # Errors
    ///
    /// The failure of the server.
    pub async fn peer(&self) -> Result<Peer<RoleClient>, McpError> {
        Ok(self.connection().await?.peer)
    }

    /// Calls `handler` for every notification of this method, such as `notifications/resources/updated`, until the guard
    /// is dropped. It must not block.
    pub fn on_notification(
        &self,
        method: &str,
        handler: impl Fn(&Notification) + Send + Sync + 'static,
    ) -> Guard {
        self.entry.notifications.add(method, Arc::new(handler))
    }

    /// Its prompts, all pages.
    ///
    /// # Errors
    ///
    /// [`McpError::NotSupported`] naming `prompts`; the failure of the server, and what it answers.
    pub async fn list_prompts(&self) -> Result<Vec<Prompt>, McpError> {
        self.need("prompts", ServerInfo::supports_prompts).await?;
        pages!(self, "prompts/list", ListPromptsRequest, ListPromptsResult, prompts)
    }

    /// One of its prompts, with arguments filled in.
    ///
    /// # Errors
    ///
    /// [`McpError::NotSupported`] naming `prompts`; the failure of the server, and what it answers.
    pub async fn get_prompt(&self, params: GetPromptRequestParams) -> Result<GetPromptResult, McpError> {
        let connection = self.need("prompts", ServerInfo::supports_prompts).await?;
        let request = ClientRequest::GetPromptRequest(GetPromptRequest::new(params));
        match self.request(&connection, "prompts/get", request).await? {
            ServerResult::GetPromptResult(result) => Ok(result),
            _ => Err(other_result("prompts/get")),
        }
    }

    /// Its resources, all pages.
    ///
    /// # Errors
    ///
    /// [`McpError::NotSupported`] naming `resources`; the failure of the server, and what it answers.
    pub async fn list_resources(&self) -> Result<Vec<Resource>, McpError> {
        self.need("resources", ServerInfo::supports_resources).await?;
        pages!(self, "resources/list", ListResourcesRequest, ListResourcesResult, resources)
    }

    /// The templates of its resources, all pages.
    ///
    /// # Errors
    ///
    /// [`McpError::NotSupported`] naming `resources`; the failure of the server, and what it answers.
    pub async fn list_resource_templates(&self) -> Result<Vec<ResourceTemplate>, McpError> {
        self.need("resources", ServerInfo::supports_resources).await?;
        pages!(
            self,
            "resources/templates/list",
            ListResourceTemplatesRequest,
            ListResourceTemplatesResult,
            resource_templates
        )
    }

    /// The contents of a resource.
    ///
    /// # Errors
    ///
    /// [`McpError::NotSupported`] naming `resources`; the failure of the server, and what it answers.
    pub async fn read_resource(&self, uri: impl Into<String>) -> Result<ReadResourceResult, McpError> {
        let connection = self.need("resources", ServerInfo::supports_resources).await?;
        let request =
            ClientRequest::ReadResourceRequest(ReadResourceRequest::new(ReadResourceRequestParams::new(uri)));
        match self.request(&connection, "resources/read", request).await? {
            ServerResult::ReadResourceResult(result) => Ok(result),
            _ => Err(other_result("resources/read")),
        }
    }

    /// Values for an argument of a prompt or a resource template.
    ///
    /// # Errors
    ///
    /// [`McpError::NotSupported`] naming `completions`; the failure of the server, and what it answers.
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
        let caller = Caller { entry: &self.entry, shared: &self.shared, connection };
        caller.request(method, request, &CallOptions::new()).await
    }
}

const fn other_result(method: &'static str) -> McpError {
    McpError::InvalidResult { method, problem: "it is not a result of this method" }
}
