//! `session/prompt`: from the request to a turn, and from the turn to its answer.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use acp_rpc::{Error as RpcError, Reply, Request};
use acp_types::v1::{ContentBlock, PromptCapabilities, PromptRequest, PromptResponse, StopReason};

use crate::agent::Agent;
use crate::call::{Call, Scope};
use crate::error::{Error, Result};
use crate::extract::FromCall;
use crate::lifecycle::{HasSession, Lifecycle};
use crate::op;
use crate::session::Session;
use crate::store::Recorder;
use crate::turn::{Turn, TurnScope};

/// A session's turn while it runs. Ends it when dropped, as where the handler panics.
pub struct Running<S> {
    session: Session<S>,
    scope: Arc<TurnScope>,
    /// Whether it had to wait.
    waits: bool,
    /// Tells whether it is recorded.
    recorded: AtomicBool,
}

/// A turn's place among those of its session. Dropped, it ends the turn and makes room for the next one.
struct Place<S> {
    session: Session<S>,
    scope: Arc<TurnScope>,
}

impl<S> Running<S> {
    /// Ends the turn: no cancel reaches it and nothing is sent any more. Says whether it was cancelled.
    fn end(&self) -> bool {
        self.session.entry.turns.end(&self.scope)
    }

    /// The recorder, once recording began.
    fn recorder(&self) -> Option<&Recorder> {
        self.session.updates().recorder().filter(|_| self.recorded.load(Ordering::Acquire))
    }
}

impl<S> fmt::Debug for Running<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running").field("session", &self.session).finish_non_exhaustive()
    }
}

impl<S> Drop for Running<S> {
    fn drop(&mut self) {
        self.end();
        if let Some(recorder) = self.recorder() {
            recorder.end_turn();
        }
    }
}

impl<S> Drop for Place<S> {
    fn drop(&mut self) {
        // It may have been answered without its handler, which is still somewhere.
        self.session.entry.turns.end(&self.scope);
        self.session.entry.turns.release(&self.scope);
    }
}

impl Lifecycle for op::Prompt {
    type Admitted<A: Agent> = Running<A::Session>;
    type Answer<S: Send + Sync + 'static> = PromptResponse;

    fn admit<A: Agent>(
        scope: &Scope<A>,
        params: &Arc<PromptRequest>,
    ) -> Result<Running<A::Session>, RpcError> {
        let sessions = &scope.connection.sessions;
        sessions.find(&params.session_id)?;
        check_prompt(&params.prompt, &scope.client.agent_capabilities().prompt_capabilities)?;
        let may_wait = scope.connection.agent.profile().queue_prompts;
        let (session, turn, waits) = sessions.begin_turn(&params.session_id, may_wait, |session| {
            TurnScope::new(Arc::clone(params), session.updates().clone(), scope.cancel.clone())
        })?;
        Ok(Running { session, scope: turn, waits, recorded: AtomicBool::new(false) })
    }

    /// The next turn starts behind the answer of this one, whoever gives that. One that is cancelled while it waits
    /// in a layer is answered like one that waits for its session.
    fn promise<A: Agent>(running: &Running<A::Session>, request: &Request) {
        let Running { session, scope, .. } = running;
        request.keep(Place { session: session.clone(), scope: Arc::clone(scope) });
        request.if_cancelled(Reply::new(PromptResponse::new(StopReason::Cancelled)));
    }

    async fn wait<A: Agent>(_: &Scope<A>, running: &Running<A::Session>) -> Result<()> {
        let (turns, turn) = (&running.session.entry.turns, &running.scope);
        while let Some(answered) = turns.ahead_of(turn) {
            let over = async {
                answered.cancelled().await;
                Ok(())
            };
            turn.cancel.heeding(over).await?;
        }
        if running.waits && turn.cancel.has_fired() {
            return Err(Error::Cancelled);
        }
        match running.session.updates().recorder() {
            Some(recorder) => {
                running.recorded.store(true, Ordering::Release);
                recorder.begin_turn(turn.prompt()).await
            }
            None => Ok(()),
        }
    }

    async fn settle<A: Agent>(
        _: &Scope<A>,
        running: &Running<A::Session>,
        outcome: Result<PromptResponse>,
    ) -> Result<Reply, RpcError> {
        let cancelled = running.end();
        let kept = match running.recorder() {
            Some(recorder) => recorder.commit().await,
            None => Ok(()),
        };
        let response = match outcome {
            // What it returned is kept, but what it was told to do decides why it stopped.
            Ok(mut response) if cancelled => {
                response.stop_reason = StopReason::Cancelled;
                response
            }
            // Aborting work raises errors; none of them is the client's business, nor is that it could not be kept
            // (rule `v1-cancel-06`).
            Err(_) if cancelled => PromptResponse::new(StopReason::Cancelled),
            outcome => {
                // A turn that cannot be kept has failed, whatever was said in it.
                kept.map_err(Error::into_rpc)?;
                match outcome {
                    Ok(response) => response,
                    Err(Error::Cancelled) => PromptResponse::new(StopReason::Cancelled),
                    Err(error) => return Err(error.into_rpc()),
                }
            }
        };
        Ok(Reply::new(response))
    }
}

impl<S> HasSession<S> for Running<S> {
    fn session(&self) -> &Session<S> {
        &self.session
    }
}

impl<A: Agent> FromCall<op::Prompt, A> for Turn {
    fn from_call(call: &mut Call<op::Prompt, A>) -> Result<Self> {
        Ok(Turn::new(Arc::clone(&call.admitted().scope)))
    }
}

fn check_prompt(prompt: &[ContentBlock], offered: &PromptCapabilities) -> Result<(), RpcError> {
    if prompt.is_empty() {
        return Err(RpcError::invalid_params("`prompt`: expected at least one content block"));
    }
    prompt.iter().enumerate().try_for_each(|(index, block)| check_content(index, block, offered))
}

/// Refuses content that was not advertised, before the handler sees it (rules `v1-cap-09`, `v1-turn-14`).
fn check_content(index: usize, block: &ContentBlock, offered: &PromptCapabilities) -> Result<(), RpcError> {
    let capability = match block {
        ContentBlock::Image(_) if !offered.image => "image",
        ContentBlock::Audio(_) if !offered.audio => "audio",
        ContentBlock::Resource(_) if !offered.embedded_context => "embeddedContext",
        ContentBlock::Unknown(unknown) => {
            let kind = unknown.tag();
            return Err(RpcError::invalid_params(format!(
                "`prompt[{index}]`: content of kind `{kind}` is not known here"
            )));
        }
        _ => return Ok(()),
    };
    Err(RpcError::invalid_params(format!(
        "`prompt[{index}]`: content of kind `{}` needs `promptCapabilities.{capability}`, \
         which this agent does not advertise",
        block.tag(),
    )))
}
