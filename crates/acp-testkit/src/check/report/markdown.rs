//! The report as Markdown, for the summary page of a CI service or a comment.

use std::fmt::Write;

use super::details::Details;
use super::{Report, areas, count};
use crate::check::rules::Strength;
use crate::check::verdict::{Outcome, Verdict};

impl Report {
    /// Returns the report as Markdown: a table of areas, then each failure with its lines, then the
    /// rules that could not be judged. Text of the agent stands in code blocks only.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        let mut page = String::from("# acp check agent\n");
        if !self.command.is_empty() {
            page.push_str(&block("sh", &self.command.join(" ")));
        }
        page.push_str("\n| area | pass | fail | n/a | open |\n| --- | ---: | ---: | ---: | ---: |\n");
        for (area, outcomes) in areas(&self.outcomes) {
            row(&mut page, &cell(area), count(outcomes.iter()));
        }
        row(&mut page, "**all**", self.counts());
        for outcome in &self.outcomes {
            let word = match (&outcome.verdict, outcome.rule.strength) {
                (Verdict::Fail(_), Strength::Should) => "Warning",
                (Verdict::Fail(_), _) => "Failure",
                (Verdict::Inconclusive(_), _) => "Open",
                (Verdict::Pass | Verdict::NotApplicable(_), _) => continue,
            };
            section(&mut page, word, outcome, &Details(self, outcome));
        }
        page
    }
}

fn section(page: &mut String, word: &str, outcome: &Outcome, details: &Details<'_>) {
    let rule = outcome.rule;
    let _ = write!(page, "\n## {word}: {} ({})\n\n{}\n", rule.id, rule.strength, rule.text);
    page.push_str(&block("text", &details.to_string()));
}

fn row(page: &mut String, area: &str, [pass, fail, not_applicable, open]: [usize; 4]) {
    let _ = writeln!(page, "| {area} | {pass} | {fail} | {not_applicable} | {open} |");
}

/// Writes a text so that it stays in its cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// Writes a code block that its text cannot end.
fn block(language: &str, text: &str) -> String {
    let longest = text.split(|char| char != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    let shown = |char: char| if char.is_control() && char != '\n' { '\u{fffd}' } else { char };
    let text: String = text.chars().map(shown).collect();
    format!("\n{fence}{language}\n{}\n{fence}\n", text.trim_matches('\n'))
}
