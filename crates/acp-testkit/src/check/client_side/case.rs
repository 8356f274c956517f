//! An active case for clients: a rule, and a scenario that judges it.

use std::pin::Pin;

use super::stage::Stage;
use crate::check::tester::Step;

pub(super) type Scenario = for<'a> fn(&'a mut Stage) -> Pin<Box<dyn Future<Output = Step> + Send + 'a>>;

/// A rule with a scenario that judges it.
pub(super) struct Case {
    pub(super) rule: &'static str,
    /// The scenario in a few words.
    pub(super) title: &'static str,
    /// True if it needs a start of its own.
    pub(super) fresh: bool,
    /// True if a client that closes the connection breaks the rule.
    pub(super) survives: bool,
    pub(super) scenario: Scenario,
}

impl Case {
    pub(super) const fn new(rule: &'static str, title: &'static str, scenario: Scenario) -> Self {
        Self { rule, title, fresh: false, survives: false, scenario }
    }

    /// Gives it a start of its own.
    pub(super) const fn fresh(mut self) -> Self {
        self.fresh = true;
        self
    }

    /// Makes the end of the connection a failure.
    pub(super) const fn survives(mut self) -> Self {
        self.survives = true;
        self
    }
}

/// A row of a table of cases.
macro_rules! case {
    ($rule:literal, $title:literal, $scenario:path) => {
        Case::new($rule, $title, |stage| Box::pin($scenario(stage)))
    };
}
pub(super) use case;
