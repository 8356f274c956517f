//! Sums of what a session and its turn have used.

use super::Spent;
use crate::v1::{Cost, PromptResponse, UsageUpdate};

/// Tokens and costs of a session since it was opened here.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SessionUsage {
    /// The sums of the session. To a client, its costs come with updates, and its tokens with the
    /// ends of turns, and only with the feature `unstable`.
    pub session: Spent,
    /// The part of the turn that runs, or of the last one. If a reported sum of costs becomes
    /// smaller, the turn's costs count from there on. They also count from the first report of a
    /// currency in a session that was loaded, resumed or forked.
    pub turn: Spent,
    /// The tokens in the context.
    pub context_tokens: u64,
    /// The size of the context in tokens; 0 while it was not reported.
    pub context_size: u64,
}

/// The sums of one session as they grow, on either side.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UsageSums {
    now: SessionUsage,
    /// The session's sum when the turn began.
    before_turn: Spent,
    /// Set if the session was used before it was opened here. The first report of each currency
    /// then tells the costs of that time.
    taken_up: bool,
}

impl UsageSums {
    /// Returns the sums.
    #[must_use]
    pub const fn now(&self) -> &SessionUsage {
        &self.now
    }

    /// Notes that the session was used before it was opened here.
    pub fn take_up(&mut self) {
        self.taken_up = true;
    }

    /// Begins a turn: its sum is nothing.
    pub fn begin_turn(&mut self) {
        self.before_turn = self.now.session.clone();
        self.now.turn = Spent::default();
    }

    /// Adds tokens and costs.
    pub fn spend(&mut self, spent: &Spent) {
        self.now.session.add(spent);
        self.settle();
    }

    /// Takes an update. Its cost is the sum of the session.
    pub fn update(&mut self, update: &UsageUpdate) {
        (self.now.context_tokens, self.now.context_size) = (update.used, update.size);
        if let Some(cost) = &update.cost {
            self.set_cost(cost);
        }
        self.settle();
    }

    /// Takes the tokens of a response. They are the sum of the session. An agent that reports less
    /// than before counts each turn by itself, so its tokens are added.
    #[cfg(feature = "unstable")]
    pub fn end_turn(&mut self, response: &PromptResponse) {
        let Some(usage) = &response.usage else { return };
        let mut reported = Spent::from(usage);
        let session = &mut self.now.session;
        if reported.total_tokens >= session.total_tokens {
            reported.costs = std::mem::take(&mut session.costs);
            *session = reported;
        } else {
            session.add(&reported);
        }
        self.settle();
    }

    /// Takes nothing: only the unstable schema has tokens in a response.
    #[cfg(not(feature = "unstable"))]
    pub fn end_turn(&mut self, _: &PromptResponse) {}

    /// Returns the updates that report the session's costs: one for each currency, and one without
    /// a cost if there is none. There is none at all while the size of the context is not known,
    /// because an update must have it.
    #[must_use]
    pub fn updates(&self) -> Vec<UsageUpdate> {
        let SessionUsage { session, context_tokens, context_size, .. } = &self.now;
        if *context_size == 0 {
            return Vec::new();
        }
        let update = UsageUpdate::new(*context_tokens, *context_size);
        if session.costs.is_empty() {
            return vec![update];
        }
        let costs = session.costs.iter().map(|(currency, amount)| Cost::new(*amount, currency.as_str()));
        costs.map(|cost| update.clone().cost(cost)).collect()
    }

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
