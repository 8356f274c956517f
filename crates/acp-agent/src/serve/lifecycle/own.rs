//! The agent's own methods, and notifications.

use std::sync::Arc;

use acp_rpc::{Error as RpcError, Reply};
use acp_types::v1::SessionId;
use acp_types::{Value, method};

use crate::error::{Error, Result};
use crate::handler::call::{Call, Scope};
use crate::handler::operation::{Notified, OnSession, ServeOperation};
use crate::op;
use crate::serve::lifecycle::answer::{answer, answered};
use crate::session::Session;

impl Notified for op::Extension {}

impl ServeOperation for op::Extension {
    type Admission<S: Send + Sync + 'static> = ();
    type Answer<S: Send + Sync + 'static> = Reply;

    fn admit<S: Send + Sync + 'static>(_: &Scope<S>, _: &Arc<Value>) -> Result<(), RpcError> {
        Ok(())
    }

    async fn finish<S: Send + Sync + 'static>(
        _: &Scope<S>,
        (): &(),
        outcome: Result<Reply>,
    ) -> Result<Reply, RpcError> {
        outcome.map_err(Error::into_rpc)
    }
}

impl<M> ServeOperation for op::Request<M>
where
    M: method::Request<Params: Clone + Sync> + 'static,
{
    type Admission<S: Send + Sync + 'static> = ();
    answered!(M::Response);

    fn admit<S: Send + Sync + 'static>(_: &Scope<S>, _: &Arc<M::Params>) -> Result<(), RpcError> {
        Ok(())
    }
}

/// Finds the session in the member `sessionId`. That is a convention of extension methods that
/// belong to a session.
impl OnSession for op::Extension {
    fn session<S: Send + Sync + 'static>(call: &Call<Self, S>) -> Result<Session<S>> {
        let Some(id) = call.params().get("sessionId").and_then(|id| id.as_str()) else {
            return Err(Error::invalid_params("`sessionId`: expected the id of an open session"));
        };
        Ok(call.scope().connection.sessions.find(&SessionId::from(id))?)
    }
}

/// Implements a notification. Nothing is admitted, and nothing is answered.
macro_rules! notified {
    () => {
        type Admission<S: Send + Sync + 'static> = ();
        type Answer<S: Send + Sync + 'static> = ();

        fn admit<S: Send + Sync + 'static>(_: &Scope<S>, _: &Arc<Self::Params>) -> Result<(), RpcError> {
            Ok(())
        }

        async fn finish<S: Send + Sync + 'static>(
            _: &Scope<S>,
            (): &(),
            outcome: Result<()>,
        ) -> Result<Reply, RpcError> {
            outcome.map(|()| Reply::empty()).map_err(Error::into_rpc)
        }
    };
}

impl<M> ServeOperation for op::Notification<M>
where
    M: method::Notification<Params: Clone + Sync> + 'static,
{
    notified!();
}

impl<M> Notified for op::Notification<M> where M: method::Notification<Params: Clone + Sync> + 'static {}
