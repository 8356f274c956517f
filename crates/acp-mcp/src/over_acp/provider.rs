//! MCP servers for the agent at the other end of an ACP connection.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use acp_json::Value as AcpValue;
use acp_types::v1::{
    McpError as WireError, McpFailure, McpRequestId, McpResult, McpServerAcp, McpServerAcpId,
    MessageMcpNotification, MessageMcpRequest, MessageMcpResponse,
};
use rmcp::RoleServer;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    ClientJsonRpcMessage, ErrorData, ProtocolVersion, RequestId, ServerJsonRpcMessage, ServerNotification,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage, serve_directly_with_ct};
use rmcp::transport::{OneshotTransport, Transport};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::error::UNKNOWN_SERVER;

/// The default limit of requests of one connection that are under way.
const MOST_REQUESTS: usize = 64;
/// The versions of MCP that ACP carries (rule `acp-mcp-23`).
const CARRIED: [ProtocolVersion; 1] = [ProtocolVersion::V_2026_07_28];

/// Provides MCP servers made with [`rmcp`] to agents over ACP connections, without a process or a
/// port.
///
/// Clones are handles on the same servers.
///
/// ```
/// use acp_mcp::{McpProvider, rmcp};
///
/// #[derive(Clone)]
/// struct Notes;
/// impl rmcp::ServerHandler for Notes {}
///
/// let provider = McpProvider::new();
/// let server = provider.add("notes", Notes);
/// assert_eq!(server.name, "notes"); // for `mcpServers` of `session/new`
/// ```
#[derive(Clone)]
pub struct McpProvider {
    servers: Arc<Servers>,
    most_requests: usize,
}

#[derive(Default)]
struct Servers {
    by_id: Mutex<HashMap<McpServerAcpId, Provided>>,
    count: AtomicU64,
}

#[derive(Clone)]
struct Provided {
    serve: Arc<dyn Fn(OneRequest, CancellationToken) -> Box<dyn Send> + Send + Sync>,
    removed: CancellationToken,
}

impl McpProvider {
    /// Creates a provider without servers.
    #[must_use]
    pub fn new() -> Self {
        Self { servers: Arc::default(), most_requests: MOST_REQUESTS }
    }

    /// Sets how many requests of one connection may be under way at once. More are refused with
    /// -33000. Default 64.
    #[must_use]
    pub const fn most_requests(mut self, requests: usize) -> Self {
        self.most_requests = requests;
        self
    }

    /// Provides a server from now on, and returns its entry for `mcpServers`. Its id is never used
    /// again. Each request is handled by a clone of `handler`.
    pub fn add<H: ServerHandler + Clone + Sync>(&self, name: impl Into<String>, handler: H) -> McpServerAcp {
        let id =
            McpServerAcpId::from(format!("mcp-{}", self.servers.count.fetch_add(1, Ordering::Relaxed) + 1));
        let serve = move |transport: OneRequest, end: CancellationToken| -> Box<dyn Send> {
            Box::new(serve_directly_with_ct(handler.clone(), transport, None, end))
        };
        let provided = Provided { serve: Arc::new(serve), removed: CancellationToken::new() };
        self.by_id().insert(id.clone(), provided);
        McpServerAcp::new(name, id)
    }

    /// Removes a server: its requests under way are cancelled, and new ones are refused with
    /// -33001. Returns true if the server existed.
    pub fn remove(&self, id: &McpServerAcpId) -> bool {
        let removed = self.by_id().remove(id);
        removed.inspect(|provided| provided.removed.cancel()).is_some()
    }

    /// Returns the handler for the requests of one ACP connection. Each connection needs its own,
    /// because request ids belong to a connection.
    #[must_use]
    pub fn requests(&self) -> ProvideRequests {
        ProvideRequests { provider: self.clone(), active: Mutex::default() }
    }

    fn by_id(&self) -> MutexGuard<'_, HashMap<McpServerAcpId, Provided>> {
        self.servers.by_id.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for McpProvider {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for McpProvider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpProvider").field("servers", &self.by_id().len()).finish_non_exhaustive()
    }
}

