//! The scenarios of the conformance tool, counted by revision.

use std::fmt::Write as _;

use super::baseline::Meaning;
use super::table::{plain, row};

/// A scenario of a revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Scenario {
    pub(super) revision: &'static str,
    pub(super) name: String,
    pub(super) is_required: bool,
}

/// The results of the scenarios of a revision.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) revision: &'static str,
    pub(super) passed: usize,
    pub(super) required_passed: usize,
    pub(super) required: usize,
    pub(super) checks: usize,
    /// By reason.
    pub(super) expected: Vec<(String, Vec<String>)>,
    pub(super) failed: Vec<String>,
}

impl Tally {
    pub(super) fn count(&mut self, scenario: &Scenario, meaning: &Meaning<'_>, checks: usize) {
        let name = scenario.name.clone();
        self.required += usize::from(scenario.is_required);
        match meaning {
            Meaning::Passed => {
                self.passed += 1;
                self.required_passed += usize::from(scenario.is_required);
                self.checks += checks;
            }
            Meaning::Failed => self.failed.push(format!("{name}: failed")),
            Meaning::PassesNow => self.failed.push(format!("{name}: passes, and is expected to fail")),
            Meaning::Expected(reason) => match self.expected.iter_mut().find(|(known, _)| known == reason) {
                Some((_, names)) => names.push(name),
                None => self.expected.push(((*reason).to_owned(), vec![name])),
            },
        }
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let expected: usize = self.expected.iter().map(|(_, names)| names.len()).sum();
        write!(
            f,
            "{}: {} ok with {} checks ({} of {} required), {expected} expected to fail, {} wrong",
            self.revision,
            self.passed,
            self.checks,
            self.required_passed,
            self.required,
            self.failed.len()
        )
    }
}

/// Writes the section of the page about the conformance tool of MCP.
pub(super) fn section(tallies: &[Tally]) -> String {
    let mut text = "\
The client scenarios of `@modelcontextprotocol/conformance`, with a program built on acp-mcp:
`cargo xtask interop conformance`. A scenario passes if all of its checks pass. The *required* scenarios are those that a
revision of MCP had when it was released.\n\n"
        .to_owned();
    row(
        &mut text,
        "revision",
        ["required, passed", "all, passed", "their checks"].map(str::to_owned).into_iter(),
    );
    row(&mut text, "---", ["---", "---", "---"].map(str::to_owned).into_iter());
    for tally in tallies {
        let all = tally.passed
            + tally.failed.len()
            + tally.expected.iter().map(|(_, names)| names.len()).sum::<usize>();
        let cells = [
            format!("{} of {}", tally.required_passed, tally.required),
            format!("{} of {all}", tally.passed),
            tally.checks.to_string(),
        ];
        row(&mut text, tally.revision, cells.into_iter());
    }
    for tally in tallies {
        for (reason, names) in &tally.expected {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            let _ = write!(text, "\n{}, {}: {}.\n", tally.revision, plain(reason), names.join(", "));
        }
        for failed in &tally.failed {
            let _ = write!(text, "\n{}, **failed**: {}.\n", tally.revision, plain(failed));
        }
    }
    text
}
