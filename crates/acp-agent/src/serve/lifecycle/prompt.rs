//! The operation `session/prompt`: from the request to a turn, and from the turn to its answer.

use std::sync::Arc;

use acp_rpc::{Error as RpcError, Reply, Request};
use acp_types::v1::{PromptRequest, PromptResponse, StopReason};

use crate::error::{Error, Result};
use crate::handler::call::Scope;
use crate::handler::operation::ServeOperation;
use crate::op;
use crate::session::running::Running;
use crate::turn::TurnScope;

impl ServeOperation for op::Prompt {
    type Admission<S: Send + Sync + 'static> = Running<S>;
    type Answer<S: Send + Sync + 'static> = PromptResponse;

    fn admit<S: Send + Sync + 'static>(
        scope: &Scope<S>,
        params: &Arc<PromptRequest>,
    ) -> Result<Running<S>, RpcError> {
        let sessions = &scope.connection.sessions;
        sessions.find(&params.session_id)?;
        // Rules `v1-cap-09`, `v1-turn-14`.
        let offered = &scope.client.agent_capabilities().prompt_capabilities;
        offered.check(&params.prompt).map_err(|error| RpcError::invalid_params(error.to_string()))?;
        let may_wait = scope.connection.queues_prompts;
        let (session, turn, waits) = sessions.begin_turn(&params.session_id, may_wait, |session| {
            TurnScope::new(Arc::clone(params), session.updates().clone(), scope.cancel.clone())
        })?;
        Ok(Running::new(session, turn, waits))
    }

    /// Holds the turn's place, so that the next turn starts behind the answer of this one, even if
    /// a layer gives that. A prompt that is cancelled while it waits in a layer is answered like
    /// one that waits for its session.
    fn on_admitted<S: Send + Sync + 'static>(running: &Running<S>, request: &Request) {
        request.keep(running.place());
        running.scope().flow().admitted(request);
    }

    async fn ready<S: Send + Sync + 'static>(_: &Scope<S>, running: &Running<S>) -> Result<()> {
        running.ready().await
    }

    async fn finish<S: Send + Sync + 'static>(
        _: &Scope<S>,
        running: &Running<S>,
        outcome: Result<PromptResponse>,
    ) -> Result<Reply, RpcError> {
        let stop_reason = outcome.as_ref().map(|response| &response.stop_reason);
        let cancelled = running.end(matches!(stop_reason, Ok(StopReason::EndTurn)));
        let kept = match running.recorder() {
            Some(recorder) => recorder.commit().await,
            None => Ok(()),
        };
        let outcome = match outcome {
            // The handler's response is kept, but the cancellation decides why the turn stopped.
            Ok(mut response) if cancelled => {
                response.stop_reason = StopReason::Cancelled;
                Ok(response)
            }
            // Aborted work raises errors. None of them concerns the client, and neither does a
            // failure to keep the turn (rule `v1-cancel-06`).
            Err(_) if cancelled => Ok(PromptResponse::new(StopReason::Cancelled)),
            // A turn that cannot be kept has failed, whatever it has sent.
            outcome => kept.map_err(Error::into_rpc).and_then(|()| match outcome {
                Err(Error::Cancelled) => Ok(PromptResponse::new(StopReason::Cancelled)),
                outcome => outcome.map_err(Error::into_rpc),
            }),
        };
        running.scope().flow().ended(outcome)
    }
}
