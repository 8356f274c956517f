//! Failures that are expected.

use super::Report;
use crate::check::verdict::Verdict;

/// The list of rules that an agent is known to break: an id a line, `#` before a comment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    ids: Vec<String>,
}

impl Baseline {
    /// Reads a list.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
        Self { ids: lines.filter(|line| !line.is_empty()).map(str::to_owned).collect() }
    }

    /// Returns the list of a report's failures, to be written to a file.
    #[must_use]
    pub fn of(report: &Report) -> String {
        let fails = report.outcomes.iter().filter(|outcome| matches!(outcome.verdict, Verdict::Fail(_)));
        fails.map(|outcome| format!("{}\n", outcome.rule.id)).collect()
    }

    /// Takes the expected failures out of a report. Returns the ids of rules that were expected to
    /// fail and pass, which is an error: they are to be struck off the list.
    #[must_use]
    pub fn apply(&self, report: &mut Report) -> Vec<String> {
        let passes =
            |id: &&String| report.outcome(id).is_some_and(|outcome| outcome.verdict == Verdict::Pass);
        let passed = self.ids.iter().filter(passes).cloned().collect();
        let expected =
            |id: &String, verdict: &Verdict| self.ids.contains(id) && matches!(verdict, Verdict::Fail(_));
        report.outcomes.retain(|outcome| !expected(&outcome.rule.id, &outcome.verdict));
        passed
    }
}
