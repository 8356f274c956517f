//! Limits of what a turn may use.

use std::fmt;
use std::time::Duration;

use super::SessionUsage;
use crate::v1::Cost;

/// Limits of what a turn may use. A turn that goes beyond one of them is stopped.
///
/// ```
/// use acp_types::v1::ext::TurnLimits;
///
/// let limits = TurnLimits::new().cost(0.50, "USD").session_cost(20.0, "USD");
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TurnLimits {
    cost: Option<Cost>,
    session_cost: Option<Cost>,
    tokens: Option<u64>,
}

impl TurnLimits {
    /// Sets no limits.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Stops a turn that costs more than this. Costs in another currency do not count.
    #[must_use]
    pub fn cost(mut self, amount: f64, currency: impl Into<String>) -> Self {
        self.cost = Some(Cost::new(amount, currency));
        self
    }

    /// Stops a turn when the session as a whole has cost more than this. Later prompts are refused.
    #[must_use]
    pub fn session_cost(mut self, amount: f64, currency: impl Into<String>) -> Self {
        self.session_cost = Some(Cost::new(amount, currency));
        self
    }

    /// Stops a turn when the session has used more tokens than this, or has more of them in its
    /// context. Later prompts are refused.
    #[must_use]
    pub const fn tokens(mut self, tokens: u64) -> Self {
        self.tokens = Some(tokens);
        self
    }

    /// Returns the limit that this usage is beyond.
    #[must_use]
    pub fn exceeded(&self, usage: &SessionUsage) -> Option<Limit> {
        let cost = self.cost.as_ref().filter(|limit| usage.turn.cost_in(&limit.currency) > limit.amount);
        cost.cloned().map(Limit::Cost).or_else(|| self.exceeded_by_session(usage))
    }

    /// Returns the limit that the session is beyond, whatever its next turn uses.
    #[must_use]
    pub fn exceeded_by_session(&self, usage: &SessionUsage) -> Option<Limit> {
        if let Some(limit) = &self.session_cost
            && usage.session.cost_in(&limit.currency) > limit.amount
        {
            return Some(Limit::SessionCost(limit.clone()));
        }
        let used = usage.session.total_tokens.max(usage.context_tokens);
        self.tokens.filter(|limit| used > *limit).map(Limit::Tokens)
    }
}

/// The limit that a turn went beyond.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Limit {
    /// The turn has cost more.
    Cost(Cost),
    /// The session has cost more.
    SessionCost(Cost),
    /// The session has used more tokens.
    Tokens(u64),
    /// The agent was silent for longer. Only a client has this limit.
    Silence(Duration),
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cost(limit) => write!(f, "the turn costs more than {} {}", limit.amount, limit.currency),
            Self::SessionCost(limit) => {
                write!(f, "the session costs more than {} {}", limit.amount, limit.currency)
            }
            Self::Tokens(limit) => write!(f, "the session uses more than {limit} tokens"),
            Self::Silence(limit) => write!(f, "the agent was silent for {limit:?}"),
        }
    }
}
