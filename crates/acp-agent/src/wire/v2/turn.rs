//! The flow of a turn: the prompt is answered when its message is inserted, states report the rest.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use acp_rpc::{CallError, Encode, EncodeError, Error as RpcError, Peer, Reply, Request, encode_str};
use acp_types::method::Method as _;
use acp_types::v1::ext::unique_id;
use acp_types::v1::{ContentBlock, MessageId, PromptResponse, SessionId, StopReason};
use acp_types::v2::from_v1::Blocks;
use acp_types::v2::methods;
use serde_core::ser::{Serialize, SerializeMap as _, Serializer};

use super::as_is::member;
use super::session::SessionState;
use super::state::{State, StateParams, UPDATE};
use crate::error::{Error, Result};

const PROMPT: &str = methods::SessionPrompt::NAME;

/// The flow of one turn.
#[derive(Debug)]
pub(crate) struct TurnFlow {
    state: Arc<SessionState>,
    session: SessionId,
    peer: Peer,
    /// The id of the user's message.
    message_id: MessageId,
    stage: Mutex<Stage>,
}

#[derive(Debug)]
enum Stage {
    /// The prompt is held, once its request is known.
    Held(Option<Request>),
    /// The user's message is inserted.
    Inserted,
    /// The user's message is inserted into the turn before.
    Joined,
    /// The client knows the end.
    Ended,
}

/// A question to the user that the turn waits for.
pub(crate) struct Question<'a> {
    turn: &'a TurnFlow,
    is_answered: bool,
}

impl TurnFlow {
    pub(in crate::wire) fn new(state: &Arc<SessionState>, session: &SessionId, peer: &Peer) -> Self {
        TurnFlow {
            state: Arc::clone(state),
            session: session.clone(),
            peer: peer.clone(),
            message_id: unique_id("msg").into(),
            stage: Mutex::new(Stage::Held(None)),
        }
    }

    pub(in crate::wire) const fn message_id(&self) -> &MessageId {
        &self.message_id
    }

    /// Keeps the request, which is answered before its handler is done.
    pub(in crate::wire) fn admitted(&self, request: &Request) {
        *self.stage() = Stage::Held(Some(request.clone()));
    }

    /// Inserts the user's message: the answer with its id, its echo and the state, in one write and
    /// in this order (rules `v2-turn-01` to `v2-turn-03`, `v2-state-01`).
    pub(in crate::wire) async fn insert(&self, prompt: &[ContentBlock]) -> Result<()> {
        let request = match &mut *self.stage() {
            Stage::Held(request) => request.take(),
            _ => None,
        };
        let Some(request) = request else { return Err(Error::Cancelled) };
        let echo = Echo { session: &self.session, message_id: &self.message_id, prompt };
        let running = StateParams { of: &self.state, session: &self.session, state: State::Running };
        let behind: [(&str, &(dyn Encode + Sync)); 2] = [(UPDATE, &echo), (UPDATE, &running)];
        match request.answer_early(PROMPT, &Inserted(&self.message_id), &behind).await {
            Ok(()) => {
                self.state.end_message();
                self.state.runs();
                *self.stage() = Stage::Inserted;
                Ok(())
            }
            Err(CallError::Closed(_)) => Err(Error::Cancelled),
            Err(error) => Err(Error::call(PROMPT, error)),
        }
    }

    /// Inserts the user's message into the turn that runs (rules `v2-turn-01` to `v2-turn-03`). It
    /// needs no state: that turn has it.
    pub(in crate::wire) fn join<E>(
        &self,
        prompt: &[ContentBlock],
        keep: impl FnOnce(Option<&MessageId>) -> Result<(), E>,
    ) -> Result<bool, E> {
        let request = match &mut *self.stage() {
            Stage::Held(request) => request.take(),
            _ => None,
        };
        let Some(request) = request else { return Ok(false) };
        if let Err(error) = keep(Some(&self.message_id)) {
            *self.stage() = Stage::Held(Some(request));
            return Err(error);
        }
        let echo = Echo { session: &self.session, message_id: &self.message_id, prompt };
        let answer = Inserted(&self.message_id);
        let is_inserted = request.answer_early_now(PROMPT, &answer, &[(UPDATE, &echo)]).is_ok();
        if is_inserted {
            self.state.end_message();
            *self.stage() = Stage::Joined;
        }
        Ok(is_inserted)
    }

