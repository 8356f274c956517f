//! Rules whose verdicts differ between runs of one check.

use std::fmt;

use super::Report;
use crate::check::rules::Rule;
use crate::check::verdict::Verdict;

/// A rule whose verdicts differ between runs of one check.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unsteady {
    /// The rule.
    pub rule: &'static Rule,
    /// Each verdict with the number of runs that had it, in the order in which they came. The
    /// reason is that of the first such run.
    pub verdicts: Vec<(Verdict, usize)>,
}

impl Unsteady {
    /// Finds the rules whose verdicts differ, in the order of the rule book. Reasons may differ: an
    /// agent can name other ids in each run.
    #[must_use]
    pub fn among(runs: &[Report]) -> Vec<Self> {
        let mut rules: Vec<Self> = Vec::new();
        for outcome in runs.iter().flat_map(Report::outcomes) {
            let place = match rules.iter().position(|seen| seen.rule.id == outcome.rule.id) {
                Some(place) => place,
                None => {
                    rules.push(Self { rule: outcome.rule, verdicts: Vec::new() });
                    rules.len() - 1
                }
            };
            let Some(seen) = rules.get_mut(place) else { continue };
            match seen.verdicts.iter_mut().find(|(verdict, _)| verdict.name() == outcome.verdict.name()) {
                Some((_, count)) => *count += 1,
                None => seen.verdicts.push((outcome.verdict.clone(), 1)),
            }
        }
        rules.retain(|seen| seen.verdicts.len() > 1);
        rules.sort_by_key(|seen| Rule::all().iter().position(|rule| rule.id == seen.rule.id));
        rules
    }
}

/// Writes a line for the rule, and one for each verdict.
impl fmt::Display for Unsteady {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unsteady {}: {}", self.rule.id, self.rule.text)?;
        let runs: usize = self.verdicts.iter().map(|(_, count)| count).sum();
        self.verdicts
            .iter()
            .try_for_each(|(verdict, count)| write!(f, "\n  {count} of {runs} runs: {verdict}"))
    }
}
