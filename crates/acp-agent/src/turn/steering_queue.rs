//! The messages of the user that wait for a turn to take them.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use acp_rpc::CancellationToken;
use acp_types::v1::ext::SteerRequest;
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
    Steer { request: Arc<SteerRequest>, bytes: usize, ticket: Arc<Ticket> },
    /// A prompt. It gets a turn of its own if nobody takes it.
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
    is_taken: AtomicBool,
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
        state.waiting.push_back(Waiting::Steer { request, bytes, ticket: Arc::clone(&ticket) });
        drop(state);
        self.arrived.notify_waiters();
        Ok(Some(SteeringPlace { queue: Arc::clone(self), ticket }))
    }

    /// Adds a prompt that waits for the turn. Its bytes are limited together with other requests.
    pub(super) fn push_prompt(&self, turn: &Arc<TurnScope>) {
        let mut state = self.state();
        if !state.is_closed {
            state.waiting.push_back(Waiting::Prompt(Arc::clone(turn)));
            drop(state);
            self.arrived.notify_waiters();
        }
    }

    /// Forgets a prompt that does not wait any more.
    pub(crate) fn forget(&self, turn: &Arc<TurnScope>) {
        let is_of = |waiting: &Waiting| matches!(waiting, Waiting::Prompt(of) if Arc::ptr_eq(of, turn));
        self.state().waiting.retain(|waiting| !is_of(waiting));
    }

    /// Takes the next message, after `keep` has kept it. A message that cannot be kept stays.
    pub(super) fn take<E>(
        &self,
        mut keep: impl FnMut(&[ContentBlock], Option<&MessageId>) -> Result<(), E>,
    ) -> Result<Option<Taken>, E> {
        let mut state = self.state();
        loop {
            let taken = match state.waiting.front() {
                None => return Ok(None),
                Some(Waiting::Steer { request, .. }) => {
                    keep(&request.prompt, None)?;
                    Some(Taken::Steer(Arc::clone(request)))
                }
                Some(Waiting::Prompt(turn)) => turn.join(&mut keep)?.map(Taken::Prompt),
            };
            let left = state.pop();
            let Some(taken) = taken else { continue };
            if let Some(Waiting::Steer { ticket, .. }) = &left {
                ticket.is_taken.store(true, Ordering::Release);
            }
            drop(state);
            left.iter().for_each(Waiting::settle);
            return Ok(Some(taken));
        }
    }

    /// Waits until a message waits.
    pub(crate) async fn arrival(&self) {
        loop {
            let arrived = self.arrived.notified();
            tokio::pin!(arrived);
            arrived.as_mut().enable();
            if !self.state().waiting.is_empty() {
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
        rest.iter().for_each(Waiting::settle);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing under this lock can leave the queue half-changed.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn pop(&mut self) -> Option<Waiting> {
        let next = self.waiting.pop_front()?;
        self.bytes = self.bytes.saturating_sub(next.bytes());
        Some(next)
    }
}

impl Waiting {
    fn bytes(&self) -> usize {
        match self {
            Waiting::Steer { bytes, .. } => *bytes,
            Waiting::Prompt(_) => 0,
        }
    }

    fn is_of(&self, of: &Arc<Ticket>) -> bool {
        matches!(self, Waiting::Steer { ticket, .. } if Arc::ptr_eq(ticket, of))
    }

    /// Tells the sender that the message has left the queue.
    fn settle(&self) {
        if let Waiting::Steer { ticket, .. } = self {
            ticket.settled.cancel();
        }
    }
}

impl SteeringPlace {
    /// Waits until the message has left the queue. Returns true if the turn has taken it.
    pub(crate) async fn settled(&self) -> bool {
        self.ticket.settled.cancelled().await;
        self.is_taken()
    }

    /// Takes the message back. Returns true if it was too late for that: the turn has taken it.
    pub(crate) fn withdraw(&self) -> bool {
        let mut state = self.queue.state();
        let at = state.waiting.iter().position(|waiting| waiting.is_of(&self.ticket));
        if let Some(withdrawn) = at.and_then(|at| state.waiting.remove(at)) {
            state.bytes = state.bytes.saturating_sub(withdrawn.bytes());
        }
        drop(state);
        self.is_taken()
    }

    fn is_taken(&self) -> bool {
        self.ticket.is_taken.load(Ordering::Acquire)
    }
}

impl Drop for SteeringPlace {
    fn drop(&mut self) {
        self.withdraw();
    }
}
