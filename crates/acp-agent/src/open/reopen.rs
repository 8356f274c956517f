//! Stored sessions that are opened again.

use std::sync::Arc;

use acp_rpc::Reply;
use acp_types::v1::{
    LoadSessionRequest, LoadSessionResponse, NewSessionRequest, ResumeSessionRequest, ResumeSessionResponse,
    SessionId,
};

use crate::op;
use crate::open::request::OpensSession;
use crate::wire::Wire;
use crate::wire::setup::Setup;

/// The client's request for a stored session, which the handler for new ones opens again.
#[derive(Clone, Debug)]
pub(crate) enum Reopening {
    Load(Arc<LoadSessionRequest>),
    Resume(Arc<ResumeSessionRequest>),
}

/// Makes the request for a new session with the members of this one, without the id.
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

    /// Returns the request in the form that the handler for new sessions takes.
    pub(crate) fn request_for_new(&self) -> NewSessionRequest {
        match self {
            Reopening::Load(request) => request_for_new!(request),
            Reopening::Resume(request) => request_for_new!(request),
        }
    }

    /// Returns [`OpensSession::HOLDS_UPDATES`] of the request.
    pub(crate) const fn holds_updates(&self) -> bool {
        match self {
            Reopening::Load(_) => op::LoadSession::HOLDS_UPDATES,
            Reopening::Resume(_) => op::ResumeSession::HOLDS_UPDATES,
        }
    }

    /// Makes the reply by [`OpensSession::response`].
    pub(crate) fn reply(self, wire: &Wire, setup: Setup) -> Reply {
        match self {
            Reopening::Load(request) => {
                let id = &request.session_id;
                let answer = |Setup { modes, config_options, meta, .. }| -> LoadSessionResponse {
                    op::LoadSession::response(id.clone(), modes, config_options, meta)
                };
                wire.opened(id, true, setup, answer)
            }
            Reopening::Resume(request) => {
                let id = &request.session_id;
                let answer = |Setup { modes, config_options, meta, .. }| -> ResumeSessionResponse {
                    op::ResumeSession::response(id.clone(), modes, config_options, meta)
                };
                wire.opened(id, true, setup, answer)
            }
        }
    }
}
