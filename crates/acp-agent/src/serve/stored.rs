//! Operations that an agent with a store has without handlers of its own.

use std::sync::Arc;

use acp_types::v1::{CloseSessionResponse, DeleteSessionResponse, SessionId};

use crate::error::Result;
use crate::handler::agent::Agent;
use crate::handler::call::Scope;
use crate::handler::incoming::{Called, Incoming, read_params};
use crate::op::{self, Op as _, Operation};
use crate::open::opening::Opening;
use crate::open::reopen::Reopening;
use crate::open::request::OpensSession;
use crate::store::{Recorder, StoreHandle};

/// Answers an operation of [`Operation::STORED`] for which the agent has no handler.
///
/// The handler that opens new sessions also opens stored ones again, because it makes the session's
/// state.
pub(crate) fn answer<A: Agent>(operation: Operation, mut incoming: Incoming<'_, A>) -> Called {
    match operation {
        Operation::LoadSession => {
            let params = read_params::<op::LoadSession>(incoming.take_params(), incoming.method)?;
            reopen_as(Reopening::Load(Arc::new(params)), incoming)
        }
        Operation::ResumeSession => {
            let params = read_params::<op::ResumeSession>(incoming.take_params(), incoming.method)?;
            reopen_as(Reopening::Resume(Arc::new(params)), incoming)
        }
        Operation::ListSessions => {
            let Some(store) = incoming.connection.store.clone() else { return incoming.refuse() };
            incoming.run::<op::ListSessions, _, _>(async move |_, call| {
                let mut page = store.list(call.params()).await?;
                let offered = &call.client().agent_capabilities().session_capabilities;
                if offered.additional_directories.is_none() {
                    page.sessions.iter_mut().for_each(|session| session.additional_directories.clear());
                }
                Ok(page)
            })
        }
        Operation::CloseSession => {
            incoming.run::<op::CloseSession, _, _>(async |_, _| Ok(CloseSessionResponse::new()))
        }
        Operation::DeleteSession => {
            incoming.run::<op::DeleteSession, _, _>(async |_, _| Ok(DeleteSessionResponse::new()))
        }
        _ => incoming.refuse(),
    }
}

fn reopen_as<A: Agent>(reopening: Reopening, incoming: Incoming<'_, A>) -> Called {
    A::call(Incoming { method: op::NewSession::METHOD, reopening: Some(reopening), ..incoming })
}

/// Opens a stored session again, and replays it if the client asks for that.
///
/// A session that is already open on this connection goes on being recorded, behind the records
/// that others have added meanwhile.
pub(crate) async fn reopen<O: OpensSession, S>(
    store: &StoreHandle,
    scope: &Scope<S>,
    opening: &Opening<O>,
) -> Result<()> {
    let (id, cwd) = (opening.session_id(), O::cwd(opening.request()));
    let recorder = store.reopen(open_recorder(scope, id), id, cwd).await?;
    // At once. Whatever fails from here on, the recorder is closed again.
    opening.keep(recorder.clone());
    opening.restore(recorder.state().await?);
    if !opening.holds_updates() {
        scope.cancel.heeding(recorder.replay(&scope.client)).await?;
    }
    Ok(())
}

/// Returns the recorder of a session that is open on this connection.
pub(crate) fn open_recorder<S>(scope: &Scope<S>, id: &SessionId) -> Option<Recorder> {
    scope.connection.sessions.get(id).and_then(|session| session.updates().recorder().cloned())
}