/// The reason why a request `mcp/message` is answered with an error of ACP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProvideError {
    /// A request to this server with this id is already under way.
    Duplicate,
    /// Too many requests are under way.
    TooMany,
    /// The server does not exist, or does not exist any more.
    UnknownServer,
    /// The server ended without an answer.
    Failed,
}

impl ProvideError {
    /// Returns the code of the JSON-RPC error.
    #[must_use]
    pub const fn code(self) -> i32 {
        match self {
            Self::Duplicate => -32602,
            Self::TooMany => -33000,
            Self::UnknownServer => UNKNOWN_SERVER,
            Self::Failed => -33002,
        }
    }
}

impl fmt::Display for ProvideError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Duplicate => "`requestId`: a request to this server with this id is under way",
            Self::TooMany => "too many requests to MCP servers are under way: wait for answers",
            Self::UnknownServer => "`serverId`: no MCP server of this id is provided on this connection",
            Self::Failed => "the MCP server ended without an answer",
        })
    }
}

impl std::error::Error for ProvideError {}

/// Answers the requests `mcp/message` of one ACP connection.
#[derive(Debug)]
pub struct ProvideRequests {
    provider: McpProvider,
    active: Mutex<HashSet<(McpServerAcpId, McpRequestId)>>,
}

impl ProvideRequests {
    /// Passes a request to its server and returns the answer. `notify` sends the notifications of
    /// the server as `mcp/message`. Its future is awaited before anything else of this request is
    /// sent.
    ///
    /// Dropping the future cancels the request at the server. Needs a tokio runtime.
    ///
    /// # Errors
    ///
    /// The request did not reach the server, or its answer did not come back. An error that the
    /// server answers with is an answer.
    pub async fn message<F>(
        &self,
        request: MessageMcpRequest,
        notify: impl Fn(MessageMcpNotification) -> F,
    ) -> Result<MessageMcpResponse, ProvideError>
    where
        F: Future<Output = ()>,
    {
        let _active = self.enter(&request)?;
        let provided = self.provider.by_id().get(&request.server_id).cloned();
        let provided = provided.ok_or(ProvideError::UnknownServer)?;
        let message = match message(&request) {
            Ok(message) => message,
            Err(error) => return Ok(failure(&error)),
        };
        let (transport, mut sent) = OneshotTransport::new(message);
        let end = CancellationToken::new();
        let _end = end.clone().drop_guard();
        let _running = (provided.serve)(OneRequest(transport), end);
        loop {
            let message = tokio::select! {
                biased;
                () = provided.removed.cancelled() => return Err(ProvideError::UnknownServer),
                message = sent.recv() => message.ok_or(ProvideError::Failed)?,
            };
            match message {
                ServerJsonRpcMessage::Response(response) => {
                    let mut result =
                        serde_json::to_value(response.result).map_err(|_| ProvideError::Failed)?;
                    if request.method == "server/discover" {
                        retain_carried(&mut result);
                    }
                    let result = AcpValue::new(&result).map_err(|_| ProvideError::Failed)?;
                    return Ok(McpResult::new(Some(result)).into());
                }
                ServerJsonRpcMessage::Error(error) => return Ok(failure(&error.error)),
                ServerJsonRpcMessage::Notification(notification) => {
                    if let Some(carried) = carried(&request, &notification.notification) {
                        notify(carried).await;
                    }
                }
                // The transport does not accept requests.
                ServerJsonRpcMessage::Request(_) => {}
            }
        }
    }

    fn enter(&self, request: &MessageMcpRequest) -> Result<Entered<'_>, ProvideError> {
        let key = (request.server_id.clone(), request.request_id.clone());
        let mut active = self.active();
        if active.contains(&key) {
            return Err(ProvideError::Duplicate);
        }
        if active.len() >= self.provider.most_requests {
            return Err(ProvideError::TooMany);
        }
        active.insert(key.clone());
        Ok(Entered { requests: self, key })
    }

    fn active(&self) -> MutexGuard<'_, HashSet<(McpServerAcpId, McpRequestId)>> {
        self.active.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request that counts as under way, until this is dropped.
