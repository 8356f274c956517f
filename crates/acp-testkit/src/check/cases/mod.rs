//! The active cases: each does something to the agent and judges one rule by its answer.

mod auth;
mod cancel;
mod initialize;
mod lists;
mod permission;
mod prompt;
mod reopen;
mod rpc;
mod session;
mod settings;

use std::pin::Pin;

use super::tester::{Step, Tester};

type Scenario = for<'a> fn(&'a mut Tester) -> Pin<Box<dyn Future<Output = Step> + Send + 'a>>;

/// A rule with a scenario that judges it.
pub(super) struct Case {
    pub(super) rule: &'static str,
    /// The scenario in a few words.
    pub(super) title: &'static str,
    /// True if it needs a connection of its own.
    pub(super) fresh: bool,
    /// True if an agent that closes the connection breaks the rule.
    pub(super) survives: bool,
    pub(super) scenario: Scenario,
}

impl Case {
    const fn new(rule: &'static str, title: &'static str, scenario: Scenario) -> Self {
        Self { rule, title, fresh: false, survives: false, scenario }
    }

    /// Gives it a connection of its own.
    const fn fresh(mut self) -> Self {
        self.fresh = true;
        self
    }

    /// Makes the end of the connection a failure.
    const fn survives(mut self) -> Self {
        self.survives = true;
        self
    }
}

/// A row of a table of cases.
macro_rules! case {
    ($rule:literal, $title:literal, $scenario:path) => {
        Case::new($rule, $title, |tester| Box::pin($scenario(tester)))
    };
}
use case;

/// Returns all cases. Those that share a connection stand before the others.
pub(super) fn all() -> Vec<&'static Case> {
    let tables = [
        rpc::CASES,
        session::CASES,
        settings::CASES,
        lists::CASES,
        prompt::CASES,
        cancel::CASES,
        permission::CASES,
        reopen::CASES,
        initialize::CASES,
        auth::CASES,
    ];
    let mut cases: Vec<&Case> = tables.into_iter().flatten().collect();
    cases.sort_by_key(|case| case.fresh);
    cases
}
