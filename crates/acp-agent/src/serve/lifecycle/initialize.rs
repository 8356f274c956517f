//! The operation `initialize`: the version, and the capabilities of both sides.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use acp_handlers::{CallContext as _, Returns, ServeRequest};
use acp_json::{Node, Record as _};
use acp_rpc::{Error as RpcError, Reply};
use acp_types::v1::{
    AgentCapabilities, AuthMethod, ClientCapabilities, Implementation, InitializeRequest, InitializeResponse,
    ProtocolVersion,
};
use serde_core::ser::{Serialize, SerializeMap as _, Serializer};

use crate::client::Agreed;
use crate::error::{Error, Result};
use crate::handler::scope::{Call, Scope};
use crate::op::{self, Op as _};
use crate::session::connection::Connection;
use crate::wire::Wire;

/// Begins the connection with the answer to `initialize` that the request asks for.
pub(crate) fn begin<S: Send + Sync + 'static>(
    connection: &Connection<S>,
    own: AgentCapabilities,
    params: &Node<'_>,
) -> Result<Arc<Agreed>, RpcError> {
    let asked = Scope::<S>::read::<op::Initialize>(params.clone());
    let asked = asked.map_err(|error| Scope::<S>::unreadable(op::Initialize::METHOD, &error))?;
    let agreed = Arc::new(agree(own, asked, params));
    connection.begin(&agreed)?;
    Ok(agreed)
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
        scope.connection.set_auth_methods(&methods);
        let response = InitializeResponse::new(client.protocol_version())
            .agent_capabilities(client.agent_capabilities().clone())
            .auth_methods(methods)
            .agent_info(scope.connection.info.clone());
        Ok(Reply::new(Complete(response)))
    }
}

impl<S: Send + Sync + 'static> Returns<op::Initialize, Vec<AuthMethod>> for Scope<S> {
    fn answer(value: Vec<AuthMethod>) -> Vec<AuthMethod> {
        value
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
