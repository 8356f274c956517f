//! The evidence of an outcome: its rule, its scenario, the reason, and lines of the wire.

use std::fmt;

use super::Report;
use crate::check::verdict::{Outcome, Verdict};

/// An outcome of a report, which is written as the report for people writes a failure.
pub(super) struct Details<'a>(pub(super) &'a Report, pub(super) &'a Outcome);

impl fmt::Display for Details<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Details(report, outcome) = self;
        if let Verdict::Fail(reason) = &outcome.verdict {
            return report.failure(f, outcome, reason);
        }
        writeln!(f, "  scenario: {}", outcome.scenario)?;
        outcome.verdict.reason().iter().try_for_each(|reason| writeln!(f, "  {reason}"))?;
        outcome.lines.iter().try_for_each(|(number, line)| writeln!(f, "  {number:>5} {line}"))
    }
}
