//! Limits that a turn went beyond.

use std::fmt;
use std::time::Duration;

use acp_types::v1::Cost;

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
    /// The agent was silent for longer.
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
