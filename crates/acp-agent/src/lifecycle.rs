//! What the library does before and after the handler of each operation.
//!
//! The macro and the router only know which handler belongs to which operation; everything that is the same
//! for every agent is here; in [`prompt`](crate::prompt) for `prompt`, in [`opens`](crate::opens) for what opens a
//! session, and in [`negotiate`](crate::negotiate) for `initialize`.

use std::sync::Arc;

use acp_rpc::{Error as RpcError, Reply, Request};
use acp_types::v1::{
    AuthenticateRequest, AuthenticateResponse, CloseSessionRequest, CloseSessionResponse,
    DeleteSessionRequest, DeleteSessionResponse, ListSessionsRequest, ListSessionsResponse, LogoutRequest,
    LogoutResponse, NewSessionRequest, SessionId, SetSessionConfigOptionRequest,
    SetSessionConfigOptionResponse, SetSessionModeRequest, SetSessionModeResponse,
};
use acp_types::{Value, method};
use serde_core::Serialize;

use crate::agent::Agent;
use crate::call::{Call, Scope};
use crate::error::{Error, Result};
use crate::leaving::Leaving;
use crate::op::{self, Op};
use crate::opens::check_path;
use crate::session::Session;
use crate::settings::retain_offered;

/// How the library serves an operation. Every marker in [`op`] has it; there is no other.
pub trait Lifecycle: Op {
    /// What was found on admission, such as the session. It is dropped before the answer is sent.
    type Admitted<A: Agent>: Send + Sync + 'static;
    /// What a handler's result is turned into, where `S` is what a session of the agent holds.
    type Answer<S: Send + Sync + 'static>: Send + 'static;

    /// The params, of the operation whose handler also opens stored sessions again: that which opens new ones.
    fn of_request_for_new(_: NewSessionRequest) -> Option<Self::Params> {
        None
    }

    /// Checks the params and finds what they name. Runs on the reader, in the order of the wire.
    ///
    /// # Errors
    /// What the request is refused with.
    fn admit<A: Agent>(scope: &Scope<A>, params: &Arc<Self::Params>) -> Result<Self::Admitted<A>, RpcError>;

    /// Says what holds until the request is answered, whoever answers it: layers may do that, too.
    fn promise<A: Agent>(_: &Self::Admitted<A>, _: &Request) {}

    /// Waits for what has to be over before the handler starts. After an error the handler is not called: the
    /// error is the outcome.
    fn wait<A: Agent>(_: &Scope<A>, _: &Self::Admitted<A>) -> impl Future<Output = Result<()>> + Send {
        std::future::ready(Ok(()))
    }

    /// Makes the reply of the handler's result. The handler has ended, or was dropped.
    ///
    /// # Errors
    /// What the request is answered with when it failed.
    fn settle<A: Agent>(
        scope: &Scope<A>,
        admitted: &Self::Admitted<A>,
        outcome: Result<Self::Answer<A::Session>>,
    ) -> impl Future<Output = Result<Reply, RpcError>> + Send;
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

/// What was found on the admission of an operation on an open session.
pub(crate) trait HasSession<S> {
    /// The session.
    fn session(&self) -> &Session<S>;
}

impl<S> HasSession<S> for Session<S> {
    fn session(&self) -> &Session<S> {
        self
    }
}

/// Makes the reply of what the handler returned.
pub(crate) fn answer<R: Serialize + Send + 'static>(outcome: Result<R>) -> Result<Reply, RpcError> {
    outcome.map(Reply::new).map_err(Error::into_rpc)
}

/// Operations whose reply is what the handler returned.
macro_rules! answered {
    ($response:ty) => {
        type Answer<S: Send + Sync + 'static> = $response;

        async fn settle<A: Agent>(
            _: &Scope<A>,
            _: &Self::Admitted<A>,
            outcome: Result<$response>,
        ) -> Result<Reply, RpcError> {
            answer(outcome)
        }
    };
}

/// Operations that change whether the client is logged in.
macro_rules! logs {
    ($response:ty, $logged_in:literal) => {
        type Answer<S: Send + Sync + 'static> = $response;

        async fn settle<A: Agent>(
            scope: &Scope<A>,
            (): &(),
            outcome: Result<$response>,
        ) -> Result<Reply, RpcError> {
            if outcome.is_ok() {
                scope.client.set_logged_in($logged_in);
            }
            answer(outcome)
        }
    };
}

impl Lifecycle for op::Authenticate {
    type Admitted<A: Agent> = ();
    logs!(AuthenticateResponse, true);

    fn admit<A: Agent>(scope: &Scope<A>, params: &Arc<AuthenticateRequest>) -> Result<(), RpcError> {
        scope.connection.check_auth_method(&params.method_id)
    }
}

impl Lifecycle for op::Logout {
    type Admitted<A: Agent> = ();
    logs!(LogoutResponse, false);

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
        session.updates().settings().check_mode(&params.session_id, &params.mode_id)?;
        Ok(session)
    }
}

impl Lifecycle for op::SetConfigOption {
    type Admitted<A: Agent> = Session<A::Session>;
    type Answer<S: Send + Sync + 'static> = SetSessionConfigOptionResponse;

    fn admit<A: Agent>(
        scope: &Scope<A>,
        params: &Arc<SetSessionConfigOptionRequest>,
    ) -> Result<Self::Admitted<A>, RpcError> {
        let session = scope.connection.sessions.find(&params.session_id)?;
        session.updates().settings().check_option(params)?;
        Ok(session)
    }