struct Entered<'a> {
    requests: &'a ProvideRequests,
    key: (McpServerAcpId, McpRequestId),
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        self.requests.active().remove(&self.key);
    }
}

/// Converts a request for the server, unless its version is not carried (rule `acp-mcp-23`).
fn message(request: &MessageMcpRequest) -> Result<ClientJsonRpcMessage, ErrorData> {
    let unread = |problem: &dyn fmt::Display| ErrorData::invalid_params(problem.to_string(), None);
    let params = match &request.params {
        Some(params) => serde_json::to_value(params).map_err(|error| unread(&error))?,
        None => json!({}),
    };
    let meta = |name: &str| params.get("_meta").and_then(|meta| meta.get(name));
    let version = meta("io.modelcontextprotocol/protocolVersion").and_then(Value::as_str);
    if request.method == "initialize" || version.is_some_and(|version| version != CARRIED[0].as_str()) {
        let asked = version.or_else(|| params.get("protocolVersion").and_then(Value::as_str));
        let asked =
            serde_json::from_value(json!(asked.unwrap_or_default())).map_err(|error| unread(&error))?;
        return Err(ErrorData::unsupported_protocol_version(asked, &CARRIED));
    }
    if version.is_none() || meta("io.modelcontextprotocol/clientCapabilities").is_none() {
        return Err(unread(&"`_meta` must have the protocol version and the capabilities of the client"));
    }
    // Notifications for a listener carry this id.
    let id = RequestId::String(request.request_id.as_str().into());
    let message = json!({ "jsonrpc": "2.0", "id": id, "method": request.method, "params": params });
    serde_json::from_value(message).map_err(|error| unread(&error))
}

/// Removes the versions that only other transports carry.
fn retain_carried(discovered: &mut Value) {
    if let Some(versions) = discovered.get_mut("supportedVersions").and_then(Value::as_array_mut) {
        versions.retain(|version| CARRIED.iter().any(|carried| version == carried.as_str()));
    }
}

fn failure(error: &ErrorData) -> MessageMcpResponse {
    let mut failed = WireError::new(error.code.0, error.message.to_string());
    if let Some(data) = error.data.as_ref().and_then(|data| AcpValue::new(data).ok()) {
        failed = failed.data(data);
    }
    McpFailure::new(failed).into()
}

/// Wraps a notification of the server for the ACP connection.
fn carried(request: &MessageMcpRequest, notification: &ServerNotification) -> Option<MessageMcpNotification> {
    let notification = serde_json::to_value(notification).ok()?;
    let method = notification.get("method")?.as_str()?;
    let (server, id) = (request.server_id.clone(), request.request_id.clone());
    let mut carried = MessageMcpNotification::new(server, id, method);
    if let Some(params) = notification.get("params").and_then(Value::as_object) {
        let params = params.iter().map(|(name, value)| Some((name.as_str(), AcpValue::new(value).ok()?)));
        carried.params = Some(params.collect::<Option<_>>()?);
    }
    Some(carried)
}

/// A transport for one request of the agent and its answer. A request of the server fails at once,
/// because ACP cannot carry it (rule `acp-mcp-23`).
struct OneRequest(OneshotTransport<RoleServer>);

impl Transport<RoleServer> for OneRequest {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let is_request = matches!(message, ServerJsonRpcMessage::Request(_));
        let sent = (!is_request).then(|| self.0.send(message));
        async move {
            match sent {
                Some(sent) => sent.await.map_err(io::Error::other),
                None => Err(io::Error::other("an MCP server has no requests of its own over ACP")),
            }
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        self.0.receive().await
    }

    async fn close(&mut self) -> io::Result<()> {
        self.0.close().await.map_err(io::Error::other)
    }
}
