//! Messages of the client on their way to those who take them.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use acp_json::Node;
use acp_rpc::{Delivery, Error as RpcError, Fault, Options, Peer, Request, Service, Task};
use acp_types::method::Method as _;
use acp_types::v1::{Implementation, methods};

use crate::error::{OnFault, auth_required};
use crate::facts::operations::Operations;
use crate::facts::profile::{ExtensionKind, Profile};
use crate::handler::agent::Agent;
use crate::handler::incoming::{Incoming, IncomingNotification};
use crate::mcp::Servers;
use crate::op::{Initialize, Op as _, Operation};
use crate::serve::lifecycle::initialize::initialize;
use crate::serve::stored;
use crate::session::connection::Connection;
use crate::store::StoreHandle;

/// A connection, as JSON-RPC sees it.
pub(crate) struct Server<A: Agent> {
    agent: Arc<A>,
    connection: Arc<Connection<A::Session>>,
}

impl<A: Agent> Server<A> {
    pub(crate) fn new(agent: Arc<A>, on_fault: Option<OnFault>, limits: &Options) -> Self {
        let Profile { queue_prompts, .. } = agent.profile();
        let info = agent.profile().info();
        let (store, servers) =
            (session_store(&*agent, on_fault.clone()), mcp_servers(&*agent, &info, limits));
        let connection = Connection::new(info, queue_prompts, store, servers, on_fault);
        Server { agent, connection: Arc::new(connection) }
    }

    pub(crate) const fn connection(&self) -> &Arc<Connection<A::Session>> {
        &self.connection
    }

    /// Returns the facts about the agent, with the operations that the library adds.
    pub(crate) fn profile(&self) -> Profile<'_> {
        let mut profile = self.agent.profile();
        if self.connection.store.is_some() {
            profile.operations = Operation::STORED.iter().copied().fold(profile.operations, Operations::with);
        }
        if self.connection.servers.is_some() {
            profile.mcp = Servers::transports();
            // The operation stands for `mcpCapabilities.acp`.
            #[cfg(feature = "unstable")]
            if Servers::reach_client() {
                profile.operations = profile.operations.with(Operation::McpMessage);
            }
        }
        profile
    }
}

impl<A: Agent> Service for Server<A> {
    fn request(&self, method: &str, params: Node<'_>, request: Request) -> Result<Task, RpcError> {
        let (agent, connection) = (Arc::clone(&self.agent), Arc::clone(&self.connection));
        if method == Initialize::METHOD {
            return initialize(agent, connection, &self.profile(), params, request);
        }
        let agreed = connection.serve(method)?;
        let profile = self.profile();
        let operation = Operation::from_method(method);
        let offered = match operation {
            Some(operation) => profile.operations.contains(operation),
            None => profile.has_extension(method, ExtensionKind::Request),
        };
        if !offered {
            return Err(not_offered(method));
        }
        let is_locked = profile.login_required && !agreed.logged_in.load(Ordering::Acquire);
        if is_locked && operation.is_some_and(Operation::needs_login) {
            return Err(auth_required());
        }
        let has_handler = self.agent.profile().operations;
        let incoming = Incoming { method, params, request, agreed, agent, connection, reopening: None };
        match operation {
            Some(operation) if !has_handler.contains(operation) => stored::answer(operation, incoming),
            _ => A::call(incoming),
        }
    }

    fn notification(&self, method: &str, params: Node<'_>, peer: &Peer) -> Delivery {
        let connection = &self.connection;
        let Some(agreed) = connection.agreed() else { return Delivery::Ignore };
        if method == methods::SessionCancel::NAME {
            // Here, on the reader. A cancel takes effect before any message behind it is looked at,
            // so it reaches the turn that was running when it was sent, and no later one.
            return connection.cancel(&agreed.wire, method, params);
        }
        let profile = self.agent.profile();
        // On the reader, because notifications about a request are dropped once that is answered.
        // Its handler gets those about requests that the agent has sent by itself.
        #[cfg(feature = "unstable")]
        if method == methods::McpMessageNotify::NAME
            && let Some(servers) = &connection.servers
            && servers.is_about_ours(&agreed.wire, &params)
        {
            return servers.notified(&agreed.wire, params);
        }
        let offered = match Operation::from_notification(method) {
            Some(operation) => profile.operations.contains(operation),
            None => profile.has_extension(method, ExtensionKind::Notification),
        };
        if !offered {
            return Delivery::Ignore;
        }
        let (agent, connection) = (Arc::clone(&self.agent), Arc::clone(connection));
        A::notify(IncomingNotification { method, params, peer, agreed, agent, connection })
    }

    fn fault(&self, fault: Fault<'_>) {
        self.connection.fault(&fault);
    }
}

/// Returns `-32601`, with the capability that the agent did not advertise (rules `v1-rpc-12`,
/// `v1-rpc-13`).
fn not_offered(method: &str) -> RpcError {
    match Operation::from_method(method).and_then(Operation::capability) {
        Some(capability) => RpcError::new(
            RpcError::METHOD_NOT_FOUND,
            format!("method not found: {method}; this agent does not advertise `{capability}`"),
        ),
        None => RpcError::method_not_found(method),
    }
}

/// Returns the agent's store of sessions, if it has one.
#[cfg(feature = "store")]
fn session_store<A: Agent>(agent: &A, on_fault: Option<OnFault>) -> Option<StoreHandle> {
    Some(StoreHandle::new(agent.store()?, on_fault))
}

#[cfg(not(feature = "store"))]
fn session_store<A: Agent>(_: &A, _: Option<OnFault>) -> Option<StoreHandle> {
    None
}

/// Returns the connector of MCP servers, if the agent wants one.
#[cfg(feature = "mcp")]
fn mcp_servers<A: Agent>(agent: &A, info: &Implementation, limits: &Options) -> Option<Servers> {
    Some(Servers::new(agent.mcp()?, info, limits))
}

#[cfg(not(feature = "mcp"))]
fn mcp_servers<A: Agent>(_: &A, _: &Implementation, _: &Options) -> Option<Servers> {
    None
}
