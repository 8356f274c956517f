//! The operation `initialize`: the version, and the capabilities of both sides.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use acp_json::Node;
use acp_rpc::{Error as RpcError, Reply, Request};
use acp_types::Meta;
use acp_types::v1::{
    AgentCapabilities, AuthMethod, ClientCapabilities, InitializeRequest, InitializeResponse,
};

use crate::client::Agreed;
use crate::error::{Error, Result};
use crate::facts::profile::Profile;
use crate::handler::agent::Agent;
use crate::handler::call::Scope;
use crate::handler::incoming::{Called, Incoming, unreadable};
use crate::handler::operation::ServeOperation;
use crate::op::{self, Op as _};
use crate::session::connection::Connection;
use crate::wire::{self, initialize::Asked};

/// Answers `initialize`.
pub(crate) fn initialize<A: Agent>(
    agent: Arc<A>,
    connection: Arc<Connection<A::Session>>,
    profile: &Profile<'_>,
    params: Node<'_>,
    request: Request,
) -> Called {
    let method = op::Initialize::METHOD;
    let asked = wire::initialize::read(params.clone()).map_err(|error| unreadable(method, &error))?;
    let mut own = profile.capabilities();
    let meta = agent.capability_meta();
    own.meta = (meta != Meta::new()).then_some(meta);
    let agreed = Arc::new(agree(own, asked));
    connection.begin(&agreed)?;
    let incoming = Incoming { method, params, request, agreed, agent, connection, reopening: None };
    if profile.auth_methods {
        A::call(incoming)
    } else {
        incoming.run::<op::Initialize, _, _>(|_, _| async { Ok(Vec::new()) })
    }
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

impl ServeOperation for op::Initialize {
    type Admission<S: Send + Sync + 'static> = ();
    type Answer<S: Send + Sync + 'static> = Vec<AuthMethod>;

    fn admit<S: Send + Sync + 'static>(_: &Scope<S>, _: &Arc<InitializeRequest>) -> Result<(), RpcError> {
        Ok(())
    }

    async fn finish<S: Send + Sync + 'static>(
        scope: &Scope<S>,
        (): &(),
        outcome: Result<Vec<AuthMethod>>,
    ) -> Result<Reply, RpcError> {
        let client = &scope.client;
        let mut methods = outcome.map_err(|error| {
            scope.connection.abandon(client.agreed());
            Error::into_rpc(error)
        })?;
        methods.retain(|method| is_possible(method, client.capabilities()));
        scope.connection.set_auth_methods(&methods);
        let response = InitializeResponse::new(client.protocol_version())
            .agent_capabilities(client.agent_capabilities().clone())
            .auth_methods(methods)
            .agent_info(scope.connection.info.clone());
        Ok(client.wire().initialized(response))
    }
}

/// Returns whether the client can log in this way. A terminal login takes a client that can open a
/// terminal (rule `v1-cap-22`).
fn is_possible(method: &AuthMethod, client: &ClientCapabilities) -> bool {
    !matches!(method, AuthMethod::Terminal(_)) || client.auth.terminal
}
