//! Requests to servers over the ACP connection, and the notifications that belong to them.

use std::collections::HashMap;
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use acp_json::{Map, Node, Value as AcpValue};
use acp_types::v1::{McpRequestId, McpServerAcpId, MessageMcpNotification};
use rmcp::model::{RequestId, ServerJsonRpcMessage};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::caller::AcpCaller;
use crate::wire::SUBSCRIPTION;

/// The default limit of bytes of notifications that wait to be delivered.
const MOST_WAITING: usize = 32 * 1024 * 1024;
/// The prefix of the ids of a link's requests.
const PREFIX: &str = "acp-mcp-";

/// The delivery of a notification, ready once the server's connection has taken it.
pub type Delivering = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A link to the MCP servers of `type: "acp"` that the other side of one ACP connection provides.
///
/// Clones are handles on the same link. All sessions of the connection share one, which
/// [`Builder::over_acp`](crate::Builder::over_acp) takes.
///
/// The ids of its requests begin with `acp-mcp-`. Other requests `mcp/message` over the same
/// connection must have other ids.
#[derive(Clone)]
pub struct AcpLink {
    inner: Arc<Inner>,
}

struct Inner {
    caller: Box<dyn AcpCaller>,
    most_waiting: usize,
    requests: Mutex<Requests>,
}

#[derive(Default)]
struct Requests {
    /// The number of requests so far.
    count: u64,
    active: HashMap<McpRequestId, Active>,
    /// The bytes of notifications that wait for all requests together.
    waiting: usize,
}

/// A request that is under way.
struct Active {
    server: McpServerAcpId,
    /// The id of the request on this side.
    id: RequestId,
    messages: mpsc::Sender<ServerJsonRpcMessage>,
    over: CancellationToken,
    /// The bytes of notifications that wait for this request.
    waiting: usize,
}

impl AcpLink {
    /// Creates a link over a connection.
    pub fn new(caller: impl AcpCaller) -> Self {
        Self::with(Box::new(caller), MOST_WAITING)
    }

    /// Creates a link over a connection, with another limit than 32 MiB for notifications that
    /// wait.
    ///
    /// At the limit, the request with the most waiting bytes fails with
    /// [`AcpCallError::Overloaded`] and is withdrawn. One more notification of any size is
    /// accepted, so 0 counts as 1. A connection that stops reading while [`Delivering`]s are not
    /// ready makes the other side wait instead, and reaches the limit only when it has to read on.
    ///
    /// [`AcpCallError::Overloaded`]: crate::AcpCallError::Overloaded
    pub fn with_most_waiting(caller: impl AcpCaller, bytes: usize) -> Self {
        Self::with(Box::new(caller), bytes.max(1))
    }

    fn with(caller: Box<dyn AcpCaller>, most_waiting: usize) -> Self {
        Self { inner: Arc::new(Inner { caller, most_waiting, requests: Mutex::default() }) }
    }

    /// Tells whether a link has sent the request of this id. Notifications of other requests must
    /// not be passed to [`notified`](Self::notified).
    #[must_use]
    pub fn has_sent(request_id: &str) -> bool {
        request_id.starts_with(PREFIX)
    }

    /// Takes a notification `mcp/message`, in the order of the wire. It reaches its request while
    /// that is under way, and is dropped otherwise.
    ///
    /// The returned future waits until the server's connection takes the notification, or until the
    /// request ends. The futures of one request must be awaited one after the other, and before the
    /// answer to the request is returned. Dropping the future drops the notification.
    #[must_use = "a notification reaches its request when this is awaited"]
    pub fn notified(&self, notification: MessageMcpNotification) -> Delivering {
        let Some((waiting, receiver)) = self.wait(&notification) else {
            return Box::pin(std::future::ready(()));
        };
        Box::pin(async move {
            let _waiting = waiting;
            let Some(message) = read(notification, &receiver.id) else {
                tracing::warn!("ignored a notification of an MCP server that cannot be read");
                return;
            };
            tokio::select! {
                biased;
                () = receiver.over.cancelled() => {}
                // This fails when the connection to the server is gone.
                _ = receiver.messages.send(message) => {}
            }
        })
    }

