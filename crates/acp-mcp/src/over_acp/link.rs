//! Requests to servers over the ACP connection, and what is told of them meanwhile.

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

/// How many bytes of notifications may wait to be taken in, unless told otherwise.
const MOST_WAITING: usize = 32 * 1024 * 1024;
/// What the ids of a link's requests begin with.
const PREFIX: &str = "acp-mcp-";

/// Has a notification taken in: ready once that is done.
pub type Telling = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The way to the MCP servers of `type: "acp"` that the other side of one ACP connection provides. Clones are handles on
/// the same; sessions of the connection share one, which [`Builder::over_acp`](crate::Builder::over_acp) takes.
///
/// The ids of its requests begin with `acp-mcp-`: whoever sends requests `mcp/message` besides over the same connection
/// gives them others.
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
    /// How many there were.
    count: u64,
    active: HashMap<McpRequestId, Active>,
    /// The sum of the bytes that wait for them.
    waiting: usize,
}

/// A request that is under way.
struct Active {
    server: McpServerAcpId,
    /// As it is called on this side.
    id: RequestId,
    messages: mpsc::Sender<ServerJsonRpcMessage>,
    over: CancellationToken,
    /// The bytes of notifications that are not taken in yet.
    waiting: usize,
}

impl AcpLink {
    /// A link over this connection.
    pub fn new(caller: impl AcpCaller) -> Self {
        Self::with(Box::new(caller), MOST_WAITING)
    }

    /// A link over this connection, with another limit than 32 MiB on the notifications that wait to be taken in.
    ///
    /// At the limit the request that most bytes wait for fails with [`AcpCallError::Overloaded`], and is withdrawn. One
    /// notification more may be there, however large, so that 0 counts as 1. A connection that stops reading before that, as long as
    /// [`Telling`]s are not done, makes the other side wait and comes to the limit only when it has to read on.
    ///
    /// [`AcpCallError::Overloaded`]: crate::AcpCallError::Overloaded
    pub fn with_most_waiting(caller: impl AcpCaller, bytes: usize) -> Self {
        Self::with(Box::new(caller), bytes.max(1))
    }

    fn with(caller: Box<dyn AcpCaller>, most_waiting: usize) -> Self {
        Self { inner: Arc::new(Inner { caller, most_waiting, requests: Mutex::default() }) }
    }

    /// Whether a request of this id is one of a link: what is told of others is not for [`notified`](Self::notified).
    #[must_use]
    pub fn has_sent(request_id: &str) -> bool {
        request_id.starts_with(PREFIX)
    }

    /// Takes a notification `mcp/message`: it reaches the request that it is about while that is under way, and is
    /// dropped otherwise (rule `acp-mcp-22`). To be called in the order of the wire.
    ///
    /// What is returned waits until the server's connection takes the notification in; those of one request must be
    /// awaited one after the other, and the answer to the request be given after those before it. It waits at most until
    /// the request is over. Dropped, it drops the notification.
    #[must_use = "a notification reaches its request when this is awaited"]
    pub fn notified(&self, notification: MessageMcpNotification) -> Telling {
        let Some((waiting, receiver)) = self.wait(&notification) else {
            return Box::pin(std::future::ready(()));
        };
        Box::pin(async move {
            let _waiting = waiting;
            let Some(message) = read(notification, &receiver.id) else {
                tracing::warn!("passed over a notification of an MCP server that cannot be read");
                return;
            };
            tokio::select! {
                biased;
                () = receiver.over.cancelled() => {}
                // A connection to a server that is gone takes nothing in.
                _ = receiver.messages.send(message) => {}
            }
        })
    }

    /// How many bytes of notifications wait to be taken in, about.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.requests().waiting
    }

    /// Counts a notification among those that wait, if its request is under way.
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

    /// The request is over, and nothing waits for it any more.
    fn end(&mut self, request: &McpRequestId) {
        if let Some(ended) = self.active.remove(request) {
            self.waiting -= ended.waiting;
            ended.over.cancel();
        }
    }
}

/// A request among those that are under way.
pub(super) struct Begun {
    link: AcpLink,
    pub(super) request: McpRequestId,
    /// Before this is dropped: it was given up, because too much waits for it.
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

/// Where a notification goes.
struct Receiver {
    id: RequestId,
    messages: mpsc::Sender<ServerJsonRpcMessage>,
    over: CancellationToken,
}

/// A notification among those that wait.
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

/// What a server tells a listener names the listening request; that has a name of its own on the wire.
pub(super) fn name_subscription(content: &mut Value, id: &RequestId) {
    let named = content.get_mut("_meta").and_then(|meta| meta.get_mut(SUBSCRIPTION));
    if let (Some(named), Ok(id)) = (named, serde_json::to_value(id)) {
        *named = id;
    }
}

/// What a notification takes in memory, on the high side, with the job that waits.
fn weight(notification: &MessageMcpNotification) -> usize {
    const JOB: usize = 1024;
    JOB + notification.method.len() + notification.params.as_ref().map_or(0, weight_of_members)
}

fn weight_of_members(members: &Map<AcpValue>) -> usize {
    members.iter().map(|(name, value)| name.len() + weight_of(value.as_node())).sum()
}

fn weight_of(node: &Node<'_>) -> usize {
    const ONE: usize = 64;
    /// Lists have room for more than they hold.
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
