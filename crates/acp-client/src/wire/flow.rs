//! The flow of a turn on the wire: how it begins and ends.

use std::sync::{Arc, OnceLock};
#[cfg(feature = "v2")]
use std::sync::{Mutex, MutexGuard, PoisonError};

use acp_rpc::{CallError, CloseReason, LaneKey, Peer};
use acp_types::v1::{MessageId, PromptRequest, PromptResponse};

use crate::Error;
use crate::event::{Event, State};
use crate::wire::Wire;
use crate::wire::end::{End, Ended};
#[cfg(feature = "v2")]
use crate::wire::entity::Entity;
use crate::wire::moment::Read;
use crate::wire::update::Update;
#[cfg(feature = "v2")]
use crate::wire::v2::{self, message::Params};

/// The id that the agent gives the message of a prompt, once it has accepted the prompt. In version
/// 1 it gives none.
pub(crate) type PromptId = Arc<OnceLock<MessageId>>;

/// The turns of one session, as its messages show them. In version 1 the answer to a prompt is the
/// end of its turn, so there is nothing to keep.
#[derive(Debug, Default)]
pub(crate) struct Flow {
    #[cfg(feature = "v2")]
    turns: Mutex<v2::flow::Turns>,
    #[cfg(feature = "v2")]
    offers: Mutex<v2::offers::Offers>,
    #[cfg(feature = "v2")]
    known: Mutex<v2::known::Known>,
}

/// The turns that a message has ended.
#[derive(Default)]
#[must_use = "somebody waits for the end of a turn"]
pub(crate) struct Finished {
    #[cfg(feature = "v2")]
    turns: Vec<v2::flow::Finished>,
}

impl Wire {
    /// Sends a prompt, and calls `ended` at the end of its turn, after all earlier updates of the
    /// session. Returns when the prompt is on its way. `message` gets the id of its message.
    ///
    /// In version 1 the answer to the prompt is the end. In version 2 it comes when the agent has
    /// accepted the prompt, and the end is the state of the session that follows its work.
    pub(crate) async fn prompt(
        self,
        peer: &Peer,
        (flow, lane, message): (&Arc<Flow>, LaneKey, PromptId),
        request: &PromptRequest,
        ended: impl FnOnce(Ended) + Send + 'static,
    ) -> Result<(), Error> {
        let method = self.method::<PromptRequest>();
        let begun = match self {
            Self::V1 => {
                let ended = move |response: Result<Read<PromptResponse>, CallError>| {
                    ended(response.map(|Read { value, at }| Read { value: End::of(value), at }));
                };
                peer.begin_then(Some(lane), method, request, ended).await
            }
            #[cfg(feature = "v2")]
            Self::V2 => {
                let number = flow.turns().sent(Box::new(ended));
                let answering = Arc::clone(flow);
                let answered = move |answer: Result<Read<v2::accepted::Accepted>, CallError>| {
                    if let Ok(accepted) = &answer {
                        let _ = message.set(accepted.value.message.clone());
                    }
                    let finished = answering.turns().answered(number, answer);
                    finished.into_iter().for_each(v2::flow::Finished::tell);
                };
                let begun = peer.begin_then(Some(lane), method, &Params(request), answered).await;
                // The end of a turn that never began is not awaited.
                let never = begun.is_err().then(|| flow.turns().forget(number));
                drop(never);
                begun
            }
        };
        #[cfg(not(feature = "v2"))]
        let _ = (flow, message);
        begun.map_err(|error| self.failed::<PromptRequest>(Some(&request.session_id), error))
    }

    /// Takes note of an update of a session, and puts it into the events that readers know. Returns
    /// false for the echo of a prompt, which readers of the turn have no use for.
    pub(crate) fn is_shown(self, flow: &Flow, update: &mut Update) -> bool {
        match self {
            Self::V1 => {
                let _ = (flow, update);
                true
            }
            #[cfg(feature = "v2")]
            Self::V2 => {
                if let Some(offer) = update.offer.take() {
                    flow.noted_offers().note(offer);
                }
                flow.known().settle(update);
                !v2::flow::message_of_user(&update.event).is_some_and(|id| flow.turns().is_echo(id))
            }
        }
    }

    /// Returns the state that an event reports, for [`ended_by`](Self::ended_by).
    pub(crate) fn state_in(self, event: &Event) -> Option<Box<State>> {
        match (self, event) {
            #[cfg(feature = "v2")]
            (Self::V2, Event::State(state)) => Some(state.clone()),
            _ => None,
        }
    }

    /// Returns the turns that a state of the session ends. Its event must have its position by now.
    pub(crate) fn ended_by(self, flow: &Flow, state: Option<&State>) -> Finished {
        match self {
            Self::V1 => {
                let _ = (flow, state);
                Finished::default()
            }
            #[cfg(feature = "v2")]
            Self::V2 => {
                state.map_or_else(Finished::default, |state| Finished { turns: flow.turns().state(state) })
            }
        }
    }
}

impl Flow {
    /// Notes that the session is taken up again: the agent may be at work in it.
    pub(crate) fn resume(&self) {
        #[cfg(feature = "v2")]
        self.turns().resume();
    }

    /// Ends the turns of a session that the agent has closed.
    pub(crate) fn close(&self) -> Finished {
        Finished {
            #[cfg(feature = "v2")]
            turns: self.turns().close(),
        }
    }

    /// Ends the turns of a connection that is over.
    pub(crate) fn fail(&self, reason: &CloseReason) -> Finished {
        let _ = reason;
        Finished {
            #[cfg(feature = "v2")]
            turns: self.turns().fail(|| CallError::Closed(reason.clone())),
        }
    }

    /// Returns true if the agent lets the client cancel this entity.
    #[cfg(feature = "v2")]
    pub(in crate::wire) fn offers(&self, entity: &Entity) -> bool {
        self.noted_offers().has(entity)
    }

    #[cfg(feature = "v2")]
    fn noted_offers(&self) -> MutexGuard<'_, v2::offers::Offers> {
        self.offers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(feature = "v2")]
    fn known(&self) -> MutexGuard<'_, v2::known::Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(feature = "v2")]
    pub(in crate::wire) fn turns(&self) -> MutexGuard<'_, v2::flow::Turns> {
        // Nothing but notes is taken under this lock.
        self.turns.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Finished {
    #[cfg_attr(not(feature = "v2"), expect(clippy::unused_self, reason = "version 1 has none"))]
    pub(crate) fn is_empty(&self) -> bool {
        #[cfg(feature = "v2")]
        return self.turns.is_empty();
        #[cfg(not(feature = "v2"))]
        true
    }

    /// Tells those who wait for the ends.
    #[cfg_attr(not(feature = "v2"), expect(clippy::unused_self, reason = "version 1 has none"))]
    pub(crate) fn tell(self) {
        #[cfg(feature = "v2")]
        self.turns.into_iter().for_each(v2::flow::Finished::tell);
    }
}
