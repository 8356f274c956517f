//! The rules that the checker judges, and those that it does not.

use std::fmt;

use crate::check::passive;
use crate::check::rules::Rule;
use crate::check::{cases, client_side};

/// The rules of version 1 that bind a side and show on the wire, with those that have a case.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Coverage {
    /// The rules that are judged.
    pub judged: Vec<&'static Rule>,
    /// The rules that have no case. [`Rule::unchecked`] has the reasons for agents, and
    /// [`Rule::unchecked_of_clients`] those for clients.
    pub missing: Vec<&'static Rule>,
    /// The number of active cases.
    pub cases: usize,
    of_clients: bool,
}

impl Coverage {
    /// Counts the cases of this version of the checker.
    #[must_use]
    pub fn of_agents() -> Self {
        let active = cases::all();
        let has = |rule: &&Rule| {
            passive::RULES.contains(&rule.id.as_str()) || active.iter().any(|case| case.rule == rule.id)
        };
        let judged = Rule::all().iter().filter(has).collect();
        let missing = Rule::all().iter().filter(|rule| rule.is_checkable() && !has(rule)).collect();
        Self { judged, missing, cases: active.len(), of_clients: false }
    }

    /// Counts the cases for clients.
    #[must_use]
    pub fn of_clients() -> Self {
        let (active, cases) = client_side::active();
        let has = |rule: &&Rule| {
            let id = rule.id.as_str();
            client_side::RULES.contains(&id) || active.contains(&id)
        };
        let judged = Rule::all().iter().filter(has).collect();
        let missing =
            Rule::all().iter().filter(|rule| rule.is_checkable_of_clients() && !has(rule)).collect();
        Self { judged, missing, cases, of_clients: true }
    }
}

/// Writes a table of areas, then the rules without a case.
impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = |rules: &[&Rule], area: &str| rules.iter().filter(|rule| rule.area == area).count();
        let mut areas: Vec<&str> = Rule::all().iter().map(|rule| rule.area.as_str()).collect();
        areas.dedup();
        writeln!(f, "{:<46} {:>6} {:>6}", "area", "judged", "of")?;
        for area in areas {
            let (judged, missing) = (of(&self.judged, area), of(&self.missing, area));
            if judged + missing > 0 {
                writeln!(f, "{area:<46} {judged:>6} {:>6}", judged + missing)?;
            }
        }
        let (judged, missing) = (self.judged.len(), self.missing.len());
        writeln!(f, "{:<46} {judged:>6} {:>6}", "all", judged + missing)?;
        writeln!(f, "\nwithout a case:")?;
        self.missing.iter().try_for_each(|rule| {
            let reason = if self.of_clients { &rule.unchecked_of_clients } else { &rule.unchecked };
            writeln!(f, "  {}: {}", rule.id, reason.as_deref().unwrap_or("there is no case yet"))
        })
    }
}
