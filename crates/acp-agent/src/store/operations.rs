//! The operations that an agent with a store has without handlers of its own.

use std::sync::Arc;

use acp_rpc::Reply;
use acp_types::Meta;
use acp_types::v1::{
    CloseSessionResponse, DeleteSessionResponse, LoadSessionRequest, LoadSessionResponse, NewSessionRequest,
    ResumeSessionRequest, ResumeSessionResponse, SessionConfigOption, SessionId, SessionModeState,
};

use super::Keeper;
use super::keeper::check_cwd;
use super::replay::replay;
use crate::error::Result;
use crate::handler::agent::Agent;
use crate::handler::call::Scope;
use crate::handler::incoming::{Called, Incoming, read_params};
use crate::op::{self, Op as _, Operation};
use crate::open::opening::Opening;
use crate::open::request::Opens;

/// Answers an operation for which the agent has no handler.
///
/// A session is opened again by the handler that opens new ones: it makes the session's state.
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
            let Some(keeper) = incoming.connection.keeper.clone() else { return incoming.refuse() };
            incoming.run::<op::ListSessions, _, _>(async move |_, call| {
                let mut page = keeper.list(call.params()).await?;
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

/// A stored session that the handler for new ones opens again, as the client has asked for it.
#[derive(Clone, Debug)]
pub(crate) enum Reopening {
    Load(Arc<LoadSessionRequest>),
    Resume(Arc<ResumeSessionRequest>),
}

/// The request for a new session that says the same, but for the id.
macro_rules! request_for_new {
    ($request:expr) => {{
        let request = $request;
        let mut new = NewSessionRequest::new(&request.cwd, request.mcp_servers.clone());
        new.additional_directories = request.additional_directories.clone();
        #[cfg(feature = "unstable")]
        {
            new.system_prompt = request.system_prompt.clone();
        }
        new.meta = request.meta.clone();
        new
    }};
}

impl Reopening {
    pub(crate) fn session_id(&self) -> &SessionId {
        match self {
            Reopening::Load(request) => &request.session_id,
            Reopening::Resume(request) => &request.session_id,
        }
    }

    /// The request as the handler for new sessions has it.
    pub(crate) fn request_for_new(&self) -> NewSessionRequest {
        match self {
            Reopening::Load(request) => request_for_new!(request),
            Reopening::Resume(request) => request_for_new!(request),
        }
    }

    /// [`Opens::HOLDS_UPDATES`].
    pub(crate) const fn holds_updates(&self) -> bool {
        match self {
            Reopening::Load(_) => op::LoadSession::HOLDS_UPDATES,
            Reopening::Resume(_) => op::ResumeSession::HOLDS_UPDATES,
        }
    }

    /// [`Opens::response`].
    pub(crate) fn reply(
        self,
        modes: Option<SessionModeState>,
        config_options: Option<Vec<SessionConfigOption>>,
        meta: Option<Meta>,
    ) -> Reply {
        match self {
            Reopening::Load(request) => {
                let id = request.session_id.clone();
                let response: LoadSessionResponse =
                    op::LoadSession::response(id, modes, config_options, meta);
                Reply::new(response)
            }
            Reopening::Resume(request) => {
                let id = request.session_id.clone();
                let response: ResumeSessionResponse =
                    op::ResumeSession::response(id, modes, config_options, meta);
                Reply::new(response)
            }
        }
    }
}

/// Opens a stored session again, and replays it where that is asked for.
///
/// One that is open on this connection already goes on being recorded, behind what others have added meanwhile.
pub(crate) async fn reopen<O: Opens, A: Agent>(
    keeper: &Keeper,
    scope: &Scope<A>,
    opening: &Opening<O>,
) -> Result<()> {
    let (id, cwd) = (opening.session_id(), O::cwd(opening.request()));
    let open = scope.connection.sessions.get(id).and_then(|session| session.updates().recorder().cloned());
    let recorder = match open {
        Some(recorder) => {
            check_cwd(recorder.info(), cwd)?;
            recorder.take_up().await?;
            recorder
        }
        None => keeper.open(id, cwd).await?,
    };
    // At once: whatever fails from here on, it is closed again.
    opening.keep(recorder.clone());
    if !opening.holds_updates() {
        let replayed =
            async { replay(recorder.records().await?, id, &scope.client, recorder.unreadable()).await };
        scope.cancel.heeding(replayed).await?;
    }
    Ok(())
}