    /// Returns about how many bytes of notifications wait to be delivered.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.requests().waiting
    }

    /// Counts a notification as waiting, if its request is under way.
    fn wait(&self, notification: &MessageMcpNotification) -> Option<(Waiting, Receiver)> {
        let bytes = weight(notification);
        let mut requests = self.requests();
        if requests.waiting >= self.inner.most_waiting {
            requests.give_up_heaviest();
        }
        let found = requests.active.get_mut(&notification.request_id)?;
        if found.server != notification.server_id {
            return None;
        }
        found.waiting += bytes;
        let receiver =
            Receiver { id: found.id.clone(), messages: found.messages.clone(), over: found.over.clone() };
        requests.waiting += bytes;
        Some((Waiting { link: self.clone(), request: notification.request_id.clone(), bytes }, receiver))
    }

    pub(super) fn begin(
        &self,
        server: &McpServerAcpId,
        id: RequestId,
        messages: mpsc::Sender<ServerJsonRpcMessage>,
    ) -> Begun {
        let over = CancellationToken::new();
        let mut requests = self.requests();
        requests.count += 1;
        let request = McpRequestId::from(format!("{PREFIX}{}", requests.count));
        let active = Active { server: server.clone(), id, messages, over: over.clone(), waiting: 0 };
        requests.active.insert(request.clone(), active);
        drop(requests);
        Begun { link: self.clone(), request, over }
    }

    pub(super) fn caller(&self) -> &dyn AcpCaller {
        &*self.inner.caller
    }

    pub(super) fn most_waiting(&self) -> usize {
        self.inner.most_waiting
    }

    fn requests(&self) -> MutexGuard<'_, Requests> {
        self.inner.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for AcpLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (active, waiting) = {
            let requests = self.requests();
            (requests.active.len(), requests.waiting)
        };
        f.debug_struct("AcpLink").field("active", &active).field("waiting", &waiting).finish_non_exhaustive()
    }
}

impl Requests {
    fn give_up_heaviest(&mut self) {
        let heaviest = self.active.iter().max_by_key(|(_, request)| request.waiting);
        if let Some(request) = heaviest.map(|(request, _)| request.clone()) {
            self.end(&request);
        }
    }

    /// Ends a request, and drops everything that waits for it.
    fn end(&mut self, request: &McpRequestId) {
        if let Some(ended) = self.active.remove(request) {
            self.waiting -= ended.waiting;
            ended.over.cancel();
        }
    }
}

/// A request that counts as under way, until this is dropped.
pub(super) struct Begun {
    link: AcpLink,
    pub(super) request: McpRequestId,
    /// Cancelled when the request is given up, because too many bytes wait for it.
    pub(super) over: CancellationToken,
}

impl Begun {
    pub(super) fn link(&self) -> &AcpLink {
        &self.link
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        self.link.requests().end(&self.request);
    }
}

/// The request that a notification goes to.
struct Receiver {
    id: RequestId,
    messages: mpsc::Sender<ServerJsonRpcMessage>,
    over: CancellationToken,
}

/// A notification that counts as waiting, until this is dropped.
struct Waiting {
    link: AcpLink,
    request: McpRequestId,
    bytes: usize,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let mut requests = self.link.requests();
        if let Some(active) = requests.active.get_mut(&self.request) {
            active.waiting -= self.bytes;
            requests.waiting -= self.bytes;
        }
    }
}

fn read(notification: MessageMcpNotification, id: &RequestId) -> Option<ServerJsonRpcMessage> {
    let mut message = json!({ "jsonrpc": "2.0", "method": notification.method });
    if let Some(params) = notification.params {
        let mut params = serde_json::to_value(params).ok()?;
        name_subscription(&mut params, id);
        message.as_object_mut()?.insert("params".to_owned(), params);
    }
    serde_json::from_value(message).ok()
}

/// Translates the id of the listening request in a message for a listener. The id on the wire is
/// another one.
pub(super) fn name_subscription(content: &mut Value, id: &RequestId) {
    let named = content.get_mut("_meta").and_then(|meta| meta.get_mut(SUBSCRIPTION));
    if let (Some(named), Ok(id)) = (named, serde_json::to_value(id)) {
        *named = id;
    }
}

/// Estimates the memory of a notification and its waiting job, on the high side.
fn weight(notification: &MessageMcpNotification) -> usize {
    const JOB: usize = 1024;
    JOB + notification.method.len() + notification.params.as_ref().map_or(0, weight_of_members)
}

fn weight_of_members(members: &Map<AcpValue>) -> usize {
    members.iter().map(|(name, value)| name.len() + weight_of(value.as_node())).sum()
}

fn weight_of(node: &Node<'_>) -> usize {
    const ONE: usize = 64;
    /// The spare capacity of lists.
    const LIST: usize = 256;
    match node {
        Node::Null | Node::Bool(_) | Node::U64(_) | Node::I64(_) | Node::F64(_) | Node::Exact(_) => ONE,
        Node::Str(text) => ONE + text.len(),
        Node::Seq(items) => LIST + items.iter().map(weight_of).sum::<usize>(),
        Node::Map(members) => {
            LIST + members.iter().map(|(name, node)| ONE + name.len() + weight_of(node)).sum::<usize>()
        }
    }
}
