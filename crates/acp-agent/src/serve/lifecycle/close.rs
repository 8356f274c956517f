//! Operations that end a session, or put it away.

use crate::error::{Error, Result};
use crate::handler::on_session::OnSession;
use crate::handler::scope::{Call, Scope};
use crate::op;
use crate::session::Session;
use crate::session::closing::ClosingSession;

/// Serves an operation that ends a session. Its turns have been answered before the handler starts.
/// `$take` finds the session on admission, and `$end` ends it when the handler is done, before the
/// answer.
macro_rules! ends {
    ($marker:ident, |$scope:ident, $id:ident| $take:expr, |$ended:pat_param, $closing:ident| $end:expr) => {
        impl<S: Send + Sync + 'static> ::acp_handlers::Admit<$crate::op::$marker> for $crate::Scope<S> {
            type Admission = ::std::sync::Arc<$crate::session::closing::ClosingSession<S>>;

            fn admit(
                &self,
                params: &::std::sync::Arc<<$crate::op::$marker as $crate::Op>::Params>,
            ) -> ::std::result::Result<Self::Admission, $crate::RpcError> {
                let ($scope, $id) = (self, &params.session_id);
                $take.map(::std::sync::Arc::new)
            }
        }

        impl<S: Send + Sync + 'static> ::acp_handlers::ServeRequest<$crate::op::$marker>
            for $crate::Scope<S>
        {
            type Answer = <$crate::op::$marker as $crate::Op>::Response;

            async fn ready(call: &$crate::Call<$crate::op::$marker, S>) -> $crate::Result<()> {
                call.admission().turns_answered().await;
                call.admission().check_known()
            }

            async fn finish(
                call: &$crate::Call<$crate::op::$marker, S>,
                outcome: $crate::Result<Self::Answer>,
            ) -> ::std::result::Result<::acp_rpc::Reply, $crate::RpcError> {
                let $closing = call.admission();
                if $closing.check_known().is_err() {
                    // Nothing is left to be ended.
                    return call.context().answer(Ok(Self::Answer::new()));
                }
                let $ended = (call.context(), outcome.is_ok());
                let ended: $crate::Result<()> = $end;
                call.context().answer(outcome.and_then(|response| ended.map(|()| response)))
            }
        }
    };
}

#[allow(unused_imports, reason = "rows of the overlay use it, if they are not by hand")]
pub(crate) use ends;

// Closes the session. It is unknown from the request on. Its turns are cancelled and answered
// before the handler starts (rule `v1-close-02`). The session is closed, whatever the handler says.
ends!(
    CloseSession,
    |scope, id| match scope.connection.sessions.close(id) {
        Ok((session, claim)) => Ok(ClosingSession::new(id, Some(session), Some(claim))),
        Err(error) => ClosingSession::unknown(id, scope.client.wire()).ok_or(error),
    },
    |_, closing| closing.release().await
);

// Deletes the session, which need not be open. If it is, it is closed first. A deleted session need
// not have been written.
ends!(
    DeleteSession,
    |scope, id| ClosingSession::take(&scope.connection.sessions, id),
    |(scope, has_succeeded), closing| {
        let _ = closing.release().await;
        match scope.store() {
            Some(store) if has_succeeded => store.delete(&closing.id).await,
            _ => Ok(()),
        }
    }
);

impl<S: Send + Sync + 'static> OnSession<op::CloseSession> for Scope<S> {
    type State = S;

    fn session(call: &Call<op::CloseSession, S>) -> Result<Session<S>> {
        let session = call.admission().session.clone();
        session.ok_or_else(|| Error::unknown_session(&call.params().session_id))
    }
}
