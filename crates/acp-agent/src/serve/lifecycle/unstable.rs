//! The operations that only the unstable schema has: what is advertised for them, and how they are served.

use std::sync::Arc;

use acp_rpc::{Error as RpcError, Reply};
use acp_types::v1::{
    AgentCapabilities, ArchiveSessionRequest, ArchiveSessionResponse, AuthStatusCapabilities,
    AuthStatusResponse, DisableProviderResponse, ListProvidersResponse, ProviderInfo, ProvidersCapabilities,
    SessionArchiveCapabilities, SessionForkCapabilities, SessionStatusCapabilities, SessionStatusResponse,
    SessionTitleCapabilities, SetProviderResponse, SetSessionTitleResponse, UnarchiveSessionResponse,
};

use crate::error::{Error, Result};
use crate::facts::profile::Operations;
use crate::handler::agent::Agent;
use crate::handler::call::Scope;
use crate::handler::replies::IntoReply;
use crate::op::{self, Op, Operation};
use crate::serve::lifecycle::{Lifecycle, Notified, leaves, notified};
use crate::session::closing::Leaving;

/// The capabilities with those of the unstable operations.
pub(crate) fn advertise(operations: Operations, mut capabilities: AgentCapabilities) -> AgentCapabilities {
    let has = |operation| operations.contains(operation);
    let sessions = &mut capabilities.session_capabilities;
    sessions.fork = has(Operation::ForkSession).then(SessionForkCapabilities::new);
    sessions.archive = has(Operation::ArchiveSession).then(SessionArchiveCapabilities::new);
    sessions.status = has(Operation::SessionStatus).then(SessionStatusCapabilities::new);
    sessions.title = has(Operation::SetTitle).then(SessionTitleCapabilities::new);
    capabilities.auth.status = has(Operation::AuthStatus).then(AuthStatusCapabilities::new);
    capabilities.mcp_capabilities.acp = has(Operation::McpMessage);
    capabilities.providers = has(Operation::ListProviders).then(ProvidersCapabilities::new);
    capabilities
}

/// An archived session is closed first, if it is open (rule `v1-u-arch-01`).
impl Lifecycle for op::ArchiveSession {
    leaves!();
    type Answer<S: Send + Sync + 'static> = ArchiveSessionResponse;

    fn admit<A: Agent>(
        scope: &Scope<A>,
        params: &Arc<ArchiveSessionRequest>,
    ) -> Result<Self::Admitted<A>, RpcError> {
        Leaving::take(&scope.connection.sessions, &params.session_id)
    }

    async fn settle<A: Agent>(
        _: &Scope<A>,
        leaving: &Leaving<A::Session>,
        outcome: Result<ArchiveSessionResponse>,
    ) -> Result<Reply, RpcError> {
        let closed = leaving.release().await;
        let response = outcome.and_then(|response| closed.map(|()| response));
        response.map(Reply::new).map_err(Error::into_rpc)
    }
}

/// Operations that the library has nothing to do with but for reading and writing: the session that one names need
/// not be open.
macro_rules! answered {
    ($($marker:ident),* $(,)?) => {
        $(impl Lifecycle for op::$marker {
            type Admitted<A: Agent> = ();
            type Answer<S: Send + Sync + 'static> = <Self as Op>::Response;

            fn admit<A: Agent>(_: &Scope<A>, _: &Arc<Self::Params>) -> Result<(), RpcError> {
                Ok(())
            }

            async fn settle<A: Agent>(
                _: &Scope<A>,
                (): &(),
                outcome: Result<<Self as Op>::Response>,
            ) -> Result<Reply, RpcError> {
                outcome.map(Reply::new).map_err(Error::into_rpc)
            }
        })*
    };
}

answered!(AuthStatus, DisableProvider, ListProviders, SessionStatus, SetProvider, SetTitle, UnarchiveSession);

impl Lifecycle for op::McpMessage {
    notified!();
}

impl Notified for op::McpMessage {}

/// What handlers may return, and the response that it becomes.
macro_rules! replies {
    ($($marker:ident: $value:ty => |$name:pat_param| $response:expr;)*) => {
        $(impl<S: Send + Sync + 'static> IntoReply<op::$marker, S> for $value {
            fn into_reply(self) -> <op::$marker as Op>::Response {
                let $name = self;
                $response
            }
        })*
    };
}

replies! {
    ArchiveSession: () => |()| ArchiveSessionResponse::new();
    ArchiveSession: ArchiveSessionResponse => |response| response;
    AuthStatus: AuthStatusResponse => |response| response;
    DisableProvider: () => |()| DisableProviderResponse::new();
    DisableProvider: DisableProviderResponse => |response| response;
    ListProviders: Vec<ProviderInfo> => |providers| ListProvidersResponse::new(providers);
    ListProviders: ListProvidersResponse => |response| response;
    SessionStatus: SessionStatusResponse => |response| response;
    SetProvider: () => |()| SetProviderResponse::new();
    SetProvider: SetProviderResponse => |response| response;
    SetTitle: String => |title| SetSessionTitleResponse::new(title);
    SetTitle: SetSessionTitleResponse => |response| response;
    UnarchiveSession: () => |()| UnarchiveSessionResponse::new();
    UnarchiveSession: UnarchiveSessionResponse => |response| response;
}
