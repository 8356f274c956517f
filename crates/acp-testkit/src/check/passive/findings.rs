//! The findings of the passive rules.

use std::collections::BTreeMap;

/// The rules that are judged here.
pub(in crate::check) const RULES: &[&str] = &[
    "v1-rpc-01",
    "v1-rpc-02",
    "v1-rpc-03",
    "v1-rpc-04",
    "v1-rpc-05",
    "v1-rpc-07",
    "v1-rpc-08",
    "v1-rpc-11",
    "v1-rpc-24",
    "v1-rpc-25",
    "v1-tr-03",
    "v1-tr-04",
    "v1-cap-01",
    "v1-cap-11",
    "v1-cap-12",
    "v1-cap-13",
    "v1-cap-18",
    "v1-cap-19",
    "v1-cap-20",
    "v1-cap-21",
    "v1-cap-22",
    "v1-auth-17",
    "v1-new-14",
    "v1-list-12",
    "v1-info-02",
    "v1-mode-04",
    "v1-cfg-03",
    "v1-cfg-04",
    "v1-cfg-08",
    "v1-cfg-12",
    "v1-cfg-16",
    "v1-turn-02",
    "v1-turn-04",
    "v1-turn-07",
    "v1-cancel-08",
    "v1-perm-02",
    "v1-perm-06",
    "v1-cont-01",
    "v1-cont-03",
    "v1-cont-04",
    "v1-cont-05",
    "v1-tool-01",
    "v1-tool-02",
    "v1-tool-03",
    "v1-tool-06",
    "v1-tool-07",
    "v1-tool-08",
    "v1-tool-09",
    "v1-tool-10",
    "v1-tool-12",
    "v1-plan-02",
    "v1-plan-06",
    "v1-plan-07",
    "v1-fs-01",
    "v1-fs-03",
    "v1-fs-07",
    "v1-term-02",
    "v1-term-12",
    "v1-eli-01",
    "v1-eli-03",
    "v1-eli-04",
    "v1-eli-06",
    "v1-eli-19",
    "v1-cmd-02",
    "v1-not-01",
    "v1-cmp-01",
    "v1-cmp-04",
    "v1-cmp-05",
    "v1-ext-01",
    "v1-ext-05",
    "v1-ext-08",
    "v1-cap-24",
    "v1-tool-05",
    "v1-eli-18",
    "v1-err-03",
    "v1-err-04",
];

/// The places where a rule was looked at, and the first breach of it.
#[derive(Debug, Default)]
pub(in crate::check) struct Finding {
    pub(in crate::check) seen: usize,
    pub(in crate::check) breach: Option<Breach>,
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
    /// Makes findings of the rules of these tables. `renamed` has rules that the judges name by
    /// another id.
    pub(in crate::check) const fn new(
        tables: [&'static [&'static str]; 2],
        renamed: &'static [(&'static str, &'static str)],
    ) -> Self {
        Self { recording: 0, tables, renamed, rules: BTreeMap::new() }
    }

    /// Begins a recording.
    pub(in crate::check) const fn begin(&mut self, recording: usize) {
        self.recording = recording;
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
        if !holds && finding.breach.is_none() {
            finding.breach = Some(Breach { recording, lines: lines(), reason: reason() });
        }
    }

    pub(in crate::check) fn take(&mut self, rule: &str) -> Finding {
        self.rules.remove(rule).unwrap_or_default()
    }
}
