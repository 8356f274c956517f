//! One client being served: what it may ask, and when.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use acp_json::Node;
use acp_rpc::{Delivery, Error as RpcError, Fault};
use acp_types::method::Method as _;
use acp_types::v1::{AuthMethod, AuthMethodId, CancelNotification, Implementation, methods};

use crate::client::Agreed;
use crate::error::OnFault;
use crate::mcp::Servers;
use crate::session::table::Sessions;
use crate::store::Keeper;
use crate::updates::settings::names;

/// The state of a connection, whose sessions hold an `S` each.
pub(crate) struct Connection<S> {
    pub(crate) sessions: Arc<Sessions<S>>,
    /// Where sessions are kept, if the agent wants them to be.
    pub(crate) keeper: Option<Keeper>,
    /// What connects MCP servers, if the agent wants that to be done.
    pub(crate) servers: Option<Servers>,
    /// How the agent introduces itself.
    pub(crate) info: Implementation,
    /// Whether prompts wait for their session's turn to end.
    pub(crate) queues_prompts: bool,
    phase: Mutex<Phase>,
    on_fault: Option<OnFault>,
}

#[derive(Default)]
struct Phase {
    /// What the last `initialize` agreed on.
    agreed: Option<Arc<Agreed>>,
    /// Whether a request came after it: then it stays so.
    settled: bool,
    /// The ways to log in that were advertised.
    auth_methods: Arc<OnceLock<Vec<AuthMethod>>>,
}

impl<S> Connection<S> {
    pub(crate) fn new(
        info: Implementation,
        queues_prompts: bool,
        keeper: Option<Keeper>,
        servers: Option<Servers>,
        on_fault: Option<OnFault>,
    ) -> Self {
        let (sessions, phase) = (Arc::default(), Mutex::default());
        Connection { sessions, keeper, servers, info, queues_prompts, phase, on_fault }
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
    pub(crate) fn serve(&self, method: &str) -> Result<Arc<Agreed>, RpcError> {
        let mut phase = self.phase();
        let Some(agreed) = phase.agreed.clone() else {
            return Err(RpcError::invalid_request(format!("`{method}`: call `initialize` first")));
        };
        phase.settled = true;
        Ok(agreed)
    }

    /// Cancels the turns of a session. One that is not open has none (rules `v1-cancel-10`, `v1-cancel-11`).
    pub(crate) fn cancel(&self, params: Node<'_>) -> Delivery {
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

    pub(crate) fn fault(&self, fault: &Fault<'_>) {
        if let Some(on_fault) = &self.on_fault {
            on_fault(fault);
        }
    }

    /// What the last `initialize` agreed on.
    pub(crate) fn agreed(&self) -> Option<Arc<Agreed>> {
        self.phase().agreed.clone()
    }

    fn phase(&self) -> MutexGuard<'_, Phase> {
        // Only assignments run under this lock.
        self.phase.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
