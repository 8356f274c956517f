//! The scenarios and rules of a side in a version of the protocol.

use super::case::{Case, Scenario};
use super::passive::{self, Findings};
use super::subject::Recording;
use super::tester::Tester;
#[cfg(feature = "v2")]
use super::v2;
use super::version::Version;
use super::{cases, evidence};

/// The scenarios and rules of a side. There is one for agents of each version, and one for clients.
pub(super) struct Suite<S: 'static> {
    pub(super) version: Version,
    /// Comes before all scenarios. If it fails, no rule can be judged.
    pub(super) begin: Scenario<S>,
    /// The active cases. Those that share a connection stand before the others.
    pub(super) cases: Vec<&'static Case<S>>,
    /// The ids of the rules that are judged over every line.
    pub(super) passive: Vec<&'static str>,
    /// Judges every line of all recordings.
    pub(super) judge: fn(&[Recording]) -> Findings,
    /// Rules whose scenarios are played for the rules over every line, also if the rule itself is
    /// not asked for.
    pub(super) scenes: &'static [&'static str],
    /// Makes the side say what it can, for the rules over every line. It fails where scenarios
    /// have failed.
    pub(super) evidence: Scenario<S>,
}

impl<S> Suite<S> {
    /// Returns true if it judges a rule.
    pub(super) fn judges(&self, rule: &str) -> bool {
        self.passive.contains(&rule) || self.cases.iter().any(|case| case.rule == rule)
    }
}

/// Returns the cases of tables in the order in which they run.
pub(super) fn in_order<S>(cases: impl IntoIterator<Item = &'static Case<S>>) -> Vec<&'static Case<S>> {
    let mut cases: Vec<&Case<S>> = cases.into_iter().collect();
    cases.sort_by_key(|case| case.fresh);
    cases
}

/// Returns the suite of agents.
pub(super) fn of_agents(version: Version) -> Suite<Tester> {
    match version {
        Version::V1 => Suite {
            version,
            begin: |_| Box::pin(async { Ok(()) }),
            cases: in_order(cases::all()),
            passive: passive::rules(),
            judge: passive::judge,
            scenes: &[],
            evidence: |tester| Box::pin(evidence::gather(tester)),
        },
        #[cfg(feature = "v2")]
        Version::V2 => Suite {
            version,
            // An agent that does not speak this version says nothing about its rules.
            begin: |tester| Box::pin(super::subject::Subject::ready(tester)),
            cases: in_order(v2::cases()),
            passive: v2::passive_rules(),
            judge: v2::judge,
            scenes: &[],
            evidence: |tester| Box::pin(v2::evidence(tester)),
        },
    }
}
