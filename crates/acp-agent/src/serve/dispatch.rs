//! Messages of the client on their way to those who take them.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use acp_handlers::RequestHandler;
use acp_json::Node;
use acp_rpc::{Delivery, Error as RpcError, Fault, LaneKey, Options, Peer, Request, Service, Task};
use acp_types::Meta;
use acp_types::v1::ext::TurnLimits;
use acp_types::v1::{AgentCapabilities, Implementation};

#[cfg(feature = "v2")]
use crate::error::unknown_session;
use crate::error::{Error, OnFault, auth_required};
use crate::handler::agent::Agent;
use crate::handler::scope::{Handlers, Scope};
use crate::mcp::Servers;
#[cfg(feature = "v2")]
use crate::op::SetMode;
use crate::op::{Initialize, Op as _, Operation, Prompt};
use crate::serve::lifecycle::command;
#[cfg(feature = "v2")]
use crate::serve::lifecycle::entity;
use crate::serve::lifecycle::initialize::begin;
use crate::serve::lifecycle::steer;
use crate::serve::stored;
use crate::session::connection::{Connection, Stores};
#[cfg(feature = "v2")]
use crate::store::MemoryStore;
use crate::store::StoreHandle;
use crate::updates::commands::HandledCommands;
use crate::wire::Wire;
use crate::wire::initialize::Spoken;

/// A connection, as JSON-RPC sees it.
pub(crate) struct Server<S: Send + Sync + 'static> {
    handlers: Handlers<S>,
    /// The handlers of methods that only version 2 requires.
    #[cfg(feature = "v2")]
    required: Handlers<S>,
    connection: Arc<Connection<S>>,
    /// The agent's capabilities.
    own: AgentCapabilities,
    login_required: bool,
}

impl<S: Send + Sync + 'static> Server<S> {
    /// Prepares a connection.
    ///
    /// # Errors
    /// The agent's handlers cannot be those of one connection. The agent's store has no sessions of
    /// this principal.
    pub(crate) fn new<A: Agent<Session = S>>(
        agent: &Arc<A>,
        principal: Option<&str>,
        on_fault: Option<OnFault>,
        limits: &Options,
        turn_limits: TurnLimits,
        spoken: Spoken,
    ) -> crate::Result<Self> {
        let mut handlers = Handlers::default();
        handlers.begin::<A>();
        Arc::clone(agent).register(&mut handlers);
        let operations = Operation::ALL.iter().map(|operation| (operation.method(), operation.capability()));
        handlers.check(&operations).map_err(Error::Conflict)?;
        let takes_prompts = handlers.serves(Prompt::METHOD);
        let commands = HandledCommands::new(command::seal(&mut handlers), takes_prompts);
        let mut profile = agent.profile();
        let info = profile.info();
        let store = match agent.store() {
            Some(store) => StoreHandle::new(store, principal, on_fault.clone())?,
            None => None,
        };
        let servers = mcp_servers(&**agent, &info, limits);
        stored::register(&mut handlers, store.as_ref());
        if profile.steering {
            steer::register(&mut handlers);
        }
        if servers.is_some() {
            profile.mcp = Servers::transports();
        }
        let mut own = profile.capabilities(|operation| handlers.has(operation.method()));
        #[cfg(feature = "unstable")]
        if servers.is_some() {
            own.mcp_capabilities.acp |= Servers::reach_client();
        }
        own.meta = Some(agent.capability_meta()).filter(|meta| *meta != Meta::new());
        let memory = memory_store(agent, principal, &handlers, store.as_ref(), on_fault.clone())?;
        #[cfg(feature = "v2")]
        let required = stored::required(&handlers, memory.is_some());
        let serves_sessions = serves_sessions(|operation| {
            #[cfg(feature = "v2")]
            if required.serves(operation.method()) {
                return true;
            }
            handlers.serves(operation.method())
        });
        let (queues, stores) = (profile.queue_prompts, Stores { own: store, memory });
        let mut connection =
            Connection::new(info, queues, serves_sessions, commands, stores, servers, on_fault);
        connection.offers_steering = steer::is_served(&handlers);
        connection.takes_steering = profile.steering;
        connection.turn_limits = turn_limits;
        connection.spoken = spoken;
        Ok(Server {
            handlers,
            #[cfg(feature = "v2")]
            required,
            connection: Arc::new(connection),
            own,
            login_required: profile.login_required,
        })
    }

    /// Returns the operation that sets the mode, if the request sets the config option that stands
    /// for the modes.
    #[cfg(feature = "v2")]
    fn of_mode(&self, wire: &Wire, operation: &str, params: &Node<'_>) -> Option<&'static str> {
        let (session, option) = wire.set_option(operation, params)?;
        let session = self.connection.sessions.get(&session)?;
        let is_mode = session.updates().settings().is_mode_option(wire, &option);
        // An agent that does not take modes takes the option like any other, if it takes options.
        (is_mode && self.handlers.serves(SetMode::METHOD)).then_some(SetMode::METHOD)
    }

    /// Refuses an option that the session does not have, for an agent whose only option stands for
    /// the modes (rule `v2-cfg-03`).
    #[cfg(feature = "v2")]
    fn check_option(&self, wire: &Wire, operation: &str, params: &Node<'_>) -> Result<(), RpcError> {
        let handlers = &self.handlers;
        if handlers.serves(operation) || !handlers.serves(SetMode::METHOD) {
            return Ok(());
        }
        let Some((session, _)) = wire.set_option(operation, params) else { return Ok(()) };
        match self.connection.sessions.get(&session) {
            Some(_) => Err(RpcError::invalid_params("`configId`: must be an option of the session")),
            None => Err(unknown_session(&session)),
        }
    }

    /// Cancels a part of a session, if the request asks for that. An agent's own handler is asked
    /// first.
    #[cfg(feature = "v2")]
    fn cancel_entity(&self, wire: &Wire, method: &str, params: &Node<'_>) -> Option<Result<Task, RpcError>> {
        if !self.connection.serves_sessions || self.handlers.serves(method) {
            return None;
        }
        entity::cancel(&self.connection, wire, method, params)
    }

    #[cfg(not(feature = "v2"))]
    fn find(&self, _: &Wire, operation: &str) -> Option<&RequestHandler<Scope<S>>> {
        self.handlers.find_request(operation)
    }

    /// Returns the handler of a request: the agent's, or that of a method that this version
    /// requires. Without a way to log in there is nothing to log out of (rule `v2-auth-01`), and
    /// without all of the methods of sessions there is none of them (rule `v2-cap-03`).
    #[cfg(feature = "v2")]
    fn find(&self, wire: &Wire, operation: &str) -> Option<&RequestHandler<Scope<S>>> {
        let own = self.handlers.find_request(operation);
        if !wire.keeps_sessions() {
            return own;
        }
        let is_served = match Operation::from_method(operation) {
            Some(Operation::Authenticate | Operation::Logout) => self.connection.has_auth_methods(),
            _ => self.connection.serves_sessions || !wire.is_of_sessions(operation),
        };
        own.or_else(|| self.required.find_request(operation)).filter(|_| is_served)
    }

    pub(crate) const fn connection(&self) -> &Arc<Connection<S>> {
        &self.connection
    }
}

