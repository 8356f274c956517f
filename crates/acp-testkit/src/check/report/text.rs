//! The report for people.

use std::fmt;

use super::{Report, count};
use crate::check::rules::Strength;
use crate::check::verdict::{Outcome, Verdict};

/// Writes a summary of each area, then each failure with its lines, then what could not be judged.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<50} {:>5} {:>5} {:>5} {:>5}", "area", "pass", "fail", "n/a", "open")?;
        let mut areas: Vec<&str> = self.outcomes.iter().map(|outcome| outcome.rule.area.as_str()).collect();
        areas.dedup();
        for area in areas {
            let of_area = self.outcomes.iter().filter(|outcome| outcome.rule.area == area);
            row(f, area, count(of_area))?;
        }
        row(f, "all", self.counts())?;
        for outcome in &self.outcomes {
            if let Verdict::Fail(reason) = &outcome.verdict {
                self.failure(f, outcome, reason)?;
            }
        }
        if let Some(reason) = &self.unreached {
            // It is the reason of all that are open.
            let verb = if self.side == "client" { "sent" } else { "answered" };
            let never = format!("the {} has never {verb} `initialize`", self.side);
            return writeln!(f, "\n{never}, so rules are open: {reason}");
        }
        for outcome in &self.outcomes {
            if let Verdict::Inconclusive(reason) = &outcome.verdict {
                writeln!(f, "\nopen {}: {}\n  {reason}", outcome.rule.id, outcome.scenario)?;
            }
        }
        Ok(())
    }
}

fn row(
    f: &mut fmt::Formatter<'_>,
    area: &str,
    [pass, fail, not_applicable, open]: [usize; 4],
) -> fmt::Result {
    writeln!(f, "{area:<50} {pass:>5} {fail:>5} {not_applicable:>5} {open:>5}")
}

impl Report {
    /// Writes a failure with its rule, its lines and the command that repeats it.
    pub(super) fn failure(&self, f: &mut fmt::Formatter<'_>, outcome: &Outcome, reason: &str) -> fmt::Result {
        let rule = outcome.rule;
        let word = if rule.strength == Strength::Should { "warning" } else { "failure" };
        writeln!(f, "\n{word} {} ({}): {}", rule.id, rule.strength, rule.text)?;
        writeln!(f, "  scenario: {}", outcome.scenario)?;
        writeln!(f, "  {reason}")?;
        for (number, line) in &outcome.lines {
            writeln!(f, "  {number:>5} {line}")?;
        }
        if self.again.is_empty() {
            return Ok(());
        }
        writeln!(f, "  again: acp check {} --rule {} {}", self.side, rule.id, shell(&self.again))
    }
}

/// Writes words so that a shell reads them as they are.
pub(in crate::check) fn shell<'a>(words: impl IntoIterator<Item = &'a String>) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./=:@,+%".contains(&byte);
    let quoted = |word: &String| {
        if !word.is_empty() && word.bytes().all(plain) {
            word.clone()
        } else {
            format!("'{}'", word.replace('\'', r"'\''"))
        }
    };
    words.into_iter().map(quoted).collect::<Vec<_>>().join(" ")
}
