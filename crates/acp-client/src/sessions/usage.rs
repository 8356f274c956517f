//! Tokens and costs of a session, as its agent reports them.

use std::sync::{Mutex, MutexGuard, PoisonError};

use acp_types::v1::ext::Spent;
use acp_types::v1::{Cost, PromptResponse, UsageUpdate};

/// Tokens and costs of a session, as its agent reports them.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SessionUsage {
    /// The sums of the session since it began. Its costs come with updates. Its tokens come with
    /// the ends of turns, and only with the feature `unstable`.
    pub session: Spent,
    /// The part of the turn that runs, or of the last one. If the agent's sum of costs becomes
    /// smaller, the turn's costs count from there on. They also count from the first report of a
    /// currency in a session that was loaded, resumed or forked.
    pub turn: Spent,
    /// The tokens in the context.
    pub context_tokens: u64,
    /// The size of the context in tokens; 0 while the agent has not reported it.
    pub context_size: u64,
}

/// The sums of one session.
#[derive(Debug, Default)]
pub(crate) struct UsageMeter {
    sums: Mutex<Sums>,
}

#[derive(Debug, Default)]
struct Sums {
    now: SessionUsage,
    /// The session's sum when the turn began.
    before_turn: Spent,
    /// Set if the session was used before it was opened here. The first report of each currency
    /// then tells the costs of that time.
    taken_up: bool,
}

impl UsageMeter {
    pub(crate) fn now(&self) -> SessionUsage {
        self.sums().now.clone()
    }

    /// Calls `read` with the sums.
    pub(crate) fn with<T>(&self, read: impl FnOnce(&SessionUsage) -> T) -> T {
        read(&self.sums().now)
    }

    /// Notes that the session was used before.
    pub(crate) fn take_up(&self) {
        self.sums().taken_up = true;
    }

    /// Begins a turn: its sum is nothing.
    pub(crate) fn begin_turn(&self) {
        let mut sums = self.sums();
        sums.before_turn = sums.now.session.clone();
        sums.now.turn = Spent::default();
    }

    /// Takes an update. Its cost is the sum of the session.
    pub(crate) fn update(&self, update: &UsageUpdate) {
        let mut sums = self.sums();
        (sums.now.context_tokens, sums.now.context_size) = (update.used, update.size);
        if let Some(cost) = &update.cost {
            sums.set_cost(cost);
        }
        sums.settle();
    }

    /// Takes the tokens of a response. They are the sum of the session. An agent that reports less
    /// than before counts each turn by itself, so its tokens are added.
    #[cfg(feature = "unstable")]
    pub(crate) fn end_turn(&self, response: &PromptResponse) {
        let Some(usage) = &response.usage else { return };
        let mut sums = self.sums();
        let mut reported = Spent::from(usage);
        let session = &mut sums.now.session;
        if reported.total_tokens >= session.total_tokens {
            reported.costs = std::mem::take(&mut session.costs);
            *session = reported;
        } else {
            session.add(&reported);
        }
        sums.settle();
    }

    /// Only the unstable schema has tokens in a response.
    #[cfg(not(feature = "unstable"))]
    pub(crate) fn end_turn(&self, _: &PromptResponse) {}

    fn sums(&self) -> MutexGuard<'_, Sums> {
        // Nothing but sums is made under this lock.
        self.sums.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sums {
    fn set_cost(&mut self, cost: &Cost) {
        let is_of_before = self.taken_up && !self.now.session.costs.contains_key(&cost.currency);
        // An agent that was started again may begin its sum anew.
        if is_of_before || cost.amount < self.before_turn.cost_in(&cost.currency) {
            self.before_turn.set_cost(cost);
        }
        self.now.session.set_cost(cost);
    }

    fn settle(&mut self) {
        self.now.turn = self.now.session.since(&self.before_turn);
    }
}
