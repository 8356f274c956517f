//! The operation `session/prompt`: from the request to a turn, and from the turn to its answer.

use std::sync::Arc;

use acp_handlers::{Admit, ServeRequest};
use acp_rpc::{Error as RpcError, Reply, Request};
use acp_types::v1::ext::Limit;
use acp_types::v1::{PromptRequest, PromptResponse, StopReason};

use crate::error::{Error, Result};
use crate::handler::scope::{Call, Handlers, Scope};
use crate::op;
use crate::session::running::Running;
use crate::turn::TurnScope;

impl<S: Send + Sync + 'static> Admit<op::Prompt> for Scope<S> {
    type Admission = Arc<Running<S>>;

    fn admit(&self, params: &Arc<PromptRequest>) -> Result<Arc<Running<S>>, RpcError> {
        let sessions = &self.connection.sessions;
        sessions.find(&params.session_id)?;
        // Rules `v1-cap-09`, `v1-turn-14`.
        let offered = &self.client.agent_capabilities().prompt_capabilities;
        offered.check(&params.prompt).map_err(|error| RpcError::invalid_params(error.to_string()))?;
        let can_join = self.connection.takes_steering && self.client.wire().inserts_into_turns();
        let may_wait = self.connection.queues_prompts || can_join;
        let (session, turn, waits) = sessions.begin_turn(&params.session_id, may_wait, |session| {
            let limits = self.connection.turn_limits.clone();
            TurnScope::new(
                Arc::clone(params),
                session.updates().clone(),
                self.cancel.clone(),
                limits,
                can_join,
            )
        })?;
        Ok(Arc::new(Running::new(session, turn, waits)))
    }
}

impl<S: Send + Sync + 'static> ServeRequest<op::Prompt> for Scope<S> {
    type Answer = PromptResponse;

    /// Holds the turn's place, so that the next turn starts behind the answer of this one, even if
    /// a layer gives that. A prompt that is cancelled while it waits in a layer is answered like
    /// one that waits for its session.
    fn on_admitted(running: &Arc<Running<S>>, request: &Request) {
        request.keep(running.place());
        running.scope().flow().admitted(request);
        running.session().entry.turns.admitted(running.scope());
    }

    /// A prompt that calls a command goes to the handler of that command.
    fn enter<F>(
        handlers: &mut Handlers<S>,
        method: &str,
        handler: impl Fn(Call<op::Prompt, S>) -> F + Send + Sync + 'static,
    ) where
        F: Future<Output = Result<PromptResponse>> + Send + 'static,
    {
        let commands = handlers.special.table();
        handlers.enter_request(method, move |call| commands.call(call, &handler));
    }

    async fn ready(call: &Call<op::Prompt, S>) -> Result<()> {
        call.admission().ready().await
    }

    async fn finish(call: &Call<op::Prompt, S>, outcome: Result<PromptResponse>) -> Result<Reply, RpcError> {
        let running = call.admission();
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
                Err(Error::LimitReached { limit: Limit::Tokens(_), .. }) => {
                    Ok(PromptResponse::new(StopReason::MaxTokens))
                }
                outcome => outcome.map_err(Error::into_rpc),
            }),
        };
        let outcome = outcome.map(|mut response| {
            let updates = running.session().updates();
            updates.report(call.context().client.wire().fit_end(&mut response));
            response
        });
        let outcome = outcome.map(|response| running.session().updates().meter().settle(response));
        running.scope().flow().ended(outcome)
    }
}
