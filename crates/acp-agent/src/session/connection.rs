//! One client being served: what it may ask, and when.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use acp_json::Node;
use acp_rpc::{Delivery, Error as RpcError, Fault, Peer, Request, Service, Task};
use acp_types::method::Method as _;
use acp_types::v1::{AuthMethod, AuthMethodId, CancelNotification, methods};

use crate::client::Agreed;
use crate::error::auth_required;
use crate::facts::profile::{ExtensionKind, Operations, Profile};
use crate::handler::agent::Agent;
use crate::handler::incoming::{Incoming, IncomingNotification};
use crate::mcp::Servers;
use crate::op::{Op as _, Operation};
use crate::serve::lifecycle::initialize;
use crate::session::table::Sessions;
use crate::store::{self, Keeper};
use crate::updates::settings::names;

/// The state of a connection.
pub(crate) struct Connection<A: Agent> {
    pub(crate) agent: Arc<A>,
    pub(crate) sessions: Arc<Sessions<A::Session>>,
    /// Where sessions are kept, if the agent wants them to be.
    pub(crate) keeper: Option<Keeper>,
    /// What connects MCP servers, if the agent wants that to be done.
    pub(crate) servers: Option<Servers>,
    phase: Mutex<Phase>,
    on_fault: Option<OnFault>,
}

