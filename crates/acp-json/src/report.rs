//! What went wrong while reading, and what was passed over.

use std::fmt;

use crate::node::Node;
use crate::path::At;

/// A value could not be read. Says where and why; never repeats what the value held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError(Box<Inner>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Inner {
    path: String,
    problem: Problem,
}

/// Why a value could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// A required member is not there.
    Missing,
    /// Another kind of JSON value was due.
    Mismatch {
        /// What was due, such as `a string`.
        expected: &'static str,
        /// What was there, such as `a number`.
        found: &'static str,
    },
    /// A number does not fit its type.
    OutOfRange {
        /// The type's name, such as `an unsigned 32-bit integer`.
        expected: &'static str,
    },
    /// A number fits its type, but the schema says more about it.
    OutOfBounds {
        /// What it must be, such as `at least 1`.
        bounds: String,
    },
    /// The text is not JSON; the reason comes from the parser.
    Syntax(String),
    /// A reader of the caller's own refused the value.
    Other(String),
}

impl ReadError {
    /// A problem at a position.
    #[must_use]
    pub fn new(at: &At<'_>, problem: Problem) -> Self {
        ReadError(Box::new(Inner { path: at.path(), problem }))
    }

    /// A required member is not there; `at` is the member's own position.
    #[must_use]
    pub fn missing(at: &At<'_>) -> Self {
        Self::new(at, Problem::Missing)
    }

    /// Another kind of value was due, such as `a string`.
    #[must_use]
    pub fn expected(at: &At<'_>, expected: &'static str, found: &Node<'_>) -> Self {
        Self::new(at, Problem::Mismatch { expected, found: found.kind() })
    }

    /// Where: member names joined by dots, item numbers in brackets, empty for the whole value. A long name is
    /// cut, see [`At::path`].
    #[must_use]
    pub fn path(&self) -> &str {
        &self.0.path
    }

    /// Why.
    #[must_use]
    pub fn problem(&self) -> &Problem {
        &self.0.problem
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.0.path.is_empty() {
            write!(f, "`{}`: ", self.0.path)?;
        }
        self.0.problem.fmt(f)
    }
}

impl std::error::Error for ReadError {}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Missing => f.write_str("required, but missing"),
            Problem::Mismatch { expected, found } => write!(f, "expected {expected}, found {found}"),
            Problem::OutOfRange { expected } => write!(f, "the number does not fit {expected}"),
            Problem::OutOfBounds { bounds } => write!(f, "the number must be {bounds}"),
            Problem::Syntax(reason) => write!(f, "not valid JSON: {reason}"),
            Problem::Other(reason) => f.write_str(reason),
        }
    }
}

/// How many notes a report keeps.
const MOST_NOTES: usize = 1000;

/// What a lenient reader passed over, in the order in which it met it.
///
/// A peer decides how much that is, hence no more than 1000 notes; the others are counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    notes: Vec<Note>,
    omitted: usize,
}

/// How far a report has come.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mark {
    notes: usize,
    omitted: usize,
}

impl Report {
    /// The notes.
    #[must_use]
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// How many notes came after the first 1000 and were not kept.
    #[must_use]
    pub const fn omitted(&self) -> usize {
        self.omitted
    }

    /// Whether everything was read as it was sent.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.notes.is_empty()
    }

    pub(crate) fn add(&mut self, path: impl FnOnce() -> String, kind: NoteKind) {
        if self.notes.len() < MOST_NOTES {
            self.notes.push(Note { path: path(), kind });
        } else {
            self.omitted += 1;
        }
    }

    pub(crate) fn mark(&self) -> Mark {
        Mark { notes: self.notes.len(), omitted: self.omitted }
    }

    pub(crate) fn rewind(&mut self, mark: Mark) {
        self.notes.truncate(mark.notes);
        self.omitted = mark.omitted;
    }
}

/// One thing that was passed over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Where, written like [`ReadError::path`].
    pub path: String,
    /// What was done about it.
    pub kind: NoteKind,
}

impl Note {
    /// Why, with the path of what was wrong where that is deeper than the note's. `None` for what was not
    /// wrong, but not known.
    #[must_use]
    pub fn reason(&self) -> Option<String> {
        match &self.kind {
            NoteKind::Defaulted(error) | NoteKind::Skipped(error) if error.path() == self.path => {
                Some(error.problem().to_string())
            }
            NoteKind::Defaulted(error) | NoteKind::Skipped(error) => Some(error.to_string()),
            NoteKind::Ignored => None,
        }
    }
}

/// What was done about a part of a message that could not be used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoteKind {
    /// A malformed member was read as if it were absent. The error says what in it was wrong.
    Defaulted(ReadError),
    /// A malformed item was left out of its list. The error says what in it was wrong.
    Skipped(ReadError),
    /// A member that its type does not know was not kept.
    Ignored,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match &self.kind {
            NoteKind::Defaulted(_) => "read as absent",
            NoteKind::Skipped(_) => "left out",
            NoteKind::Ignored => "unknown member, not kept",
        };
        write!(f, "`{}`: {what}", self.path)?;
        self.reason().map_or(Ok(()), |reason| write!(f, ": {reason}"))
    }
}
