//! The operation `initialize`: the version, and the capabilities of both sides.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use acp_json::{Node, Record as _};
use acp_rpc::{Error as RpcError, Reply, Request};
use acp_types::Meta;
use acp_types::v1::{
    AgentCapabilities, AuthMethod, ClientCapabilities, Implementation, InitializeRequest, InitializeResponse,
    ProtocolVersion,
};
use serde_core::ser::{Serialize, SerializeMap as _, Serializer};

use crate::client::Agreed;
use crate::error::{Error, Result};
use crate::facts::profile::Profile;
use crate::handler::agent::Agent;
use crate::handler::call::Scope;
use crate::handler::incoming::{Called, Incoming, read_params};
use crate::handler::operation::ServeOperation;
use crate::op::{self, Op as _};
use crate::session::connection::Connection;
use crate::wire::Wire;

/// Answers `initialize`.
pub(crate) fn initialize<A: Agent>(
    agent: Arc<A>,
    connection: Arc<Connection<A::Session>>,
    profile: &Profile<'_>,
    params: Node<'_>,
    request: Request,
) -> Called {
    let method = op::Initialize::METHOD;
    let asked = read_params::<op::Initialize>(params.clone(), method)?;
    let mut own = profile.capabilities();
    let meta = agent.capability_meta();
    own.meta = (meta != Meta::new()).then_some(meta);
    let agreed = Arc::new(agree(own, asked, &params));
    connection.begin(&agreed)?;
    let incoming = Incoming { method, params, request, agreed, agent, connection, reopening: None };
    if profile.auth_methods {
        A::call(incoming)
    } else {
        incoming.run::<op::Initialize, _, _>(|_, _| async { Ok(Vec::new()) })
    }
}

/// Chooses the version that was asked for if it is spoken here, otherwise the newest one. There is
/// only one (rules `v1-init-04`, `v1-init-05`).
fn agree(own: AgentCapabilities, asked: InitializeRequest, params: &Node<'_>) -> Agreed {
    Agreed {
        wire: Wire::V1,
        info: asked.client_info.or_else(|| newer_info(asked.protocol_version, params)),
        capabilities: asked.client_capabilities,
        own,
        logged_in: AtomicBool::new(false),
    }
}

/// Returns the member `info`, as it is called from version 2 on. Nothing else that version 1 does
/// not know is taken from a newer request: its `capabilities` have other meanings and must not
/// switch anything on (rules `v1-init-08`, `v1-init-09`).
fn newer_info(asked: ProtocolVersion, params: &Node<'_>) -> Option<Implementation> {
    let info = params.get("info").filter(|_| asked > ProtocolVersion::LATEST)?;
    acp_json::read(info.clone()).ok()
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
        Ok(Reply::new(Complete(response)))
    }
}

/// The response with its capabilities, also if they are empty. The protocol has them in every
/// answer (rule `v1-init-13`), while the type leaves out an empty member.
struct Complete(InitializeResponse);

impl Serialize for Complete {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.0.write(&mut map)?;
        if self.0.agent_capabilities == AgentCapabilities::default() {
            map.serialize_entry("agentCapabilities", &self.0.agent_capabilities)?;
        }
        map.end()
    }
}

/// Returns whether the client can log in this way. A terminal login takes a client that can open a
/// terminal (rule `v1-cap-22`).
fn is_possible(method: &AuthMethod, client: &ClientCapabilities) -> bool {
    !matches!(method, AuthMethod::Terminal(_)) || client.auth.terminal
}
