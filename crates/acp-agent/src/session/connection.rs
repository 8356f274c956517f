//! The state of a connection to a client.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use acp_json::Node;
use acp_rpc::{Delivery, Error as RpcError, Fault};
use acp_types::v1::ext::TurnLimits;
use acp_types::v1::{AuthMethod, AuthMethodId, Implementation};

use crate::client::Agreed;
use crate::error::OnFault;
use crate::mcp::Servers;
use crate::op::{Initialize, Op as _};
use crate::session::table::Sessions;
use crate::store::StoreHandle;
use crate::updates::commands::HandledCommands;
use crate::wire::Wire;
use crate::wire::initialize::Spoken;

/// The state of a connection whose sessions hold an `S` each.
pub(crate) struct Connection<S> {
    pub(crate) sessions: Arc<Sessions<S>>,
    /// The store of the sessions, if the agent has one.
    pub(crate) store: Option<StoreHandle>,
    /// The store of sessions for a version that cannot do without one.
    pub(crate) memory: Option<StoreHandle>,
    /// The connector of MCP servers, if the agent wants one.
    pub(crate) servers: Option<Servers>,
    /// The agent's name and version.
    pub(crate) info: Implementation,
    /// Set if prompts wait for their session's turn to end.
    pub(crate) queues_prompts: bool,
    /// Set if clients can steer turns.
    pub(crate) offers_steering: bool,
    /// Set if turns take messages of the user while they run.
    pub(crate) takes_steering: bool,
    /// The versions that the agent speaks.
    pub(crate) spoken: Spoken,
    /// The limits of turns that set none.
    pub(crate) turn_limits: TurnLimits,
    /// Set if everything is served that sessions take in version 2.
    pub(crate) serves_sessions: bool,
    /// The slash commands that have handlers.
    pub(crate) commands: Arc<HandledCommands>,
    phase: Mutex<Phase>,
    on_fault: Option<OnFault>,
}

/// The stores of a connection.
pub(crate) struct Stores {
    /// The agent's.
    pub(crate) own: Option<StoreHandle>,
    /// That of an agent that has none, for a version that cannot do without one.
    pub(crate) memory: Option<StoreHandle>,
}

#[derive(Default)]
struct Phase {
    /// The outcome of the last `initialize`.
    agreed: Option<Arc<Agreed>>,
    /// The outcome of an `initialize` that is not answered yet, if nothing may come before the
    /// answer.
    pending: Option<Arc<Agreed>>,
    /// Set once a request came after it. Then it stays.
    settled: bool,
    /// The advertised ways to log in.
    auth_methods: Arc<[AuthMethod]>,
}

impl Phase {
    /// Returns whether this is the outcome of the last `initialize`.
    fn is_of(&self, agreed: &Arc<Agreed>) -> bool {
        self.agreed.as_ref().is_some_and(|current| Arc::ptr_eq(current, agreed))
    }
}

impl<S> Connection<S> {
    pub(crate) fn new(
        info: Implementation,
        queues_prompts: bool,
        serves_sessions: bool,
        commands: HandledCommands,
        stores: Stores,
        servers: Option<Servers>,
        on_fault: Option<OnFault>,
    ) -> Self {
        let (sessions, phase, commands) = (Arc::default(), Mutex::default(), Arc::new(commands));
        let Stores { own: store, memory } = stores;
        Connection {
            sessions,
            store,
            memory,
            servers,
            info,
            queues_prompts,
            serves_sessions,
            commands,
            offers_steering: false,
            takes_steering: false,
            spoken: Spoken::default(),
            turn_limits: TurnLimits::new(),
            phase,
            on_fault,
        }
    }

    /// Closes all sessions at the end of the connection, also half-open ones. Their recordings
    /// become durable and others can open them. Their MCP servers are ended.
    pub(crate) async fn close_sessions(&self) {
        let keeping = async {
            for store in self.store.iter().chain(&self.memory) {
                store.close().await;
            }
        };
        let serving = async {
            if let Some(servers) = &self.servers {
                servers.end().await;
            }
        };
        tokio::join!(keeping, serving);
    }

    /// Begins the connection. It can begin anew until another request has come. Returns what has to
    /// live until the answer, if the outcome counts only from there on (rule `v2-init-07`).
    pub(crate) fn begin(this: &Arc<Self>, agreed: &Arc<Agreed>) -> Result<Option<Pending<S>>, RpcError> {
        let mut phase = this.phase();
        if phase.settled {
            return Err(RpcError::invalid_request(
                "`initialize`: the connection is in use already; it can be repeated only before other requests",
            ));
        }
        if phase.pending.is_some() {
            return Err(not_answered(Initialize::METHOD));
        }
        let (now, before) = (&agreed.wire, phase.agreed.as_ref().map(|agreed| &agreed.wire));
        if before.is_some_and(|before| before.version() > now.version()) {
            return Err(RpcError::invalid_request(
                "`initialize`: this connection has a newer version already: ask for that, or a newer one",
            ));
        }
        if now.waits_for_initialized() {
            phase.pending = Some(Arc::clone(agreed));
            drop(phase);
            return Ok(Some(Pending { connection: Arc::clone(this), agreed: Arc::clone(agreed) }));
        }
        *phase = Phase { agreed: Some(Arc::clone(agreed)), ..Phase::default() };
        Ok(None)
    }

