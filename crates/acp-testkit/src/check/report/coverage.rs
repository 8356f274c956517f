//! The rules that the checker judges, and those that it does not.

use std::fmt;

use crate::check::client_side;
use crate::check::rules::Rule;
use crate::check::suite::{self, Suite};
use crate::check::version::Version;

/// The rules of a version that bind a side and show on the wire, with those that have a case.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Coverage {
    /// The rules that are judged.
    pub judged: Vec<&'static Rule>,
    /// The rules that have no case. [`Rule::unchecked`] has the reasons for agents, and
    /// [`Rule::unchecked_of_clients`] those for clients.
    pub missing: Vec<&'static Rule>,
    /// The rules of an earlier version that hold in this one, too, and are judged. They are not
    /// counted.
    pub earlier: Vec<&'static Rule>,
    /// The number of active cases.
    pub cases: usize,
    version: Version,
    of_clients: bool,
}

impl Coverage {
    /// Counts the cases of this version of the checker.
    #[must_use]
    pub fn of_agents(version: Version) -> Self {
        Self::of(&suite::of_agents(version), false, Rule::is_checkable)
    }

    /// Counts the cases for clients.
    #[must_use]
    pub fn of_clients(version: Version) -> Self {
        Self::of(&client_side::of_clients(version), true, Rule::is_checkable_of_clients)
    }

    fn of<S>(suite: &Suite<S>, of_clients: bool, is_checkable: fn(&Rule) -> bool) -> Self {
        let (version, cases) = (suite.version, suite.cases.len());
        let has = |rule: &&Rule| suite.judges(&rule.id);
        let (judged, earlier) = Rule::all().iter().filter(has).partition(|rule| rule.is_of(version));
        let is_missing = |rule: &&Rule| rule.is_of(version) && is_checkable(rule) && !has(rule);
        let missing = Rule::all().iter().filter(is_missing).collect();
        Self { judged, missing, earlier, cases, version, of_clients }
    }
}

/// Writes a table of areas, then the rules without a case.
impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = |rules: &[&Rule], area: &str| rules.iter().filter(|rule| rule.area == area).count();
        let of_version = Rule::all().iter().filter(|rule| rule.is_of(self.version));
        let mut areas: Vec<&str> = of_version.map(|rule| rule.area.as_str()).collect();
        areas.dedup();
        writeln!(f, "{:<50} {:>6} {:>6}", "area", "judged", "of")?;
        for area in areas {
            let (judged, missing) = (of(&self.judged, area), of(&self.missing, area));
            if judged + missing > 0 {
                writeln!(f, "{area:<50} {judged:>6} {:>6}", judged + missing)?;
            }
        }
        let (judged, missing) = (self.judged.len(), self.missing.len());
        writeln!(f, "{:<50} {judged:>6} {:>6}", "all", judged + missing)?;
        if !self.earlier.is_empty() {
            writeln!(f, "\nof an earlier version: {}", self.earlier.len())?;
        }
        writeln!(f, "\nwithout a case:")?;
        self.missing.iter().try_for_each(|rule| {
            let reason = if self.of_clients { &rule.unchecked_of_clients } else { &rule.unchecked };
            writeln!(f, "  {}: {}", rule.id, reason.as_deref().unwrap_or("there is no case yet"))
        })
    }
}
