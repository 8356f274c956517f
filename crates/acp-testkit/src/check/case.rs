//! An active case: a rule, and a scenario that judges it.

use std::pin::Pin;

use super::subject::Step;

/// The scenario of a case. `S` is the side under check.
pub(super) type Scenario<S> = for<'a> fn(&'a mut S) -> Pin<Box<dyn Future<Output = Step> + Send + 'a>>;

/// A rule with a scenario that judges it.
pub(super) struct Case<S> {
    pub(super) rule: &'static str,
    /// The scenario in a few words.
    pub(super) title: &'static str,
    /// True if it needs a connection of its own.
    pub(super) fresh: bool,
    /// True if a side that closes the connection breaks the rule.
    pub(super) survives: bool,
    pub(super) scenario: Scenario<S>,
}

impl<S> Case<S> {
    pub(super) const fn new(rule: &'static str, title: &'static str, scenario: Scenario<S>) -> Self {
        Self { rule, title, fresh: false, survives: false, scenario }
    }

    /// Gives it a connection of its own.
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
        Case::new($rule, $title, |subject| Box::pin($scenario(subject)))
    };
}
pub(super) use case;