    /// Lets the outcome count, whose `initialize` is about to be answered.
    pub(crate) fn established(&self, agreed: &Arc<Agreed>) {
        let mut phase = self.phase();
        if phase.pending.take_if(|pending| Arc::ptr_eq(pending, agreed)).is_some() {
            *phase = Phase { agreed: Some(Arc::clone(agreed)), ..Phase::default() };
        }
    }

    /// Forgets this outcome, because its `initialize` has failed after all.
    pub(crate) fn abandon(&self, agreed: &Arc<Agreed>) {
        let mut phase = self.phase();
        if phase.pending.take_if(|pending| Arc::ptr_eq(pending, agreed)).is_some() {
            return;
        }
        if phase.is_of(agreed) {
            *phase = Phase::default();
        }
    }

    /// Returns the store of the sessions of a connection that speaks this version.
    pub(crate) fn store(&self, wire: &Wire) -> Option<&StoreHandle> {
        self.store.as_ref().or_else(|| self.memory.as_ref().filter(|_| wire.keeps_sessions()))
    }

    /// Returns whether the client was told of a way to log in.
    #[cfg(feature = "v2")]
    pub(crate) fn has_auth_methods(&self) -> bool {
        !self.phase().auth_methods.is_empty()
    }

    /// Keeps the advertised ways to log in. Those of an outcome that is not the last one do not
    /// count.
    pub(crate) fn set_auth_methods(&self, agreed: &Arc<Agreed>, methods: &[AuthMethod]) {
        let mut phase = self.phase();
        if phase.is_of(agreed) {
            phase.auth_methods = methods.into();
        }
    }

    /// Refuses ways to log in that were not advertised, and those that do not go through
    /// `authenticate` (rules `v1-auth-03`, `v1-auth-04`).
    pub(crate) fn check_auth_method(&self, id: &AuthMethodId) -> Result<(), RpcError> {
        let methods = Arc::clone(&self.phase().auth_methods);
        AuthMethod::check(&methods, id)
            .map_err(|error| RpcError::invalid_params(format!("`methodId` {error}")))
    }

    /// Returns the outcome of `initialize`, for any other request (rule `v1-init-10`).
    pub(crate) fn serve(&self, method: &str) -> Result<Arc<Agreed>, RpcError> {
        let mut phase = self.phase();
        if phase.pending.is_some() {
            return Err(not_answered(method));
        }
        let Some(agreed) = phase.agreed.clone() else {
            return Err(RpcError::invalid_request(format!("`{method}`: call `initialize` first")));
        };
        phase.settled = true;
        Ok(agreed)
    }

    /// Cancels the turns of a session. A session that is not open has none (rules `v1-cancel-10`,
    /// `v1-cancel-11`).
    pub(crate) fn cancel(&self, wire: &Wire, method: &str, params: Node<'_>) -> Delivery {
        let session = match wire.cancelled_session(params) {
            Ok(session) => session,
            Err(error) => {
                self.ignored(method, &error.to_string());
                return Delivery::Ignore;
            }
        };
        let Some(session) = self.sessions.get(&session) else { return Delivery::Ignore };
        session.entry.turns.cancel();
        Delivery::Done
    }

    /// Reports a notification without effect. Its sender cannot be told.
    pub(crate) fn ignored(&self, method: &str, reason: &str) {
        self.fault(&Fault::Ignored { method, reason });
    }

    /// Returns the receiver of faults, if there is one.
    pub(crate) const fn on_fault(&self) -> Option<&OnFault> {
        self.on_fault.as_ref()
    }

    pub(crate) fn fault(&self, fault: &Fault<'_>) {
        if let Some(on_fault) = &self.on_fault {
            on_fault(fault);
        }
    }

    /// Returns the outcome of the last `initialize`, for notifications. One that is not answered
    /// yet has none.
    pub(crate) fn agreed(&self) -> Option<Arc<Agreed>> {
        let phase = self.phase();
        phase.agreed.clone().filter(|_| phase.pending.is_none())
    }

    fn phase(&self) -> MutexGuard<'_, Phase> {
        // Nothing but assignments runs under this lock.
        self.phase.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An `initialize` that is not answered yet. Its drop forgets the outcome, if that does not count
/// by then.
pub(crate) struct Pending<S> {
    connection: Arc<Connection<S>>,
    agreed: Arc<Agreed>,
}

impl<S> Drop for Pending<S> {
    fn drop(&mut self) {
        self.connection.phase().pending.take_if(|pending| Arc::ptr_eq(pending, &self.agreed));
    }
}

/// Returns `-32600`: the client has not waited for the answer to `initialize`.
fn not_answered(method: &str) -> RpcError {
    RpcError::invalid_request(format!("`{method}`: wait for the answer to `initialize`"))
}
