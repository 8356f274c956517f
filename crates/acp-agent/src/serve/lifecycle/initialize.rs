//! The operation `initialize`: the version, and the capabilities of both sides.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use acp_handlers::{Admit, Returns, ServeRequest};
use acp_json::Node;
use acp_rpc::{Error as RpcError, Reply, Request};
use acp_types::v1::ext::Steering;
use acp_types::v1::{
    AgentCapabilities, AuthMethod, ClientCapabilities, InitializeRequest, InitializeResponse,
};

use crate::client::Agreed;
use crate::error::{Error, Result};
use crate::handler::scope::{Call, Scope};
use crate::op::{self, Op as _};
use crate::session::connection::Connection;
use crate::wire::degraded::Reports;
use crate::wire::{self, initialize::Asked};

/// Begins the connection with the answer to `initialize` that the request asks for.
pub(crate) fn begin<S: Send + Sync + 'static>(
    connection: &Arc<Connection<S>>,
    own: AgentCapabilities,
    params: &Node<'_>,
    request: &Request,
) -> Result<Arc<Agreed>, RpcError> {
    wire::initialize::check(params, connection.spoken)?;
    let asked = wire::initialize::read(params.clone(), connection.spoken);
    let asked = asked.map_err(|error| acp_handlers::unreadable(op::Initialize::METHOD, &error))?;
    let agreed = Arc::new(agree(own, asked));
    if let Some(pending) = Connection::begin(connection, &agreed)? {
        request.keep(pending);
    }
    Ok(agreed)
}

fn agree(own: AgentCapabilities, asked: Asked) -> Agreed {
    let Asked { wire, request } = asked;
    Agreed {
        wire,
        info: request.client_info,
        capabilities: request.client_capabilities,
        own,
        logged_in: AtomicBool::new(false),
        reports: Reports::default(),
    }
}

/// A beginning that is not answered yet. Unless it [holds](Self::holds), its drop abandons it.
pub struct Beginning<S> {
    connection: Arc<Connection<S>>,
    agreed: Arc<Agreed>,
    holds: AtomicBool,
}

impl<S> Beginning<S> {
    fn holds(&self) {
        self.holds.store(true, Ordering::Release);
    }

    fn abandon(&self) {
        self.connection.abandon(&self.agreed);
    }
}

impl<S> Drop for Beginning<S> {
    fn drop(&mut self) {
        if !self.holds.load(Ordering::Acquire) {
            self.abandon();
        }
    }
}

impl<S> fmt::Debug for Beginning<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Beginning").finish_non_exhaustive()
    }
}

impl<S: Send + Sync + 'static> Admit<op::Initialize> for Scope<S> {
    type Admission = Arc<Beginning<S>>;

    fn admit(&self, _: &Arc<InitializeRequest>) -> Result<Arc<Beginning<S>>, RpcError> {
        let (connection, agreed) = (Arc::clone(&self.connection), Arc::clone(self.client.agreed()));
        Ok(Arc::new(Beginning { connection, agreed, holds: AtomicBool::new(false) }))
    }
}

impl<S: Send + Sync + 'static> ServeRequest<op::Initialize> for Scope<S> {
    type Answer = Vec<AuthMethod>;

    async fn finish(
        call: &Call<op::Initialize, S>,
        outcome: Result<Vec<AuthMethod>>,
    ) -> Result<Reply, RpcError> {
        let scope = call.context();
        let client = &scope.client;
        let mut methods = outcome.map_err(|error| {
            // Before the answer, because the client may try something else then.
            call.admission().abandon();
            Error::into_rpc(error)
        })?;
        methods.retain(|method| is_possible(method, client.capabilities()));
        scope.connection.established(client.agreed());
        scope.connection.set_auth_methods(client.agreed(), &methods);
        call.admission().holds();
        let mut response = InitializeResponse::new(client.protocol_version())
            .agent_capabilities(client.agent_capabilities().clone())
            .auth_methods(methods)
            .agent_info(scope.connection.info.clone());
        if scope.connection.offers_steering && client.wire().has_steering() {
            response.meta = Some(Steering::offer(response.meta));
        }
        Ok(client.wire().initialized(response, scope.connection.serves_sessions))
    }
}

impl<S: Send + Sync + 'static> Returns<op::Initialize, Vec<AuthMethod>> for Scope<S> {
    fn answer(value: Vec<AuthMethod>) -> Vec<AuthMethod> {
        value
    }
}

/// Returns whether the client can log in this way. A terminal login takes a client that can open a
/// terminal (rule `v1-cap-22`).
fn is_possible(method: &AuthMethod, client: &ClientCapabilities) -> bool {
    !matches!(method, AuthMethod::Terminal(_)) || client.auth.terminal
}
