//! The turns of a session: the running one, and those that wait for it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use acp_rpc::{CancellationToken, Error as RpcError};
use acp_types::v1::SessionId;
use acp_types::v1::ext::SteerRequest;

use crate::turn::TurnScope;
use crate::turn::steering_queue::{QueueFull, SteeringPlace};

/// The number of prompts of a session that can wait for its turn, if the agent has
/// [`Profile::queue_prompts`](crate::Profile::queue_prompts). One more is refused. Their bytes are
/// limited together with other requests, by
/// [`Options::in_flight_budget`](crate::Options::in_flight_budget).
pub const PROMPT_QUEUE: usize = 16;

/// The turns of one session, in the order in which they run.
pub(crate) struct Turns {
    state: Mutex<State>,
}

struct State {
    /// Set while the answer that opens the session is on its way, and fires when that stands in the
    /// output buffer. Until then no turn starts.
    opening: Option<CancellationToken>,
    /// The turn whose answer is the next one. It stays until that answer stands in the output
    /// buffer, so that nothing of another turn can leave before it.
    running: Option<Arc<TurnScope>>,
    waiting: VecDeque<Arc<TurnScope>>,
}

impl Turns {
    /// Creates the turns of a session that is being opened. They wait for [`opened`](Self::opened).
    pub(crate) fn opening() -> Self {
        let opening = Some(CancellationToken::new());
        Turns { state: Mutex::new(State { opening, running: None, waiting: VecDeque::new() }) }
    }

    /// Starts the first turn: the answer that opens the session stands in the output buffer.
    pub(crate) fn opened(&self) {
        let mut state = self.state();
        if let Some(opening) = state.opening.take() {
            state.next();
            opening.cancel();
        }
    }

    /// Starts a turn if none runs. Otherwise lets it wait if it `may_wait`. Returns whether it
    /// waits.
    pub(crate) fn begin(
        &self,
        session: &SessionId,
        turn: &Arc<TurnScope>,
        may_wait: bool,
    ) -> Result<bool, RpcError> {
        let mut state = self.state();
        if state.running.is_none() && state.opening.is_none() {
            state.running = Some(Arc::clone(turn));
            return Ok(false);
        }
        // The client may already have the answer that is only being noted here.
        let is_answered = state.running.as_ref().is_none_or(|running| running.is_over());
        if !(may_wait || is_answered && state.waiting.is_empty()) {
            return Err(busy(session));
        }
        if state.waiting.len() == PROMPT_QUEUE {
            return Err(RpcError::invalid_request(format!(
                "{PROMPT_QUEUE} prompts of session `{session}` wait already: wait for an answer, or cancel some",
            )));
        }
        state.waiting.push_back(Arc::clone(turn));
        Ok(true)
    }

    /// Lets the turn that runs take the message of this one, if this one waits. Its request is
    /// known by now, so that it can be answered.
    pub(crate) fn admitted(&self, turn: &Arc<TurnScope>) {
        let state = self.state();
        if let Some(running) = state.running.as_ref().filter(|running| !Arc::ptr_eq(running, turn)) {
            TurnScope::offer(turn, running);
        }
    }

    /// Returns the token that fires when it is time to look again; `None` if the turn may run.
    pub(crate) fn ahead_of(&self, turn: &Arc<TurnScope>) -> Option<CancellationToken> {
        let state = self.state();
        if let Some(opening) = &state.opening {
            return Some(opening.clone());
        }
        let running = state.running.as_ref()?;
        (!Arc::ptr_eq(running, turn)).then(|| running.answered.clone())
    }

    /// Ends a turn: from here on no cancel reaches it and it sends nothing. Returns whether it was
    /// cancelled.
    pub(crate) fn end(&self, turn: &TurnScope) -> bool {
        // Under the lock, so that a cancel comes before it or finds it over.
        let _state = self.state();
        turn.close();
        turn.cancel.is_asked_for()
    }

    /// Makes room for the next turn. The answer of this one stands in the output buffer, or it has
    /// none.
    pub(crate) fn release(&self, turn: &Arc<TurnScope>) {
        let mut state = self.state();
        if state.running.as_ref().is_some_and(|running| Arc::ptr_eq(running, turn)) {
            state.next();
        } else {
            state.waiting.retain(|waiting| !Arc::ptr_eq(waiting, turn));
            if let Some(running) = &state.running {
                running.steering().forget(turn);
            }
        }
        turn.answered.cancel();
    }

    /// Cancels the running turn and those that wait.
    pub(crate) fn cancel(&self) {
        let state = self.state();
        for turn in state.running.iter().chain(&state.waiting).filter(|turn| !turn.is_over()) {
            turn.cancel.fire();
        }
    }

    /// Gives a message of so many bytes to the first turn that has not ended and is not cancelled.
    /// Returns `None` without such a turn.
    pub(crate) fn steer(
        &self,
        request: Arc<SteerRequest>,
        bytes: usize,
    ) -> Result<Option<SteeringPlace>, QueueFull> {
        // Under the lock, so that the turn cannot end in between.
        let state = self.state();
        let mut turns = state.running.iter().chain(&state.waiting);
        match turns.find(|turn| !turn.is_over() && !turn.cancel.has_fired()) {
            Some(turn) => turn.steering().push(request, bytes),
            None => Ok(None),
        }
    }

    /// Returns the tokens that fire when the present turns have been answered.
    pub(crate) fn answered(&self) -> Vec<CancellationToken> {
        let state = self.state();
        state.running.iter().chain(&state.waiting).map(|turn| turn.answered.clone()).collect()
    }

    /// Returns whether a turn runs or waits. A turn that has ended does not, even if its answer is
    /// still on its way.
    pub(crate) fn is_busy(&self) -> bool {
        let state = self.state();
        state.running.iter().chain(&state.waiting).any(|turn| !turn.is_over())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing under this lock can leave the queue half-changed.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Starts the next turn, which can take the messages of those behind it.
    fn next(&mut self) {
        // A turn that has joined another does not run.
        self.waiting.retain(|turn| !turn.flow().has_joined());
        self.running = self.waiting.pop_front();
        if let Some(running) = &self.running {
            self.waiting.iter().for_each(|turn| TurnScope::offer(turn, running));
        }
    }
}

/// Returns `-32600`: the session's turn has not been answered yet.
pub(crate) fn busy(session: &SessionId) -> RpcError {
    RpcError::invalid_request(format!(
        "session `{session}` is in the middle of a turn: wait for its answer, or cancel it and wait",
    ))
}
