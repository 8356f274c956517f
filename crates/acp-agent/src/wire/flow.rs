//! The flow of a turn on the wire, in three steps: it was accepted, it is blocked by a question, it
//! has ended.

use std::marker::PhantomData;

use acp_rpc::{Error as RpcError, Peer, Reply, Request};
use acp_types::v1::{ContentBlock, MessageId, PromptResponse, SessionId, StopReason};

use super::session::SessionWire;
#[cfg(feature = "v2")]
use super::v2::turn::{Question, TurnFlow};
use crate::error::Result;

/// The flow of one turn.
pub(crate) enum Flow {
    V1,
    #[cfg(feature = "v2")]
    V2(Box<TurnFlow>),
}

/// A question to the user that the turn waits for, until this is dropped.
#[must_use = "dropped, the turn is not blocked any more"]
pub(crate) struct Blocked<'a> {
    #[cfg(feature = "v2")]
    question: Option<Question<'a>>,
    flow: PhantomData<&'a Flow>,
}

#[cfg_attr(not(feature = "v2"), allow(clippy::unused_async, reason = "version 2 waits"))]
impl Flow {
    #[cfg_attr(not(feature = "v2"), allow(unused_variables, reason = "version 1 needs none of it"))]
    pub(crate) fn new(wire: &SessionWire, session: &SessionId, peer: &Peer) -> Self {
        match wire {
            SessionWire::V1(_) => Flow::V1,
            #[cfg(feature = "v2")]
            SessionWire::V2(state) => Flow::V2(Box::new(TurnFlow::new(state, session, peer))),
        }
    }

    /// Takes the request of a prompt that is admitted. Version 1 sets the answer to a prompt that
    /// is cancelled before its turn is accepted.
    pub(crate) fn admitted(&self, request: &Request) {
        match self {
            Flow::V1 => request.if_cancelled(Reply::new(PromptResponse::new(StopReason::Cancelled))),
            #[cfg(feature = "v2")]
            Flow::V2(turn) => turn.admitted(request),
        }
    }

    /// Returns whether [`accepted`](Self::accepted) writes something, so that the user's message
    /// is part of the session only from there on.
    pub(crate) const fn inserts(&self) -> bool {
        match self {
            Flow::V1 => false,
            #[cfg(feature = "v2")]
            Flow::V2(_) => true,
        }
    }

    /// Returns the id of the user's message, if it has one.
    pub(crate) const fn message_id(&self) -> Option<&MessageId> {
        match self {
            Flow::V1 => None,
            #[cfg(feature = "v2")]
            Flow::V2(turn) => Some(turn.message_id()),
        }
    }

    /// Accepts the turn: its handler is about to run. Version 1 says nothing. Version 2 answers
    /// the prompt.
    #[cfg_attr(not(feature = "v2"), allow(unused_variables, reason = "version 1 needs none of it"))]
    pub(crate) async fn accepted(&self, prompt: &[ContentBlock]) -> Result<()> {
        match self {
            Flow::V1 => Ok(()),
            #[cfg(feature = "v2")]
            Flow::V2(turn) => turn.insert(prompt).await,
        }
    }

    /// Inserts the user's message into the turn that runs, in place of a turn of its own. `keep`
    /// keeps it before. Returns false if that cannot be: the prompt is answered, or this version
    /// has another way.
    #[cfg_attr(
        not(feature = "v2"),
        allow(unused_variables, clippy::unnecessary_wraps, reason = "version 1 cannot")
    )]
    pub(crate) fn join<E>(
        &self,
        prompt: &[ContentBlock],
        keep: impl FnOnce(Option<&MessageId>) -> Result<(), E>,
    ) -> Result<bool, E> {
        match self {
            Flow::V1 => Ok(false),
            #[cfg(feature = "v2")]
            Flow::V2(turn) => turn.join(prompt, keep),
        }
    }

    /// Returns whether the message was inserted into another turn.
    pub(crate) fn has_joined(&self) -> bool {
        match self {
            Flow::V1 => false,
            #[cfg(feature = "v2")]
            Flow::V2(turn) => turn.has_joined(),
        }
    }

    /// Notes that the turn is about to send an update. Version 1 says nothing.
    pub(crate) fn sends(&self) {
        match self {
            Flow::V1 => {}
            #[cfg(feature = "v2")]
            Flow::V2(turn) => turn.sends(),
        }
    }

    /// Blocks the turn by a question to the user. Several may be open at once. Version 1 says
    /// nothing.
    pub(crate) fn blocked(&self) -> Blocked<'_> {
        match self {
            Flow::V1 => Blocked {
                #[cfg(feature = "v2")]
                question: None,
                flow: PhantomData,
            },
            #[cfg(feature = "v2")]
            Flow::V2(turn) => Blocked { question: Some(turn.blocked()), flow: PhantomData },
        }
    }

    /// Ends the turn. Version 1 answers the prompt, version 2 reports the state.
    pub(crate) fn ended(&self, outcome: Result<PromptResponse, RpcError>) -> Result<Reply, RpcError> {
        match self {
            Flow::V1 => outcome.map(Reply::new),
            #[cfg(feature = "v2")]
            Flow::V2(turn) => turn.ended(outcome),
        }
    }

    /// Ends a turn whose handler was dropped, if nothing has ended it. Version 1 leaves that to the
    /// answer.
    #[cfg_attr(not(feature = "v2"), allow(unused_variables, reason = "version 1 needs none of it"))]
    pub(crate) fn dropped(&self, is_cancelled: bool) {
        match self {
            Flow::V1 => {}
            #[cfg(feature = "v2")]
            Flow::V2(turn) => turn.dropped(is_cancelled),
        }
    }
}

impl Blocked<'_> {
    /// Notes that the question was answered, so that the turn goes on.
    #[cfg_attr(not(feature = "v2"), allow(clippy::missing_const_for_fn, reason = "version 2 notes it"))]
    pub(crate) fn answered(self) {
        #[cfg(feature = "v2")]
        {
            let mut blocked = self;
            if let Some(question) = &mut blocked.question {
                question.answered();
            }
        }
    }
}