    pub(in crate::wire) fn has_joined(&self) -> bool {
        matches!(*self.stage(), Stage::Joined)
    }

    pub(in crate::wire) fn blocked(&self) -> Question<'_> {
        self.state.asks(&self.peer, &self.session);
        Question { turn: self, is_answered: false }
    }

    /// Notes that the turn is about to send an update.
    pub(in crate::wire) fn sends(&self) {
        self.state.resumes(&self.peer, &self.session);
    }

    /// Ends the turn. The end of a turn whose message is inserted is a state, also if it has failed
    /// (rule `v2-turn-04`). A prompt that was still held is refused (rule `v2-turn-08`).
    pub(in crate::wire) fn ended(
        &self,
        outcome: Result<PromptResponse, RpcError>,
    ) -> Result<Reply, RpcError> {
        match self.end() {
            Stage::Held(_) => Err(outcome.err().unwrap_or_else(RpcError::cancelled)),
            Stage::Inserted => {
                self.report_end(outcome.as_ref());
                // The prompt is answered already.
                Ok(Reply::empty())
            }
            Stage::Joined | Stage::Ended => Ok(Reply::empty()),
        }
    }

    /// Ends a turn whose handler has panicked or was dropped.
    pub(in crate::wire) fn dropped(&self, is_cancelled: bool) {
        if let Stage::Inserted = self.end() {
            let cancelled = PromptResponse::new(StopReason::Cancelled);
            let lost = RpcError::internal("the handler failed unexpectedly");
            self.report_end(if is_cancelled { Ok(&cancelled) } else { Err(&lost) });
        }
    }

    fn end(&self) -> Stage {
        std::mem::replace(&mut *self.stage(), Stage::Ended)
    }

    fn report_end(&self, outcome: Result<&PromptResponse, &RpcError>) {
        self.state.end_message();
        self.state.is_idle();
        let idle = StateParams {
            of: &self.state,
            session: &self.session,
            state: State::Idle { reason: Some(outcome) },
        };
        // A client that is gone needs none.
        let _ = self.peer.notify_now(UPDATE, &idle);
    }

    fn stage(&self) -> MutexGuard<'_, Stage> {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Question<'_> {
    pub(in crate::wire) const fn answered(&mut self) {
        self.is_answered = true;
    }
}

impl Drop for Question<'_> {
    fn drop(&mut self) {
        self.turn.state.asked(&self.turn.peer, &self.turn.session, self.is_answered);
    }
}

/// The answer to a prompt.
struct Inserted<'a>(&'a MessageId);

impl Serialize for Inserted<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut result = serializer.serialize_map(Some(1))?;
        member(&mut result, "messageId", self.0)?;
        result.end()
    }
}

/// The user's message, as the client gets it back.
struct Echo<'a> {
    session: &'a SessionId,
    message_id: &'a MessageId,
    prompt: &'a [ContentBlock],
}

impl Encode for Echo<'_> {
    fn encode(&self, buffer: &mut Vec<u8>) -> Result<(), EncodeError> {
        buffer.extend_from_slice(br#"{"sessionId":"#);
        encode_str(self.session.as_str(), buffer)?;
        buffer.extend_from_slice(br#","update":{"sessionUpdate":"user_message","messageId":"#);
        encode_str(self.message_id.as_str(), buffer)?;
        buffer.extend_from_slice(br#","content":"#);
        Blocks(self.prompt).encode(buffer)?;
        buffer.extend_from_slice(b"}}");
        Ok(())
    }
}
