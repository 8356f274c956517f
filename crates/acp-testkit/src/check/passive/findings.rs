//! The findings of the passive rules.

use std::collections::BTreeMap;

use acp_types::method::Side;

use super::conversation::Conversation;
use crate::check::subject::Recording;

/// The rules that are judged of either side.
pub(in crate::check) const EITHER: &[&str] = &[
    "v1-rpc-01",
    "v1-rpc-02",
    "v1-rpc-03",
    "v1-rpc-04",
    "v1-rpc-05",
    "v1-rpc-07",
    "v1-rpc-08",
    "v1-rpc-11",
    "v1-rpc-24",
    "v1-tr-03",
    "v1-cap-01",
    "v1-new-14",
    "v1-cont-01",
    "v1-cont-03",
    "v1-cont-04",
    "v1-cont-05",
    "v1-ext-01",
    "v1-ext-05",
    "v1-ext-08",
    "v1-cap-24",
    "v1-err-03",
];

/// The most breaches of a rule that are noted.
const MOST: usize = 100;

/// The places where a rule was looked at, and the first breaches of it.
#[derive(Debug, Default)]
pub(in crate::check) struct Finding {
    pub(in crate::check) seen: usize,
    pub(in crate::check) breaches: Vec<Breach>,
}

/// A line that breaks a rule.
#[derive(Debug)]
pub(in crate::check) struct Breach {
    pub(in crate::check) recording: usize,
    /// The positions of lines in the recording.
    pub(in crate::check) lines: Vec<usize>,
    pub(in crate::check) reason: String,
}

/// The findings by rule.
#[derive(Debug)]
pub(in crate::check) struct Findings {
    recording: usize,
    tables: [&'static [&'static str]; 2],
    renamed: &'static [(&'static str, &'static str)],
    rules: BTreeMap<&'static str, Finding>,
}

impl Findings {
    /// Judges every recording. The rules are those of these tables. `renamed` has rules that the
    /// judges name by another id.
    pub(in crate::check) fn of(
        recordings: &[Recording],
        side: Side,
        tables: [&'static [&'static str]; 2],
        renamed: &'static [(&'static str, &'static str)],
        judge: impl Fn(&Conversation<'_>, &mut Self),
    ) -> Self {
        let mut findings = Self { recording: 0, tables, renamed, rules: BTreeMap::new() };
        for (number, recording) in recordings.iter().enumerate() {
            findings.recording = number;
            judge(&Conversation::new(&recording.lines, side), &mut findings);
        }
        findings
    }

    /// Notes that a rule could be looked at in a line, and whether it holds.
    pub(in crate::check) fn check(
        &mut self,
        rule: &'static str,
        holds: bool,
        line: usize,
        reason: impl FnOnce() -> String,
    ) {
        self.check_lines(rule, holds, || vec![line], reason);
    }

    pub(in crate::check) fn check_lines(
        &mut self,
        rule: &'static str,
        holds: bool,
        lines: impl FnOnce() -> Vec<usize>,
        reason: impl FnOnce() -> String,
    ) {
        let rule = self.renamed.iter().find(|(old, _)| *old == rule).map_or(rule, |(_, new)| *new);
        debug_assert!(self.tables.iter().any(|table| table.contains(&rule)), "{rule} is not in a table");
        let recording = self.recording;
        let finding = self.rules.entry(rule).or_default();
        finding.seen += 1;
        if !holds && finding.breaches.len() < MOST {
            finding.breaches.push(Breach { recording, lines: lines(), reason: reason() });
        }
    }

    pub(in crate::check) fn take(&mut self, rule: &str) -> Finding {
        self.rules.remove(rule).unwrap_or_default()
    }

    /// Returns the breaches with the ids of their rules.
    pub(in crate::check) fn breaches(self) -> impl Iterator<Item = (&'static str, Breach)> {
        self.rules
            .into_iter()
            .flat_map(|(rule, finding)| finding.breaches.into_iter().map(move |breach| (rule, breach)))
    }
}
