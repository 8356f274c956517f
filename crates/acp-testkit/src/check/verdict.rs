//! The outcome of a scenario, and of a rule.

use std::fmt;

use super::rules::{Rule, Strength};
use crate::peer::{Fault, Line};

/// The outcome of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// The agent kept it wherever it could be seen.
    Pass,
    /// The agent broke it.
    Fail(String),
    /// It does not apply to this agent, for this reason.
    NotApplicable(String),
    /// It could not be judged, for this reason.
    Inconclusive(String),
}

impl Verdict {
    /// Returns its name in reports: `pass`, `fail`, `not-applicable`, `inconclusive`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Verdict::Pass => "pass",
            Verdict::Fail(_) => "fail",
            Verdict::NotApplicable(_) => "not-applicable",
            Verdict::Inconclusive(_) => "inconclusive",
        }
    }

    /// Returns the reason, which all but a pass have.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        match self {
            Verdict::Pass => None,
            Verdict::Fail(reason) | Verdict::NotApplicable(reason) | Verdict::Inconclusive(reason) => {
                Some(reason)
            }
        }
    }

    /// The verdict that counts if a rule has several.
    const fn weight(&self) -> u8 {
        match self {
            Verdict::Fail(_) => 3,
            Verdict::Inconclusive(_) => 2,
            Verdict::Pass => 1,
            Verdict::NotApplicable(_) => 0,
        }
    }
}

/// The outcome of one rule.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Outcome {
    /// The rule.
    pub rule: &'static Rule,
    /// The verdict.
    pub verdict: Verdict,
    /// The scenario that gave it.
    pub scenario: String,
    /// The lines of the wire that show a failure, with their numbers in the connection, from 1.
    pub lines: Vec<(usize, Line)>,
}

impl Outcome {
    /// Puts another outcome of the same rule in this one's place, if that counts more.
    pub(super) fn merge(&mut self, other: Self) {
        if other.verdict.weight() > self.verdict.weight() {
            *self = other;
        }
    }

    /// Returns true if it decides that an agent does not pass.
    pub(super) fn fails(&self, strict: bool) -> bool {
        matches!(self.verdict, Verdict::Fail(_)) && (strict || self.rule.strength != Strength::Should)
    }
}

/// The reason why a scenario ends before its end.
#[derive(Debug)]
pub(super) enum Stop {
    Fail(String),
    NotApplicable(String),
    Inconclusive(String),
    /// An expected answer did not come.
    Silent(String),
    /// The agent has closed the connection, or it broke.
    Gone(String),
}

impl Stop {
    pub(super) fn reason(self) -> String {
        match self {
            Stop::Fail(reason)
            | Stop::NotApplicable(reason)
            | Stop::Inconclusive(reason)
            | Stop::Silent(reason)
            | Stop::Gone(reason) => reason,
        }
    }
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        use crate::peer::FaultKind as Kind;
        match fault.kind {
            Kind::Silent { expected, patience } => {
                Stop::Silent(format!("nothing came for {patience:?}: expected {expected}"))
            }
            Kind::Unexpected { expected, .. } => Stop::Fail(format!("expected {expected}")),
            Kind::NotJson { .. } => Stop::Fail("a line is not JSON".to_owned()),
            kind => Stop::Gone(kind.to_string()),
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        self.reason().map_or(Ok(()), |reason| write!(f, ": {reason}"))
    }
}
