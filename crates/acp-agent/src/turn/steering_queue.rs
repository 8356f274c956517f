//! The messages of the user that wait for a turn to take them.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use acp_rpc::CancellationToken;
use acp_types::v1::ext::{SteerOutcome, SteerRequest};
use acp_types::v1::{ContentBlock, MessageId, PromptRequest};
use tokio::sync::Notify;

use crate::turn::scope::TurnScope;

/// The most bytes of [steering messages](crate::Turn::steered) that wait for a turn, as JSON. The
/// next one is refused, unless none waits.
pub const STEERING_BUDGET: usize = 1024 * 1024;

/// The steering messages of one turn, in the order in which they came.
///
/// A message leaves the queue in one of three ways, and only one of them can win: the turn takes
/// it, the turn ends, or its sender withdraws it. All three happen under one lock.
#[derive(Default)]
pub(crate) struct SteeringQueue {
    state: Mutex<State>,
    arrived: Notify,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Waiting>,
    bytes: usize,
    /// Set when the turn has ended.
    is_closed: bool,
}

enum Waiting {
    /// A message of the extension. It goes back to its sender if nobody takes it.
    Steer { message: Arc<Steered>, is_offered: bool },
    /// A prompt. It gets a turn of its own if nobody takes it.
    Prompt { turn: Arc<TurnScope>, is_offered: bool },
}

/// A message of the extension.
pub(super) struct Steered {
    request: Arc<SteerRequest>,
    bytes: usize,
    ticket: Arc<Ticket>,
}

/// A message that waits, for somebody who has to ask before it is taken.
#[derive(Clone)]
pub(super) enum Offered {
    Steer(Arc<Steered>),
    Prompt(Arc<TurnScope>),
}

/// A message that the turn has taken.
#[derive(Clone, PartialEq)]
pub(super) enum Taken {
    Steer(Arc<SteerRequest>),
    Prompt(Arc<PromptRequest>),
}

/// The fate of one message.
#[derive(Default)]
struct Ticket {
    /// Set once somebody has the message.
    outcome: OnceLock<SteerOutcome>,
    /// Fires when the message has left the queue.
    settled: CancellationToken,
}

/// The budget of the queue is used up.
pub(crate) struct QueueFull;

/// A message's place in the queue. Its drop withdraws the message, if the turn has not taken it.
pub(crate) struct SteeringPlace {
    queue: Arc<SteeringQueue>,
    ticket: Arc<Ticket>,
}

impl SteeringQueue {
    /// Adds a message of so many bytes. Returns `None` if the turn has ended.
    pub(crate) fn push(
        self: &Arc<Self>,
        request: Arc<SteerRequest>,
        bytes: usize,
    ) -> Result<Option<SteeringPlace>, QueueFull> {
        let mut state = self.state();
        if state.is_closed {
            return Ok(None);
        }
        if !state.waiting.is_empty() && state.bytes.saturating_add(bytes) > STEERING_BUDGET {
            return Err(QueueFull);
        }
        let ticket = Arc::<Ticket>::default();
        state.bytes = state.bytes.saturating_add(bytes);
        let message = Arc::new(Steered { request, bytes, ticket: Arc::clone(&ticket) });
        state.waiting.push_back(Waiting::Steer { message, is_offered: false });
        drop(state);
        self.arrived.notify_waiters();
        Ok(Some(SteeringPlace { queue: Arc::clone(self), ticket }))
    }

    /// Adds a prompt that waits for the turn. Its bytes are limited together with other requests.
    pub(super) fn push_prompt(&self, turn: &Arc<TurnScope>) {
        let mut state = self.state();
        if !state.is_closed {
            state.waiting.push_back(Waiting::Prompt { turn: Arc::clone(turn), is_offered: false });
            drop(state);
            self.arrived.notify_waiters();
        }
    }

    /// Forgets a prompt that does not wait any more.
    pub(crate) fn forget(&self, turn: &Arc<TurnScope>) {
        self.state().remove(&Offered::Prompt(Arc::clone(turn)));
    }

    /// Takes the next message, after `keep` has kept it. A message that cannot be kept stays.
    pub(super) fn take<E>(
        &self,
        mut keep: impl FnMut(&[ContentBlock], Option<&MessageId>) -> Result<(), E>,
    ) -> Result<Option<Taken>, E> {
        let mut state = self.state();
        loop {
            let Some(first) = state.waiting.front() else { return Ok(None) };
            let first = first.offered();
            let taken = first.take(&mut keep)?;
            state.remove(&first);
            let Some(taken) = taken else { continue };
            first.note(SteerOutcome::Injected);
            drop(state);
            first.settle();
            return Ok(Some(taken));
        }
    }

    /// Returns the next message that was not offered yet, and leaves it where it is.
    pub(super) fn offer(&self) -> Option<Offered> {
        let mut state = self.state();
        let at = state.waiting.iter().position(|waiting| !waiting.is_offered())?;
        let next = state.waiting.get_mut(at)?;
        next.set_offered();
        Some(next.offered())
    }

    /// Takes this message, after `keep` has kept it. Returns `None` if it does not wait any more.
    pub(super) fn take_offered<E>(
        &self,
        offered: &Offered,
        keep: impl FnMut(&[ContentBlock], Option<&MessageId>) -> Result<(), E>,
    ) -> Result<Option<Taken>, E> {
        let mut state = self.state();
        if !state.waiting.iter().any(|waiting| waiting.is(offered)) {
            return Ok(None);
        }
        let taken = offered.take(keep)?;
        state.remove(offered);
        if taken.is_some() {
            offered.note(SteerOutcome::Injected);
        }
        drop(state);
        offered.settle();
        Ok(taken)
    }

