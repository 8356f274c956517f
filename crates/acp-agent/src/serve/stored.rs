//! Handlers that an agent has without writing them.

use std::sync::Arc;

use acp_handlers::{CallContext as _, RequestHandler};
use acp_json::Node;
#[cfg(feature = "v2")]
use acp_types::v1::LogoutResponse;
use acp_types::v1::{CloseSessionResponse, DeleteSessionResponse, ListSessionsResponse};

#[cfg(feature = "v2")]
use crate::error::Error;
use crate::error::Result;
use crate::handler::scope::{Call, Handlers, Scope};
use crate::op::{self, Op, Operation};
use crate::open::reopen::Reopening;
use crate::store::StoreHandle;

/// Registers the handlers of every agent, and those of every agent with a store, for methods
/// without a handler.
pub(crate) fn register<S: Send + Sync + 'static>(handlers: &mut Handlers<S>, store: Option<&StoreHandle>) {
    let nothing = Arc::new(());
    if !handlers.serves(op::Initialize::METHOD) {
        handlers.serve::<op::Initialize, _, _>(&nothing, |_, _| async { Ok(Vec::new()) });
    }
    if store.is_none() {
        return;
    }
    for operation in Operation::STORED {
        if handlers.serves(operation.method()) {
            continue;
        }
        match operation {
            Operation::LoadSession => {
                let open = handlers.find_request(op::NewSession::METHOD).cloned();
                reopens::<op::LoadSession, S>(handlers, open, Reopening::Load);
            }
            Operation::ResumeSession => {
                let open = handlers.find_request(op::NewSession::METHOD).cloned();
                reopens::<op::ResumeSession, S>(handlers, open, Reopening::Resume);
            }
            Operation::ListSessions => {
                handlers.serve::<op::ListSessions, _, _>(&nothing, |_, call| list(call));
            }
            Operation::CloseSession => {
                handlers.serve::<op::CloseSession, _, _>(&nothing, |_, _| async {
                    Ok(CloseSessionResponse::new())
                });
            }
            Operation::DeleteSession => {
                handlers.serve::<op::DeleteSession, _, _>(&nothing, |_, _| async {
                    Ok(DeleteSessionResponse::new())
                });
            }
            _ => {}
        }
    }
}

/// Returns the handlers that an agent has beside its own in version 2, where some methods are
/// required. `keeps_sessions` says that the library keeps the sessions for the agent.
#[cfg(feature = "v2")]
pub(crate) fn required<S: Send + Sync + 'static>(own: &Handlers<S>, keeps_sessions: bool) -> Handlers<S> {
    let nothing = Arc::new(());
    let mut handlers = Handlers::default();
    handlers.serve::<op::CloseSession, _, _>(&nothing, |_, _| async { Ok(CloseSessionResponse::new()) });
    handlers.serve::<op::Logout, _, _>(&nothing, |_, _| async { Ok(LogoutResponse::new()) });
    handlers.serve::<op::Authenticate, _, _>(&nothing, |_, _| async {
        Err(Error::invalid_params("`methodId`: this agent does not log anybody in when it is asked"))
    });
    if keeps_sessions {
        let open = || own.find_request(op::NewSession::METHOD).cloned();
        reopens::<op::LoadSession, S>(&mut handlers, open(), Reopening::Load);
        reopens::<op::ResumeSession, S>(&mut handlers, open(), Reopening::Resume);
        handlers.serve::<op::ListSessions, _, _>(&nothing, |_, call| list(call));
    }
    handlers
}

/// Returns whether the agent leaves the keeping of sessions to the library.
#[cfg(feature = "v2")]
pub(crate) fn leaves_sessions<S: Send + Sync + 'static>(own: &Handlers<S>) -> bool {
    let is_served = |operation: &Operation| own.serves(operation.method());
    own.serves(op::NewSession::METHOD)
        && !Operation::STORED
            .iter()
            .any(|operation| !matches!(operation, Operation::CloseSession) && is_served(operation))
}

async fn list<S: Send + Sync + 'static>(call: Call<op::ListSessions, S>) -> Result<ListSessionsResponse> {
    let Scope { connection, client, .. } = call.context();
    let mut page = match connection.store(client.wire()) {
        Some(store) => store.list(call.params()).await?,
        None => ListSessionsResponse::new([]),
    };
    if client.agent_capabilities().session_capabilities.additional_directories.is_none() {
        page.sessions.iter_mut().for_each(|session| session.additional_directories.clear());
    }
    Ok(page)
}

/// Lets the handler that opens new sessions also open stored ones, because it makes the session's
/// state.
fn reopens<O: Op, S: Send + Sync + 'static>(
    handlers: &mut Handlers<S>,
    open: Option<RequestHandler<Scope<S>>>,
    reopening: fn(Arc<O::Params>) -> Reopening,
) {
    let Some(open) = open else { return };
    let reopen = move |params: Node<'_>, mut scope: Scope<S>, request: &acp_rpc::Request| {
        let params = scope.read::<O>(params);
        let params = params.map_err(|error| acp_handlers::unreadable(O::METHOD, &error))?;
        scope.reopening = Some(reopening(Arc::new(params)));
        open(Node::Null, scope, request)
    };
    handlers.set_request(O::METHOD, Arc::new(reopen));
}
