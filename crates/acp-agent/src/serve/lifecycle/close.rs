//! Operations that end a session, or put it away.

use std::sync::Arc;

use acp_rpc::{Error as RpcError, Reply};
use acp_types::v1::{CloseSessionRequest, CloseSessionResponse, DeleteSessionRequest, DeleteSessionResponse};

use crate::error::{Error, Result};
use crate::handler::call::{Call, Scope};
use crate::handler::operation::{OnSession, ServeOperation};
use crate::op;
use crate::serve::lifecycle::answer::answer;
use crate::session::Session;
use crate::session::closing::ClosingSession;

/// Implements an operation that ends a session. Its turns have been answered before the handler
/// starts.
macro_rules! leaves {
    () => {
        type Admission<S: Send + Sync + 'static> = ClosingSession<S>;

        async fn ready<S: Send + Sync + 'static>(_: &Scope<S>, closing: &ClosingSession<S>) -> Result<()> {
            closing.turns_answered().await;
            Ok(())
        }
    };
}

/// Closes the session. It is unknown from the request on. Its turns are cancelled and answered
/// before the handler starts (rule `v1-close-02`).
impl ServeOperation for op::CloseSession {
    leaves!();
    type Answer<S: Send + Sync + 'static> = CloseSessionResponse;

    fn admit<S: Send + Sync + 'static>(
        scope: &Scope<S>,
        params: &Arc<CloseSessionRequest>,
    ) -> Result<Self::Admission<S>, RpcError> {
        let (session, claim) = scope.connection.sessions.close(&params.session_id)?;
        Ok(ClosingSession::new(&params.session_id, Some(session), Some(claim)))
    }

    async fn finish<S: Send + Sync + 'static>(
        _: &Scope<S>,
        closing: &ClosingSession<S>,
        outcome: Result<CloseSessionResponse>,
    ) -> Result<Reply, RpcError> {
        // The session is closed, whatever the handler says.
        let closed = closing.release().await;
        answer(outcome.and_then(|response| closed.map(|()| response)))
    }
}

/// Deletes the session, which need not be open. If it is, it is closed first.
impl ServeOperation for op::DeleteSession {
    leaves!();
    type Answer<S: Send + Sync + 'static> = DeleteSessionResponse;

    fn admit<S: Send + Sync + 'static>(
        scope: &Scope<S>,
        params: &Arc<DeleteSessionRequest>,
    ) -> Result<Self::Admission<S>, RpcError> {
        ClosingSession::take(&scope.connection.sessions, &params.session_id)
    }

    async fn finish<S: Send + Sync + 'static>(
        scope: &Scope<S>,
        closing: &ClosingSession<S>,
        outcome: Result<DeleteSessionResponse>,
    ) -> Result<Reply, RpcError> {
        // A deleted session need not have been written.
        let _ = closing.release().await;
        let deleted = match (&outcome, &scope.connection.store) {
            (Ok(_), Some(store)) => store.delete(&closing.id).await,
            _ => Ok(()),
        };
        answer(outcome.and_then(|response| deleted.map(|()| response)))
    }
}

impl OnSession for op::CloseSession {
    fn session<S: Send + Sync + 'static>(call: &Call<Self, S>) -> Result<Session<S>> {
        let session = call.admission().session.clone();
        session.ok_or_else(|| Error::unknown_session(&call.params().session_id))
    }
}