    async fn settle<A: Agent>(
        scope: &Scope<A>,
        session: &Session<A::Session>,
        outcome: Result<SetSessionConfigOptionResponse>,
    ) -> Result<Reply, RpcError> {
        answer(outcome.map(|mut response| {
            retain_offered(&mut response.config_options, scope.client.capabilities());
            session.updates().settings().set_options(&response.config_options);
            response
        }))
    }
}

/// Lifecycles of operations after which a session is open no more: its turns have been answered before the handler
/// starts.
macro_rules! leaves {
    () => {
        type Admitted<A: Agent> = Leaving<A::Session>;

        async fn wait<A: Agent>(_: &Scope<A>, leaving: &Leaving<A::Session>) -> Result<()> {
            leaving.turns_answered().await;
            Ok(())
        }
    };
}

/// A closed session is unknown from the request on; its turns are cancelled and answered before the handler
/// starts (rule `v1-close-02`).
impl Lifecycle for op::CloseSession {
    leaves!();
    type Answer<S: Send + Sync + 'static> = CloseSessionResponse;

    fn admit<A: Agent>(
        scope: &Scope<A>,
        params: &Arc<CloseSessionRequest>,
    ) -> Result<Self::Admitted<A>, RpcError> {
        let (session, claim) = scope.connection.sessions.close(&params.session_id)?;
        Ok(Leaving::new(&params.session_id, Some(session), Some(claim)))
    }

    async fn settle<A: Agent>(
        _: &Scope<A>,
        leaving: &Leaving<A::Session>,
        outcome: Result<CloseSessionResponse>,
    ) -> Result<Reply, RpcError> {
        // Closed it is, whatever the handler says.
        let closed = leaving.release().await;
        answer(outcome.and_then(|response| closed.map(|()| response)))
    }
}

/// A session that is deleted need not be open; if it is, it is closed first.
impl Lifecycle for op::DeleteSession {
    leaves!();
    type Answer<S: Send + Sync + 'static> = DeleteSessionResponse;

    fn admit<A: Agent>(
        scope: &Scope<A>,
        params: &Arc<DeleteSessionRequest>,
    ) -> Result<Self::Admitted<A>, RpcError> {
        Leaving::take(&scope.connection.sessions, &params.session_id)
    }

    async fn settle<A: Agent>(
        scope: &Scope<A>,
        leaving: &Leaving<A::Session>,
        outcome: Result<DeleteSessionResponse>,
    ) -> Result<Reply, RpcError> {
        // What could not be written need not be.
        let _ = leaving.release().await;
        let deleted = match (&outcome, &scope.connection.keeper) {
            (Ok(_), Some(keeper)) => keeper.delete(&leaving.id).await,
            _ => Ok(()),
        };
        answer(outcome.and_then(|response| deleted.map(|()| response)))
    }
}

/// A notification that an agent can have a handler for.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no notification",
    label = "not a notification",
    note = "`Router::on` takes the handlers of requests"
)]
pub trait Notified: Lifecycle {}

impl Notified for op::Extension {}

impl Lifecycle for op::Extension {
    type Admitted<A: Agent> = ();
    type Answer<S: Send + Sync + 'static> = Reply;

    fn admit<A: Agent>(_: &Scope<A>, _: &Arc<Value>) -> Result<(), RpcError> {
        Ok(())
    }

    async fn settle<A: Agent>(_: &Scope<A>, (): &(), outcome: Result<Reply>) -> Result<Reply, RpcError> {
        outcome.map_err(Error::into_rpc)
    }
}

impl<M> Lifecycle for op::Request<M>
where
    M: method::Request<Params: Clone + Sync> + 'static,
{
    type Admitted<A: Agent> = ();
    answered!(M::Response);

    fn admit<A: Agent>(_: &Scope<A>, _: &Arc<M::Params>) -> Result<(), RpcError> {
        Ok(())
    }
}

/// Lifecycles of notifications: there is nothing to admit, and nothing is answered.
macro_rules! notified {
    () => {
        type Admitted<A: Agent> = ();
        type Answer<S: Send + Sync + 'static> = ();

        fn admit<A: Agent>(_: &Scope<A>, _: &Arc<Self::Params>) -> Result<(), RpcError> {
            Ok(())
        }

        async fn settle<A: Agent>(_: &Scope<A>, (): &(), outcome: Result<()>) -> Result<Reply, RpcError> {
            outcome.map(|()| Reply::empty()).map_err(Error::into_rpc)
        }
    };
}

impl<M> Lifecycle for op::Notification<M>
where
    M: method::Notification<Params: Clone + Sync> + 'static,
{
    notified!();
}

impl<M> Notified for op::Notification<M> where M: method::Notification<Params: Clone + Sync> + 'static {}

impl OnSession for op::CloseSession {
    fn session<A: Agent>(call: &Call<Self, A>) -> Result<Session<A::Session>> {
        let session = call.admitted().session.clone();
        session.ok_or_else(|| Error::unknown_session(&call.params().session_id))
    }
}

/// By convention, an extension method that belongs to a session names it in the member `sessionId`.
impl OnSession for op::Extension {
    fn session<A: Agent>(call: &Call<Self, A>) -> Result<Session<A::Session>> {
        let Some(id) = call.params().get("sessionId").and_then(|id| id.as_str()) else {
            return Err(Error::invalid_params("`sessionId`: expected the id of an open session"));
        };
        Ok(call.scope().connection.sessions.find(&SessionId::from(id))?)
    }
}
