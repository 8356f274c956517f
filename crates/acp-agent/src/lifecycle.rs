//! What the library does before and after the handler of each operation.
//!
//! The macro and the router only know which handler belongs to which operation; everything that is the same
//! for every agent is here, in [`turn`](crate::turn) for `prompt`, and in [`negotiate`](crate::negotiate).

use std::sync::Arc;

use acp_rpc::{CancellationToken, Error as RpcError, Reply};
use acp_types::Value;
use acp_types::v1::{
    AuthenticateRequest, AuthenticateResponse, CloseSessionRequest, CloseSessionResponse,
    DeleteSessionRequest, DeleteSessionResponse, ListSessionsRequest, ListSessionsResponse, LogoutRequest,
    LogoutResponse, SessionId, SetSessionConfigOptionRequest, SetSessionConfigOptionResponse,
    SetSessionModeRequest, SetSessionModeResponse,
};
use serde_core::Serialize;

use crate::agent::Agent;
use crate::call::{Call, Scope};
use crate::error::{Error, Result};
use crate::op::{self, Op};
use crate::opens::check_path;
use crate::session::Session;

/// How the library serves an operation. Every marker in [`op`] has it; there is no other.
pub trait Lifecycle: Op {
    /// What was found on admission, such as the session.
    type Admitted<A: Agent>: Send + Sync + 'static;
    /// What a handler's result is turned into, where `S` is what a session of the agent holds.
    type Answer<S: Send + Sync + 'static>: Send + 'static;

    /// Checks the params and finds what they name. Runs on the reader, in the order of the wire.
    ///
    /// # Errors
    /// What the request is refused with.
    fn admit<A: Agent>(scope: &Scope<A>, params: &Arc<Self::Params>) -> Result<Self::Admitted<A>, RpcError>;

    /// What has to be over before the handler starts.
    fn wait<A: Agent>(_: &Self::Admitted<A>) -> Option<CancellationToken> {
        None
    }

    /// Makes the reply of the handler's result. The handler has ended, or was dropped.
    ///
    /// # Errors
    /// What the request is answered with when it failed.
    fn settle<A: Agent>(
        scope: &Scope<A>,
        admitted: &Self::Admitted<A>,
        outcome: Result<Self::Answer<A::Session>>,
    ) -> Result<Reply, RpcError>;
}

/// An operation inside a session.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no session",
    label = "there is no session here",
    note = "`Session<T>` is an argument of operations on an open session, such as `prompt` and `set_mode`",
    note = "`new_session`, `load_session` and `resume_session` open one and return what it holds"
)]
pub trait OnSession: Lifecycle {
    /// The session.
    ///
    /// # Errors
    /// The request names none, or none that is open.
    fn session<A: Agent>(call: &Call<Self, A>) -> Result<Session<A::Session>>;
}

/// Makes the reply of what the handler returned.
fn answer<R: Serialize + Send + 'static>(outcome: Result<R>) -> Result<Reply, RpcError> {
    outcome.map(Reply::new).map_err(Error::into_rpc)
}

/// Operations whose reply is what the handler returned.
macro_rules! answered {
    ($response:ty) => {
        type Answer<S: Send + Sync + 'static> = $response;

        fn settle<A: Agent>(
            _: &Scope<A>,
            _: &Self::Admitted<A>,
            outcome: Result<$response>,
        ) -> Result<Reply, RpcError> {
            answer(outcome)
        }
    };
}

impl Lifecycle for op::Authenticate {
    type Admitted<A: Agent> = ();
    answered!(AuthenticateResponse);

    fn admit<A: Agent>(scope: &Scope<A>, params: &Arc<AuthenticateRequest>) -> Result<(), RpcError> {
        scope.connection.check_auth_method(&params.method_id)
    }
}

impl Lifecycle for op::Logout {
    type Admitted<A: Agent> = ();
    answered!(LogoutResponse);

    fn admit<A: Agent>(_: &Scope<A>, _: &Arc<LogoutRequest>) -> Result<(), RpcError> {
        Ok(())
    }
}

impl Lifecycle for op::ListSessions {
    type Admitted<A: Agent> = ();
    answered!(ListSessionsResponse);

