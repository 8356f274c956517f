//! Operations outside of open sessions, the agent's own methods, and notifications.

use std::sync::Arc;

use acp_handlers::{Admit, Answered, Notified, ServeNotification, ServeRequest};
use acp_rpc::{Error as RpcError, Reply};
use acp_types::method;
use acp_types::v1::{ListSessionsRequest, ListSessionsResponse, SessionId};

use crate::error::{Error, Result};
use crate::handler::on_session::OnSession;
use crate::handler::scope::{Call, Scope};
use crate::op::{self, Op};
use crate::open::checks::check_path;
use crate::session::Session;

/// An operation that any connection admits.
pub trait Outside: Op {}

impl Outside for op::Logout {}

impl Outside for op::Extension {}

impl<M> Outside for op::Request<M> where M: method::Request<Params: Clone + Sync> + 'static {}

impl<M> Outside for op::Notification<M> where M: method::Notification<Params: Clone + Sync> + 'static {}

impl<O: Outside, S: Send + Sync + 'static> Admit<O> for Scope<S> {
    type Admission = ();

    fn admit(&self, _: &Arc<O::Params>) -> Result<(), RpcError> {
        Ok(())
    }
}

impl<S: Send + Sync + 'static> Admit<op::ListSessions> for Scope<S> {
    type Admission = ();

    fn admit(&self, params: &Arc<ListSessionsRequest>) -> Result<(), RpcError> {
        params.cwd.as_ref().map_or(Ok(()), |cwd| check_path("cwd", cwd))
    }
}

impl Answered for op::ListSessions {
    type Answer = ListSessionsResponse;

    fn reply(answer: ListSessionsResponse, write: impl FnOnce(ListSessionsResponse) -> Reply) -> Reply {
        write(answer)
    }
}

/// The answer is what the handler returned.
impl<O: Answered, S: Send + Sync + 'static> ServeRequest<O> for Scope<S>
where
    Scope<S>: Admit<O, Error = Error>,
{
    type Answer = O::Answer;

    async fn finish(call: &Call<O, S>, outcome: Result<O::Answer>) -> Result<Reply, RpcError> {
        let answer = outcome.map_err(Error::into_rpc)?;
        Ok(O::reply(answer, |response| call.context().client.wire().answer(response)))
    }
}

impl<O: Notified, S: Send + Sync + 'static> ServeNotification<O> for Scope<S> where Scope<S>: Admit<O> {}

/// Finds the session in the member `sessionId`. That is a convention of extension methods that
/// belong to a session.
impl<S: Send + Sync + 'static> OnSession<op::Extension> for Scope<S> {
    type State = S;

    fn session(call: &Call<op::Extension, S>) -> Result<Session<S>> {
        let Some(id) = call.params().get("sessionId").and_then(|id| id.as_str()) else {
            return Err(Error::invalid_params("`sessionId`: expected the id of an open session"));
        };
        Ok(call.context().connection.sessions.find(&SessionId::from(id))?)
    }
}
