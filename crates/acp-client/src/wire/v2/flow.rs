//! The flow of turns: a prompt is accepted, and later the session becomes idle.

use std::fmt;

use acp_rpc::CallError;
use acp_types::v1::{MessageId, StopReason};

use super::accepted::Accepted;
use super::seen::{Idle, Seen};
use crate::event::{Event, MessageKind, State, StateKind};
use crate::wire::end::Ended;
use crate::wire::moment::{Moment, Read};

/// The call at the end of a turn.
type OnEnd = Box<dyn FnOnce(Ended) + Send>;

/// The turns of one session. A fresh session is idle.
#[derive(Debug, Default)]
pub(in crate::wire) struct Turns {
    /// True while the agent works, as far as it is known.
    is_busy: bool,
    /// True if the agent has reported a state.
    is_known: bool,
    /// The end of the last work.
    last_idle: Option<StateKind>,
    /// The number of prompts so far.
    sent: u64,
    prompts: Vec<Prompt>,
    /// Kept while an answer to a prompt is awaited, which may take another way than the updates.
    seen: Seen,
    is_closed: bool,
}

/// A prompt whose turn has not ended.
struct Prompt {
    number: u64,
    /// Set by the answer.
    accepted: Option<Inserted>,
    on_end: OnEnd,
}

/// A prompt that has its place in the conversation.
#[derive(Debug)]
struct Inserted {
    message: MessageId,
    /// True if the session was idle then.
    was_idle: bool,
}

/// A turn that is over.
pub(in crate::wire) struct Finished {
    on_end: OnEnd,
    end: Ended,
}

impl Finished {
    /// Tells whoever waits for the end.
    pub(in crate::wire) fn tell(self) {
        (self.on_end)(self.end);
    }
}

impl Turns {
    /// Notes a prompt that is about to be sent, and returns its number.
    pub(in crate::wire) fn sent(&mut self, on_end: OnEnd) -> u64 {
        if !self.awaits_answer() {
            self.seen = Seen::since(self.is_busy);
        }
        self.sent += 1;
        self.prompts.push(Prompt { number: self.sent, accepted: None, on_end });
        self.sent
    }

    /// Forgets a prompt that was not sent, or is over.
    pub(in crate::wire) fn forget(&mut self, number: u64) -> Option<OnEnd> {
        let index = self.prompts.iter().position(|prompt| prompt.number == number)?;
        Some(self.prompts.remove(index).on_end)
    }

    /// Returns true if the prompt with this answer got its place while the agent was at work on
    /// another one.
    pub(super) fn meets_work(&self, number: u64, accepted: &Read<Accepted>) -> bool {
        let is_other = |prompt: &Prompt| prompt.number != number && prompt.accepted.is_some();
        self.prompts.iter().any(is_other) || !self.seen.is_idle_at(self.inserted(accepted))
    }

    /// Returns the position at which an accepted prompt got its place.
    fn inserted(&self, accepted: &Read<Accepted>) -> Moment {
        self.seen.echo(&accepted.value.message).map_or(accepted.at, |echo| echo.min(accepted.at))
    }

    /// Takes the answer to a prompt. Returns the turn if it is over by now: the agent has refused
    /// the prompt, or became idle before its answer was taken.
    pub(in crate::wire) fn answered(
        &mut self,
        number: u64,
        answer: Result<Read<Accepted>, CallError>,
    ) -> Option<Finished> {
        let accepted = match answer {
            Ok(accepted) => accepted,
            Err(error) => return Some(Finished { on_end: self.forget(number)?, end: Err(error) }),
        };
        let inserted = self.inserted(&accepted);
        let message = accepted.value.message;
        let end = self.seen.end_after(inserted).or_else(|| self.is_closed.then(cancelled));
        if let Some(end) = end {
            return Some(Finished { on_end: self.forget(number)?, end: end.into_ended() });
        }
        let was_idle = self.seen.is_idle_at(inserted);
        let prompt = self.prompts.iter_mut().find(|prompt| prompt.number == number)?;
        prompt.accepted = Some(Inserted { message, was_idle });
        None
    }

