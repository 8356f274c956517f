//! Results of decoding a folder of recordings.

use std::collections::BTreeMap;
use std::fmt;

/// The result of decoding a folder of recordings. Its `Display` is the report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    files: Vec<(String, Counts)>,
    unreadable: Vec<Unreadable>,
    findings: BTreeMap<(Finding, String), usize>,
}

/// The contents of a recording, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// Recorded lines.
    pub lines: usize,
    /// Requests of the protocol that were read.
    pub requests: usize,
    /// Notifications of the protocol that were read.
    pub notifications: usize,
    /// Results that were read by the type of their request.
    pub results: usize,
    /// Error responses that were read.
    pub errors: usize,
    /// Messages of methods that the protocol does not have, and their results.
    pub extensions: usize,
    /// Messages that could not be read.
    pub unreadable: usize,
}

/// A message that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unreadable {
    /// The recording and the line in it, from 1, as `file:line`.
    pub place: String,
    /// The part of the message, such as `session/prompt params`.
    pub part: String,
    /// The reason.
    pub reason: String,
    /// True if the canonical schema accepts the message.
    pub valid: bool,
}

/// Facts about a message that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Finding {
    Ignored,
    Defaulted,
    Skipped,
    Changed,
    EqualToAbsence,
    Extension,
    Error,
    Unasked,
}

impl Finding {
    const fn title(self) -> &'static str {
        match self {
            Finding::Ignored => "Lost: members that the schema does not know",
            Finding::Defaulted => "Lost: malformed members, read as absent",
            Finding::Skipped => "Lost: malformed items, left out of their lists",
            Finding::Changed => "Changed without a note, which is a bug of ours",
            Finding::EqualToAbsence => "Not written again, because absence says the same",
            Finding::Extension => "Messages of methods that the protocol does not have",
            Finding::Error => "Error responses",
            Finding::Unasked => "Responses without a recorded request",
        }
    }
}

impl Summary {
    /// Returns the number of messages that the canonical schema accepts but the types refuse.
    #[must_use]
    pub fn refused_valid(&self) -> usize {
        self.unreadable.iter().filter(|unreadable| unreadable.valid).count()
    }

    /// Returns the messages that could not be read.
    #[must_use]
    pub fn unreadable(&self) -> &[Unreadable] {
        &self.unreadable
    }

    /// Returns the number of parts that came back different without a note of the reader.
    #[must_use]
    pub fn changed(&self) -> usize {
        let changed = self.findings.iter().filter(|((finding, _), _)| *finding == Finding::Changed);
        changed.map(|(_, count)| count).sum()
    }

    /// Returns the counts of each recording, by file name.
    #[must_use]
    pub fn files(&self) -> &[(String, Counts)] {
        &self.files
    }

    /// Returns the counts of all recordings.
    #[must_use]
    pub fn total(&self) -> Counts {
        self.files.iter().fold(Counts::default(), |sum, (_, counts)| sum.plus(*counts))
    }

    pub(super) fn file(&mut self, name: String, counts: Counts) {
        self.files.push((name, counts));
    }

    pub(super) fn refused(&mut self, unreadable: Unreadable) {
        self.unreadable.push(unreadable);
    }

    /// Counts a finding. Item numbers in `what` are dropped, so that the items of a list count
    /// together.
    pub(super) fn found(&mut self, finding: Finding, what: &str) {
        *self.findings.entry((finding, without_item_numbers(what))).or_default() += 1;
    }
}

impl Counts {
    fn plus(self, other: Counts) -> Counts {
        Counts {
            lines: self.lines + other.lines,
            requests: self.requests + other.requests,
            notifications: self.notifications + other.notifications,
            results: self.results + other.results,
            errors: self.errors + other.errors,
            extensions: self.extensions + other.extensions,
            unreadable: self.unreadable + other.unreadable,
        }
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counts { lines, requests, notifications, results, errors, extensions, unreadable } = self;
        write!(f, "{lines:>6} {requests:>9} {notifications:>14} {results:>8} {errors:>7} ")?;
        write!(f, "{extensions:>11} {unreadable:>11}")
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.files.iter().map(|(name, _)| name.len()).max().unwrap_or(0).max(5);
        let head = "  lines  requests  notifications  results  errors  extensions  unreadable";
        writeln!(f, "{:width$} {head}", "")?;
        for (name, counts) in &self.files {
            writeln!(f, "{name:width$} {counts}")?;
        }
        writeln!(f, "{:width$} {}", "total", self.total())?;
        writeln!(f, "\nCould not be read: {}", self.unreadable.len())?;
        for Unreadable { place, part, reason, valid } in &self.unreadable {
            let verdict = if *valid { "VALID by the schema" } else { "not valid by the schema either" };
            writeln!(f, "  {place}  {part}: {reason} ({verdict})")?;
        }
        let mut section = None;
        for ((finding, what), count) in &self.findings {
            if section.replace(finding) != Some(finding) {
                writeln!(f, "\n{}", finding.title())?;
            }
            writeln!(f, "  {count:>6}  {what}")?;
        }
        Ok(())
    }
}

fn without_item_numbers(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut in_brackets = false;
    for char in text.chars() {
        match char {
            '[' => in_brackets = true,
            ']' => in_brackets = false,
            _ if in_brackets && char.is_ascii_digit() => continue,
            _ => {}
        }
        out.push(char);
    }
    out
}
