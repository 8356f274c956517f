//! `session/prompt`: from the request to a turn, and from the turn to its answer.

use std::fmt;
use std::sync::Arc;

use acp_rpc::{Error as RpcError, Reply};
use acp_types::v1::{ContentBlock, PromptCapabilities, PromptRequest, PromptResponse, StopReason};

use crate::agent::Agent;
use crate::call::{Call, Scope};
use crate::error::{Error, Result};
use crate::extract::FromCall;
use crate::lifecycle::{Lifecycle, OnSession};
use crate::op;
use crate::session::Session;
use crate::turn::{Turn, TurnScope};

/// A session's turn while it runs. Ends it when dropped: a handler that panics must not leave the session busy.
pub struct Running<S> {
    session: Session<S>,
    scope: Arc<TurnScope>,
}

impl<S> Running<S> {
    /// Ends the turn: no cancel reaches it and nothing is sent any more. Says whether it was cancelled.
    fn end(&self) -> bool {
        let cancelled = self.session.entry.end(&self.scope);
        self.scope.close();
        cancelled
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
    }
}

impl Lifecycle for op::Prompt {
    type Admitted<A: Agent> = Running<A::Session>;
    type Answer<S: Send + Sync + 'static> = PromptResponse;

    fn admit<A: Agent>(
        scope: &Scope<A>,
        params: &Arc<PromptRequest>,
    ) -> Result<Running<A::Session>, RpcError> {
        let session = scope.connection.sessions.find(&params.session_id)?;
        let offered = &scope.client.agent_capabilities().prompt_capabilities;
        for (index, block) in params.prompt.iter().enumerate() {
            check_content(index, block, offered)?;
        }
        let turn = Arc::new(TurnScope::new(Arc::clone(params), scope.client.clone(), scope.cancel.clone()));
        session.entry.begin(&turn)?;
        Ok(Running { session, scope: turn })
    }

    fn settle<A: Agent>(
        _: &Scope<A>,
        running: &Running<A::Session>,
        outcome: Result<PromptResponse>,
    ) -> Result<Reply, RpcError> {
        let cancelled = running.end();
        let response = match outcome {
            // What it returned is kept, but what it was told to do decides why it stopped.
            Ok(mut response) if cancelled => {
                response.stop_reason = StopReason::Cancelled;
                response
            }
            Ok(response) => response,
            Err(Error::Cancelled) => PromptResponse::new(StopReason::Cancelled),
            // Aborting work raises errors; none of them is the client's business (rule `v1-cancel-06`).
            Err(_) if cancelled => PromptResponse::new(StopReason::Cancelled),
            Err(error) => return Err(error.into_rpc()),
        };
        Ok(Reply::new(response))
    }
}

impl OnSession for op::Prompt {
    fn session<A: Agent>(call: &Call<Self, A>) -> Result<Session<A::Session>> {
        Ok(call.admitted().session.clone())
    }
}

impl<A: Agent> FromCall<op::Prompt, A> for Turn {
    fn from_call(call: &mut Call<op::Prompt, A>) -> Result<Self> {
        Ok(Turn::new(Arc::clone(&call.admitted().scope)))
    }
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