    /// Takes a message of the user. Returns true if it is the echo of a prompt.
    pub(in crate::wire) fn is_echo(&mut self, message: &MessageId) -> bool {
        let is_it =
            |prompt: &Prompt| prompt.accepted.as_ref().is_some_and(|accepted| accepted.message == *message);
        if self.prompts.iter().any(is_it) {
            return true;
        }
        let awaits = self.awaits_answer();
        if awaits {
            self.seen.message(message);
        }
        awaits
    }

    /// Takes a state of the session. Returns the turns that it ends.
    ///
    /// A turn ends when the session becomes idle after it was not. An idle session that reports
    /// again that it is idle ends none. One exception is for agents that never report that they
    /// work: a new reason ends the turn of a prompt that met an idle session.
    pub(in crate::wire) fn state(&mut self, state: &State) -> Vec<Finished> {
        self.is_known = true;
        let StateKind::Idle { stop_reason, error } = &state.kind else {
            self.is_busy = true;
            if self.awaits_answer() {
                self.seen.busy();
            }
            return Vec::new();
        };
        let is_change = std::mem::replace(&mut self.is_busy, false);
        let has_reason = stop_reason.is_some() || error.is_some();
        let is_new = has_reason && self.last_idle.as_ref() != Some(&state.kind);
        self.last_idle = Some(state.kind.clone());
        if !is_change && !is_new {
            return Vec::new();
        }
        let idle = Idle { state: state.clone(), at: Moment::now(), is_change };
        let over = self.prompts.extract_if(.., |prompt| {
            prompt.accepted.as_ref().is_some_and(|inserted| idle.ends(inserted.was_idle))
        });
        let over = over.map(|prompt| Finished { on_end: prompt.on_end, end: idle.clone().into_ended() });
        let over = over.collect();
        if self.awaits_answer() {
            self.seen.idle(idle);
        }
        over
    }

    /// Notes that the session is taken up again: the agent may be at work in it.
    pub(in crate::wire) const fn resume(&mut self) {
        self.is_busy |= !self.is_known;
    }

    /// Ends all turns, because the agent has closed the session. The last state comes before that,
    /// but an agent may have left it out.
    pub(in crate::wire) fn close(&mut self) -> Vec<Finished> {
        self.is_closed = true;
        self.end_accepted(|| cancelled().into_ended())
    }

    /// Ends all turns that would wait for ever, because the connection is over.
    pub(in crate::wire) fn fail(&mut self, error: impl Fn() -> CallError) -> Vec<Finished> {
        self.end_accepted(|| Err(error()))
    }

    /// Ends the turns of accepted prompts. The others have an answer to come.
    fn end_accepted(&mut self, end: impl Fn() -> Ended) -> Vec<Finished> {
        let accepted = self.prompts.extract_if(.., |prompt| prompt.accepted.is_some());
        accepted.map(|prompt| Finished { on_end: prompt.on_end, end: end() }).collect()
    }

    fn awaits_answer(&self) -> bool {
        self.prompts.iter().any(|prompt| prompt.accepted.is_none())
    }
}

/// Returns the id of a message of the user, if the event is one.
pub(in crate::wire) fn message_of_user(event: &Event) -> Option<&MessageId> {
    match event {
        Event::UserMessage(chunk) => chunk.message_id.as_deref(),
        Event::MessageReplaced { kind: MessageKind::User, id, .. } => Some(id),
        _ => None,
    }
}

/// The end of work that the agent has not reported.
fn cancelled() -> Idle {
    let kind = StateKind::Idle { stop_reason: Some(StopReason::Cancelled), error: None };
    Idle { state: State::new(kind), at: Moment::now(), is_change: true }
}

impl fmt::Debug for Prompt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { number, accepted, .. } = self;
        f.debug_struct("Prompt").field("number", number).field("accepted", accepted).finish_non_exhaustive()
    }
}
