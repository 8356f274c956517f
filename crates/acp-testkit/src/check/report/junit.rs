//! The report as JUnit XML, which most CI services show.

use std::fmt::Write;

use super::details::Details;
use super::xml::escaped;
use super::{Report, areas};
use crate::check::verdict::{Outcome, Verdict};

impl Report {
    /// Returns the report as JUnit XML: a suite for each area, a test for each rule.
    ///
    /// A broken rule that counts is a `failure`, one that could not be judged an `error`, and one
    /// that does not apply is `skipped`. A broken SHOULD rule counts with `strict` only; otherwise
    /// its test passes and has the warning as its output.
    #[must_use]
    pub fn to_junit(&self, strict: bool) -> String {
        let name = escaped(&format!("acp check agent: {}", self.command.join(" ")));
        let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        let _ = writeln!(xml, "<testsuites name=\"{name}\"{}>", counts(&self.outcomes, strict));
        for (area, outcomes) in areas(&self.outcomes) {
            let counts = counts(outcomes, strict);
            let _ = writeln!(xml, "  <testsuite name=\"{}\"{counts}>", escaped(area));
            outcomes.iter().for_each(|outcome| self.test(&mut xml, outcome, strict));
            xml.push_str("  </testsuite>\n");
        }
        xml.push_str("</testsuites>\n");
        xml
    }

    fn test(&self, xml: &mut String, outcome: &Outcome, strict: bool) {
        let rule = outcome.rule;
        let name = escaped(&format!("{} ({}): {}", rule.id, rule.strength, rule.text));
        let _ = write!(xml, "    <testcase classname=\"{}\" name=\"{name}\"", escaped(&rule.area));
        let said = |reason: &str| escaped(reason.lines().next().unwrap_or_default());
        let whole = || escaped(&Details(self, outcome).to_string());
        let _ = match &outcome.verdict {
            Verdict::Pass => writeln!(xml, "/>"),
            Verdict::NotApplicable(reason) => {
                writeln!(xml, "><skipped message=\"{}\"/></testcase>", said(reason))
            }
            Verdict::Inconclusive(reason) => writeln!(
                xml,
                "><error type=\"inconclusive\" message=\"{}\">{}</error></testcase>",
                said(reason),
                whole()
            ),
            Verdict::Fail(reason) if outcome.fails(strict) => writeln!(
                xml,
                "><failure type=\"{}\" message=\"{}\">{}</failure></testcase>",
                rule.strength,
                said(reason),
                whole()
            ),
            Verdict::Fail(_) => {
                writeln!(xml, "><system-out>{}</system-out></testcase>", whole())
            }
        };
    }
}

/// Returns the attributes that count tests.
fn counts(outcomes: &[Outcome], strict: bool) -> String {
    let number = |is: &dyn Fn(&Outcome) -> bool| outcomes.iter().filter(|outcome| is(outcome)).count();
    format!(
        " tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\"",
        outcomes.len(),
        number(&|outcome| outcome.fails(strict)),
        number(&|outcome| matches!(outcome.verdict, Verdict::Inconclusive(_))),
        number(&|outcome| matches!(outcome.verdict, Verdict::NotApplicable(_))),
    )
}
