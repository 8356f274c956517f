//! Handlers that an agent has without writing them.

use std::sync::Arc;

use acp_handlers::CallContext as _;
use acp_json::Node;
use acp_types::v1::{CloseSessionResponse, DeleteSessionResponse, ListSessionsResponse};

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
    let Some(store) = store else { return };
    for operation in Operation::STORED {
        if handlers.serves(operation.method()) {
            continue;
        }
        match operation {
            Operation::LoadSession => reopens::<op::LoadSession, S>(handlers, Reopening::Load),
            Operation::ResumeSession => reopens::<op::ResumeSession, S>(handlers, Reopening::Resume),
            Operation::ListSessions => {
                handlers.serve::<op::ListSessions, _, _>(&Arc::new(store.clone()), list);
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

async fn list<S: Send + Sync + 'static>(
    store: Arc<StoreHandle>,
    call: Call<op::ListSessions, S>,
) -> Result<ListSessionsResponse> {
    let mut page = store.list(call.params()).await?;
    let client = &call.context().client;
    if client.agent_capabilities().session_capabilities.additional_directories.is_none() {
        page.sessions.iter_mut().for_each(|session| session.additional_directories.clear());
    }
    Ok(page)
}

/// Lets the handler that opens new sessions also open stored ones, because it makes the session's
/// state.
fn reopens<O: Op, S: Send + Sync + 'static>(
    handlers: &mut Handlers<S>,
    reopening: fn(Arc<O::Params>) -> Reopening,
) {
    let Some(open) = handlers.find_request(op::NewSession::METHOD).cloned() else { return };
    let reopen = move |params: Node<'_>, mut scope: Scope<S>, request: &acp_rpc::Request| {
        let params = scope.read::<O>(params);
        let params = params.map_err(|error| acp_handlers::unreadable(O::METHOD, &error))?;
        scope.reopening = Some(reopening(Arc::new(params)));
        open(Node::Null, scope, request)
    };
    handlers.set_request(O::METHOD, Arc::new(reopen));
}