impl<S: Send + Sync + 'static> Service for Server<S> {
    fn request(&self, method: &str, params: Node<'_>, request: Request) -> Result<Task, RpcError> {
        let agreed = match method {
            Initialize::METHOD => begin(&self.connection, self.own.clone(), &params, &request)?,
            _ => self.connection.serve(method)?,
        };
        #[cfg(feature = "v2")]
        agreed.wire.check_id(&request.id)?;
        #[cfg(feature = "v2")]
        if let Some(task) = self.cancel_entity(&agreed.wire, method, &params) {
            return task;
        }
        let operation = agreed.wire.operation(method, &params)?.ok_or_else(|| not_offered(method))?;
        #[cfg(feature = "v2")]
        let operation = self.of_mode(&agreed.wire, operation, &params).unwrap_or(operation);
        #[cfg(feature = "v2")]
        self.check_option(&agreed.wire, operation, &params)?;
        let handler = self.find(&agreed.wire, operation).ok_or_else(|| not_offered(method))?;
        let is_locked = self.login_required && !agreed.logged_in.load(Ordering::Acquire);
        if is_locked && Operation::from_method(operation).is_some_and(Operation::needs_login) {
            return Err(auth_required());
        }
        handler(params, Scope::of_request(&self.connection, agreed, &request), &request)
    }

    fn notification(&self, method: &str, params: Node<'_>, peer: &Peer) -> Delivery {
        let connection = &self.connection;
        let Some(agreed) = connection.agreed() else { return Delivery::Ignore };
        if agreed.wire.is_cancel(method) {
            // Here, on the reader. A cancel takes effect before any message behind it is looked at,
            // so it reaches the turn that was running when it was sent, and no later one.
            return connection.cancel(&agreed.wire, method, params);
        }
        // On the reader, because notifications about a request are dropped once that is answered.
        // Its handler gets those about requests that the agent has sent by itself.
        #[cfg(feature = "unstable")]
        if agreed.wire.is_mcp_message(method)
            && let Some(servers) = &connection.servers
            && servers.is_about_ours(&agreed.wire, &params)
        {
            return servers.notified(&agreed.wire, params);
        }
        let Some(handler) = self.handlers.find_notification(method) else {
            return Delivery::Ignore;
        };
        match handler(params, Scope::of_notification(connection, agreed, peer)) {
            // Behind those of earlier notifications of this method.
            Ok(job) => Delivery::Lane { lane: LaneKey::from(method), job },
            Err(reason) => {
                connection.ignored(method, &reason);
                Delivery::Ignore
            }
        }
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

/// Returns whether everything is served that sessions take in version 2 (rule `v2-cap-02`).
fn serves_sessions(has: impl Fn(Operation) -> bool) -> bool {
    use Operation::{CloseSession, ListSessions, LoadSession, NewSession, Prompt, ResumeSession};
    [NewSession, Prompt, LoadSession, ResumeSession, ListSessions, CloseSession].into_iter().all(has)
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

/// Returns the store for version 2 of an agent that does not keep its sessions itself.
#[cfg(feature = "v2")]
fn memory_store<A: Agent>(
    agent: &Arc<A>,
    principal: Option<&str>,
    own: &Handlers<A::Session>,
    store: Option<&StoreHandle>,
    on_fault: Option<OnFault>,
) -> crate::Result<Option<StoreHandle>> {
    if store.is_some() || !stored::leaves_sessions(own) {
        return Ok(None);
    }
    StoreHandle::new(Arc::new(MemoryStore::of_agent(agent)), principal, on_fault)
}

#[cfg(not(feature = "v2"))]
fn memory_store<A: Agent>(
    _: &Arc<A>,
    _: Option<&str>,
    _: &Handlers<A::Session>,
    _: Option<&StoreHandle>,
    _: Option<OnFault>,
) -> crate::Result<Option<StoreHandle>> {
    Ok(None)
}