    fn admit<A: Agent>(_: &Scope<A>, params: &Arc<ListSessionsRequest>) -> Result<(), RpcError> {
        params.cwd.as_ref().map_or(Ok(()), |cwd| check_path("cwd", cwd))
    }
}

impl Lifecycle for op::SetMode {
    type Admitted<A: Agent> = Session<A::Session>;
    answered!(SetSessionModeResponse);

    fn admit<A: Agent>(
        scope: &Scope<A>,
        params: &Arc<SetSessionModeRequest>,
    ) -> Result<Self::Admitted<A>, RpcError> {
        let session = scope.connection.sessions.find(&params.session_id)?;
        session.entry.check_mode(&params.mode_id)?;
        Ok(session)
    }
}

impl Lifecycle for op::SetConfigOption {
    type Admitted<A: Agent> = Session<A::Session>;
    answered!(SetSessionConfigOptionResponse);

    fn admit<A: Agent>(
        scope: &Scope<A>,
        params: &Arc<SetSessionConfigOptionRequest>,
    ) -> Result<Self::Admitted<A>, RpcError> {
        scope.connection.sessions.find(&params.session_id)
    }
}

/// A closed session is unknown from the request on; its turn is cancelled and over before the handler starts
/// (rule `v1-close-02`).
impl Lifecycle for op::CloseSession {
    type Admitted<A: Agent> = Session<A::Session>;
    answered!(CloseSessionResponse);

    fn admit<A: Agent>(
        scope: &Scope<A>,
        params: &Arc<CloseSessionRequest>,
    ) -> Result<Self::Admitted<A>, RpcError> {
        let session = scope.connection.sessions.find(&params.session_id)?;
        scope.connection.sessions.remove(&params.session_id);
        session.entry.cancel();
        Ok(session)
    }

    fn wait<A: Agent>(session: &Session<A::Session>) -> Option<CancellationToken> {
        session.entry.turn_over()
    }
}

/// A session that is deleted need not be open; if it is, it is closed first.
impl Lifecycle for op::DeleteSession {
    type Admitted<A: Agent> = Option<Session<A::Session>>;
    answered!(DeleteSessionResponse);

    fn admit<A: Agent>(
        scope: &Scope<A>,
        params: &Arc<DeleteSessionRequest>,
    ) -> Result<Self::Admitted<A>, RpcError> {
        let session = scope.connection.sessions.remove(&params.session_id);
        if let Some(session) = &session {
            session.entry.cancel();
        }
        Ok(session)
    }

    fn wait<A: Agent>(session: &Option<Session<A::Session>>) -> Option<CancellationToken> {
        session.as_ref().and_then(|session| session.entry.turn_over())
    }
}

impl Lifecycle for op::Extension {
    type Admitted<A: Agent> = ();
    type Answer<S: Send + Sync + 'static> = Reply;

    fn admit<A: Agent>(_: &Scope<A>, _: &Arc<Value>) -> Result<(), RpcError> {
        Ok(())
    }

    fn settle<A: Agent>(_: &Scope<A>, (): &(), outcome: Result<Reply>) -> Result<Reply, RpcError> {
        outcome.map_err(Error::into_rpc)
    }
}

/// Operations that are admitted with their session.
macro_rules! on_session {
    ($($marker:ident),*) => {
        $(impl OnSession for op::$marker {
            fn session<A: Agent>(call: &Call<Self, A>) -> Result<Session<A::Session>> {
                Ok(call.admitted().clone())
            }
        })*
    };
}

on_session!(SetMode, SetConfigOption, CloseSession);

/// By convention, an extension method that belongs to a session names it in the member `sessionId`.
impl OnSession for op::Extension {
    fn session<A: Agent>(call: &Call<Self, A>) -> Result<Session<A::Session>> {
        let Some(id) = call.params().get("sessionId").and_then(|id| id.as_str()) else {
            return Err(Error::invalid_params("`sessionId`: expected the id of an open session"));
        };
        Ok(call.scope().connection.sessions.find(&SessionId::from(id))?)
    }
}
