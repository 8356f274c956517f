//! MCP servers that a component on the ACP connection provides, such as the client: MCP-over-ACP, rules `acp-mcp-20` to
//! `-26`.

#[cfg(feature = "provider")]
mod provider;
mod transport;

use std::collections::HashMap;
use std::fmt;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use acp_types::v1::{
    McpRequestId, McpServerAcpId, MessageMcpNotification, MessageMcpRequest, MessageMcpResponse,
};
use rmcp::model::{RequestId, ServerJsonRpcMessage};
use serde_json::{Value, json};
use tokio::sync::mpsc;

#[cfg(feature = "provider")]
pub use provider::{McpProvider, ProvideError, ProvideRequests};

use self::transport::AcpTransport;
use crate::error::McpError;
use crate::negotiate::drive::Dial;
use crate::negotiate::{Input, Route};
use crate::wire::{Wire, WireError};

/// The answer to a request `mcp/message`, when it comes.
pub type Answering = Pin<Box<dyn Future<Output = Result<MessageMcpResponse, AcpCallError>> + Send>>;

/// Sends requests over the ACP connection, for an [`AcpLink`].
pub trait AcpCaller: Send + Sync + 'static {
    /// Sends the request `mcp/message` (rule `acp-mcp-20`). Dropping the future withdraws it by `$/cancel_request` (rule
    /// `acp-mcp-24`). It needs no time limit: requests of MCP have theirs.
    fn message(&self, request: MessageMcpRequest) -> Answering;
}

/// Why a request `mcp/message` did not get through.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AcpCallError {
    /// It was answered with a JSON-RPC error of ACP. The code is never one of MCP (rule `acp-mcp-25`).
    Refused {
        /// The code.
        code: i32,
        /// What the other side says.
        message: String,
    },
    /// The connection is over, or the answer cannot be read.
    Failed {
        /// Why.
        problem: String,
    },
}

/// The server is not there, or not any more.
const UNKNOWN_SERVER: i32 = -33001;

impl fmt::Display for AcpCallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused { code: UNKNOWN_SERVER, message } => {
                write!(f, "`mcp/message`: the client does not provide the server (any more): {message}")
            }
            Self::Refused { code, message } => {
                write!(f, "`mcp/message` was refused: {message} (code {code} of ACP)")
            }
            Self::Failed { problem } => write!(f, "`mcp/message` failed: {problem}"),
        }
    }
}

impl std::error::Error for AcpCallError {}

/// The way to the MCP servers of `type: "acp"` that the other side of one ACP connection provides. Clones are handles on
/// the same; sessions of the connection share one, which [`Builder::over_acp`](crate::Builder::over_acp) takes.
#[derive(Clone)]
pub struct AcpLink {
    inner: Arc<Inner>,
}

struct Inner {
    caller: Box<dyn AcpCaller>,
    requests: AtomicU64,
    active: Mutex<HashMap<McpRequestId, Active>>,
}

/// A request that is under way.
struct Active {
    server: McpServerAcpId,
    /// As it is called on this side.
    id: RequestId,
    messages: mpsc::Sender<ServerJsonRpcMessage>,
}

impl AcpLink {
    /// A link over this connection.
    pub fn new(caller: impl AcpCaller) -> Self {
        let (requests, active) = (AtomicU64::new(1), Mutex::default());
        Self { inner: Arc::new(Inner { caller: Box::new(caller), requests, active }) }
    }

    /// Takes a notification `mcp/message`: it reaches the request that it is about while that is under way, and is
    /// dropped otherwise (rule `acp-mcp-22`). To be called in the order of the wire; it does not wait.
    pub fn notified(&self, notification: &MessageMcpNotification) {
        let (id, messages) = {
            let active = self.active();
            match active.get(&notification.request_id) {
                Some(found) if found.server == notification.server_id => {
                    (found.id.clone(), found.messages.clone())
                }
                _ => return,
            }
        };
        let params = notification.params.as_ref().and_then(|params| serde_json::to_value(params).ok());
        let mut message = json!({ "jsonrpc": "2.0", "method": notification.method });
        if let (Some(mut params), Some(members)) = (params, message.as_object_mut()) {
            name_subscription(&mut params, &id);
            members.insert("params".to_owned(), params);
        }
        match serde_json::from_value::<ServerJsonRpcMessage>(message) {
            // The reader must not wait: a server that tells more than is taken in loses some of it.
            Ok(message) => drop(messages.try_send(message)),
            Err(_) => tracing::debug!("passed over a notification of an MCP server that cannot be read"),
        }
    }

    fn begin(
        &self,
        server: &McpServerAcpId,
        id: RequestId,
        messages: mpsc::Sender<ServerJsonRpcMessage>,
    ) -> Begun {
        let number = self.inner.requests.fetch_add(1, Ordering::Relaxed);
        let request = McpRequestId::from(number.to_string());
        self.active().insert(request.clone(), Active { server: server.clone(), id, messages });
        Begun { link: self.clone(), request }
    }

    fn active(&self) -> MutexGuard<'_, HashMap<McpRequestId, Active>> {
        self.inner.active.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for AcpLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AcpLink").field("active", &self.active().len()).finish_non_exhaustive()
    }
}

/// What a server tells a listener names the listening request; that has a name of its own on the wire.
fn name_subscription(content: &mut Value, id: &RequestId) {
    const KEY: &str = "io.modelcontextprotocol/subscriptionId";
    let named = content.get_mut("_meta").and_then(|meta| meta.get_mut(KEY));
    if let (Some(named), Ok(id)) = (named, serde_json::to_value(id)) {
        *named = id;
    }
}

/// A request among those that are under way.
struct Begun {
    link: AcpLink,
    request: McpRequestId,
}

impl Drop for Begun {
    fn drop(&mut self) {
        self.link.active().remove(&self.request);
    }
}

/// Why the connection to a server is over, once it is.
#[derive(Clone, Default)]
struct End(Arc<Mutex<Option<AcpCallError>>>);

impl End {
    fn set(&self, error: AcpCallError) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
    }

    fn take(&self) -> Option<AcpCallError> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Connects a server of `type: "acp"`: there is nothing to be opened but what is asked.
pub(crate) struct AcpDial {
    link: AcpLink,
    server: McpServerAcpId,
    end: End,
}

impl AcpDial {
    pub(crate) fn new(link: AcpLink, server: McpServerAcpId) -> Self {
        Self { link, server, end: End::default() }
    }
}

impl Dial for AcpDial {
    async fn dial(&mut self, _: Route) -> Result<Wire, McpError> {
        self.end = End::default();
        Ok(Wire::new(AcpTransport::new(self.link.clone(), self.server.clone(), self.end.clone())))
    }

    async fn ended(&mut self) -> Option<McpError> {
        self.end.take().map(McpError::unreachable)
    }

    fn input(&self, _: &WireError) -> Input {
        Input::Unreachable
    }

    fn error(&self, error: &WireError) -> Option<McpError> {
        Some(McpError::unreachable(error))
    }
}