/// What is told of faults.
pub(crate) type OnFault = Arc<dyn Fn(&Fault<'_>) + Send + Sync>;

#[derive(Default)]
struct Phase {
    /// What the last `initialize` agreed on.
    agreed: Option<Arc<Agreed>>,
    /// Whether a request came after it: then it stays so.
    settled: bool,
    /// The ways to log in that were advertised.
    auth_methods: Arc<OnceLock<Vec<AuthMethod>>>,
}

impl<A: Agent> Connection<A> {
    pub(crate) fn new(agent: Arc<A>, on_fault: Option<OnFault>, limits: &acp_rpc::Options) -> Self {
        let (keeper, servers) = (Keeper::of(&*agent, on_fault.clone()), Servers::of(&*agent, limits));
        Connection { agent, sessions: Arc::default(), keeper, servers, phase: Mutex::default(), on_fault }
    }

    /// The facts about the agent, with what the library does for it.
    pub(crate) fn profile(&self) -> Profile<'_> {
        let mut profile = self.agent.profile();
        if self.keeper.is_some() {
            let offered = Keeper::OPERATIONS.into_iter();
            profile.operations = offered.fold(profile.operations, Operations::with);
        }
        if self.servers.is_some() {
            profile.mcp = Servers::transports();
            // It stands for `mcpCapabilities.acp`.
            #[cfg(feature = "unstable")]
            if Servers::reach_client() {
                profile.operations = profile.operations.with(Operation::McpMessage);
            }
        }
        profile
    }

    /// The connection is over: what was recorded of its sessions is made durable, and others can open them. So are
    /// those that were half open. The MCP servers of all of them are ended.
    pub(crate) async fn close_sessions(&self) {
        let keeping = async {
            if let Some(keeper) = &self.keeper {
                keeper.close().await;
            }
        };
        let serving = async {
            if let Some(servers) = &self.servers {
                servers.end().await;
            }
        };
        tokio::join!(keeping, serving);
    }

    /// Begins the connection, or begins it anew: until another request has come.
    pub(crate) fn begin(&self, agreed: &Arc<Agreed>) -> Result<(), RpcError> {
        let mut phase = self.phase();
        if phase.settled {
            return Err(RpcError::invalid_request(
                "`initialize`: the connection is in use already; it can be repeated only before other requests",
            ));
        }
        *phase = Phase { agreed: Some(Arc::clone(agreed)), ..Phase::default() };
        Ok(())
    }

    /// The `initialize` that agreed on this has failed after all.
    pub(crate) fn abandon(&self, agreed: &Arc<Agreed>) {
        let mut phase = self.phase();
        if phase.agreed.as_ref().is_some_and(|current| Arc::ptr_eq(current, agreed)) {
            *phase = Phase::default();
        }
    }

    /// Keeps the ways to log in that the client has been told.
    pub(crate) fn set_auth_methods(&self, methods: &[AuthMethod]) {
        // An `initialize` is answered once.
        let _ = self.phase().auth_methods.set(methods.to_vec());
    }

    /// Refuses ways to log in that were not advertised, and those that do not go through `authenticate`
    /// (rules `v1-auth-03`, `v1-auth-04`).
    pub(crate) fn check_auth_method(&self, id: &AuthMethodId) -> Result<(), RpcError> {
        let methods = Arc::clone(&self.phase().auth_methods);
        let ids: Vec<_> = methods
            .get()
            .into_iter()
            .flatten()
            .filter_map(AuthMethod::as_agent)
            .map(|method| method.id)
            .collect();
        if ids.contains(id) {
            return Ok(());
        }
        Err(RpcError::invalid_params(format!(
            "`methodId`: no such way to log in by `authenticate`; this agent has {}",
            names(ids),
        )))
    }

    /// What was agreed on, for a request other than `initialize` (rule `v1-init-10`).
    fn serve(&self, method: &str) -> Result<Arc<Agreed>, RpcError> {
        let mut phase = self.phase();
        let Some(agreed) = phase.agreed.clone() else {
            return Err(RpcError::invalid_request(format!("`{method}`: call `initialize` first")));
        };
        phase.settled = true;
        Ok(agreed)
    }

    /// Cancels the turns of a session. One that is not open has none (rules `v1-cancel-10`, `v1-cancel-11`).
    fn cancel(&self, params: Node<'_>) -> Delivery {
        let cancel: CancelNotification = match acp_json::read(params) {
            Ok(cancel) => cancel,
            Err(error) => {
                self.ignored(methods::SessionCancel::NAME, &error.to_string());
                return Delivery::Ignore;
            }
        };
        let Some(session) = self.sessions.get(&cancel.session_id) else { return Delivery::Ignore };
        session.entry.turns.cancel();
        Delivery::Done
    }

    /// Tells that a notification has no effect, which its sender cannot be told.
    pub(crate) fn ignored(&self, method: &str, reason: &str) {
        self.fault(&Fault::Ignored { method, reason });
    }

    fn fault(&self, fault: &Fault<'_>) {
        if let Some(on_fault) = &self.on_fault {
            on_fault(fault);
        }
    }

    fn phase(&self) -> MutexGuard<'_, Phase> {
        // Only assignments run under this lock.
        self.phase.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The connection as JSON-RPC sees it.
pub(crate) struct Server<A: Agent>(pub(crate) Arc<Connection<A>>);

impl<A: Agent> Service for Server<A> {
    fn request(&self, method: &str, params: Node<'_>, request: Request) -> Result<Task, RpcError> {
        let connection = Arc::clone(&self.0);
        if method == crate::op::Initialize::METHOD {
            return initialize::initialize(connection, params, request);
        }
        let agreed = connection.serve(method)?;
        let profile = connection.profile();
        let operation = Operation::from_method(method);
        let offered = match operation {
            Some(operation) => profile.operations.contains(operation),
            None => profile.has_extension(method, ExtensionKind::Request),
        };
        if !offered {
            return Err(not_offered(method));
        }
        let is_locked = profile.login_required && !agreed.logged_in.load(Ordering::Acquire);
        if is_locked && operation.is_some_and(needs_login) {
            return Err(auth_required());
        }
        let has_handler = connection.agent.profile().operations;
        let incoming = Incoming { method, params, request, agreed, connection, reopening: None };
        match operation {
            Some(operation) if !has_handler.contains(operation) => store::answer(operation, incoming),
            _ => A::call(incoming),
        }
    }

    fn notification(&self, method: &str, params: Node<'_>, peer: &Peer) -> Delivery {
        let connection = Arc::clone(&self.0);
        let Some(agreed) = connection.phase().agreed.clone() else { return Delivery::Ignore };
        if method == methods::SessionCancel::NAME {
            // Here, on the reader: a cancel takes effect before any message behind it is looked at, so it
            // reaches the turn that was running when it was sent, and no later one.
            return connection.cancel(params);
        }
        let profile = connection.agent.profile();
        // On the reader: what a server of the client tells of a request is dropped once that is answered. What is about a
        // request that the agent has sent by itself is for its handler.
        #[cfg(feature = "unstable")]
        if method == methods::McpMessageNotify::NAME
            && let Some(servers) = &connection.servers
            && servers.is_about_ours(&params)
        {
            return servers.notified(params);
        }
        let offered = match Operation::from_notification(method) {
            Some(operation) => profile.operations.contains(operation),
            None => profile.has_extension(method, ExtensionKind::Notification),
        };
        if !offered {
            return Delivery::Ignore;
        }
        A::notify(IncomingNotification { method, params, peer, agreed, connection })
    }

    fn fault(&self, fault: Fault<'_>) {
        self.0.fault(&fault);
    }
}

/// Whether an operation waits for the login, where one is required: all but those that log in and out, those that say
/// where and with which keys models are reached, which may be the login, and the one that only gives something back.
const fn needs_login(operation: Operation) -> bool {
    #[cfg(feature = "unstable")]
    if matches!(
        operation,
        Operation::AuthStatus
            | Operation::ListProviders
            | Operation::SetProvider
            | Operation::DisableProvider
    ) {
        return false;
    }
    !matches!(operation, Operation::Authenticate | Operation::Logout | Operation::CloseSession)
}

/// `-32601`, with the capability that the agent did not advertise (rules `v1-rpc-12`, `v1-rpc-13`).
fn not_offered(method: &str) -> RpcError {
    match Operation::from_method(method).and_then(Operation::capability) {
        Some(capability) => RpcError::new(
            RpcError::METHOD_NOT_FOUND,
            format!("method not found: {method}; this agent does not advertise `{capability}`"),
        ),
        None => RpcError::method_not_found(method),
    }
}