    /// Removes this message, which the turn does not take. Somebody else may have it.
    pub(super) fn decline(&self, offered: &Offered, outcome: Option<SteerOutcome>) {
        let mut state = self.state();
        if !state.remove(offered) {
            return;
        }
        outcome.into_iter().for_each(|outcome| offered.note(outcome));
        drop(state);
        offered.settle();
    }

    /// Waits until a message waits.
    pub(crate) async fn arrival(&self) {
        self.arrival_where(|_| true).await;
    }

    /// Waits until a message waits that was not offered yet.
    pub(super) async fn new_arrival(&self) {
        self.arrival_where(|waiting| !waiting.is_offered()).await;
    }

    async fn arrival_where(&self, counts: impl Fn(&Waiting) -> bool) {
        loop {
            let arrived = self.arrived.notified();
            tokio::pin!(arrived);
            arrived.as_mut().enable();
            if self.state().waiting.iter().any(&counts) {
                return;
            }
            arrived.await;
        }
    }

    /// Ends the queue with its turn. No message that still waits is taken any more.
    pub(crate) fn close(&self) {
        let mut state = self.state();
        state.is_closed = true;
        let rest = std::mem::take(&mut state.waiting);
        state.bytes = 0;
        drop(state);
        rest.iter().for_each(|waiting| waiting.offered().settle());
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing under this lock can leave the queue half-changed.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Removes a message. Returns false if it did not wait any more.
    fn remove(&mut self, message: &Offered) -> bool {
        let Some(at) = self.waiting.iter().position(|waiting| waiting.is(message)) else { return false };
        self.waiting.remove(at);
        if let Offered::Steer(message) = message {
            self.bytes = self.bytes.saturating_sub(message.bytes);
        }
        true
    }
}

impl Waiting {
    const fn is_offered(&self) -> bool {
        match self {
            Waiting::Steer { is_offered, .. } | Waiting::Prompt { is_offered, .. } => *is_offered,
        }
    }

    const fn set_offered(&mut self) {
        match self {
            Waiting::Steer { is_offered, .. } | Waiting::Prompt { is_offered, .. } => *is_offered = true,
        }
    }

    fn offered(&self) -> Offered {
        match self {
            Waiting::Steer { message, .. } => Offered::Steer(Arc::clone(message)),
            Waiting::Prompt { turn, .. } => Offered::Prompt(Arc::clone(turn)),
        }
    }

    fn is(&self, message: &Offered) -> bool {
        match (self, message) {
            (Waiting::Steer { message, .. }, Offered::Steer(of)) => Arc::ptr_eq(message, of),
            (Waiting::Prompt { turn, .. }, Offered::Prompt(of)) => Arc::ptr_eq(turn, of),
            _ => false,
        }
    }

    fn is_of(&self, of: &Arc<Ticket>) -> bool {
        matches!(self, Waiting::Steer { message, .. } if Arc::ptr_eq(&message.ticket, of))
    }
}

impl Offered {
    /// Returns the message as its sender has sent it.
    pub(super) fn message(&self) -> Taken {
        match self {
            Offered::Steer(message) => Taken::Steer(Arc::clone(&message.request)),
            Offered::Prompt(turn) => Taken::Prompt(Arc::clone(turn.request())),
        }
    }

    /// Takes the message, after `keep` has kept it. Returns `None` for a prompt that was cancelled.
    fn take<E>(
        &self,
        mut keep: impl FnMut(&[ContentBlock], Option<&MessageId>) -> Result<(), E>,
    ) -> Result<Option<Taken>, E> {
        match self {
            Offered::Steer(message) => {
                keep(&message.request.prompt, None)?;
                Ok(Some(self.message()))
            }
            Offered::Prompt(turn) => Ok(turn.join(keep)?.map(Taken::Prompt)),
        }
    }

    /// Notes that somebody has the message. The queue is locked, so a sender that withdraws the
    /// message knows it.
    fn note(&self, outcome: SteerOutcome) {
        if let Offered::Steer(message) = self {
            // A message leaves the queue once.
            let _ = message.ticket.outcome.set(outcome);
        }
    }

    /// Tells the sender that the message has left the queue.
    fn settle(&self) {
        if let Offered::Steer(message) = self {
            message.ticket.settled.cancel();
        }
    }

    /// Waits until the message does not wait any more.
    pub(super) async fn gone(&self) {
        match self {
            Offered::Steer(message) => message.ticket.settled.cancelled().await,
            Offered::Prompt(turn) => turn.answered.cancelled().await,
        }
    }
}

impl SteeringPlace {
    /// Waits until the message has left the queue. Returns its outcome if somebody has it.
    pub(crate) async fn settled(&self) -> Option<SteerOutcome> {
        self.ticket.settled.cancelled().await;
        self.outcome()
    }

    /// Takes the message back. Returns its outcome if it was too late for that.
    pub(crate) fn withdraw(&self) -> Option<SteerOutcome> {
        let mut state = self.queue.state();
        let own = state.waiting.iter().find(|waiting| waiting.is_of(&self.ticket)).map(Waiting::offered);
        let is_withdrawn = own.is_some_and(|own| state.remove(&own));
        drop(state);
        if is_withdrawn {
            self.ticket.settled.cancel();
        }
        self.outcome()
    }

    fn outcome(&self) -> Option<SteerOutcome> {
        self.ticket.outcome.get().cloned()
    }
}

impl Drop for SteeringPlace {
    fn drop(&mut self) {
        self.withdraw();
    }
}
