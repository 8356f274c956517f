//! The operation `initialize`: the version, and the capabilities of both sides.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use acp_handlers::{Returns, ServeRequest};
use acp_json::Node;
use acp_rpc::{Error as RpcError, Reply, Request};
use acp_types::v1::ext::Steering;
use acp_types::v1::{AgentCapabilities, AuthMethod, ClientCapabilities, InitializeResponse};

use crate::client::Agreed;
use crate::error::{Error, Result};
use crate::handler::scope::{Call, Scope};
use crate::op::{self, Op as _};
use crate::session::connection::Connection;
use crate::wire::{self, initialize::Asked};

/// Begins the connection with the answer to `initialize` that the request asks for.
pub(crate) fn begin<S: Send + Sync + 'static>(
    connection: &Arc<Connection<S>>,
    own: AgentCapabilities,
    params: &Node<'_>,
    request: &Request,
) -> Result<Arc<Agreed>, RpcError> {
    let asked = wire::initialize::read(params.clone());
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
            scope.connection.abandon(client.agreed());
            Error::into_rpc(error)
        })?;
        methods.retain(|method| is_possible(method, client.capabilities()));
        scope.connection.established(client.agreed());
        scope.connection.set_auth_methods(&methods);
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
