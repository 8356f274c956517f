//! Read errors, and notes of what a reader passed over.

use std::fmt;

use crate::node::Node;
use crate::path::At;

/// The error of a value that could not be read. It says where and why, and never repeats the value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError(Box<Inner>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Inner {
    path: String,
    problem: Problem,
}

/// The reason why a value could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// A required member is not there.
    Missing,
    /// The value is of another kind than expected.
    Mismatch {
        /// The expected kind, such as `a string`.
        expected: &'static str,
        /// The kind that was found, such as `a number`.
        found: &'static str,
    },
    /// A number does not fit its type.
    OutOfRange {
        /// The type's name, such as `an unsigned 32-bit integer`.
        expected: &'static str,
    },
    /// A number fits its type, but the schema restricts it further.
    OutOfBounds {
        /// The restriction, such as `at least 1`.
        bounds: String,
    },
    /// The text is not JSON. The parser gives the reason.
    Syntax(String),
    /// A reader outside of this crate refused the value.
    Other(String),
}

impl ReadError {
    /// Makes an error at a position.
    #[must_use]
    pub fn new(at: &At<'_>, problem: Problem) -> Self {
        ReadError(Box::new(Inner { path: at.path(), problem }))
    }

    /// Makes the error of a missing member. `at` is the position of the member itself.
    #[must_use]
    pub fn missing(at: &At<'_>) -> Self {
        Self::new(at, Problem::Missing)
    }

    /// Makes the error of a value of another kind than the `expected` one, such as `a string`.
    #[must_use]
    pub fn expected(at: &At<'_>, expected: &'static str, found: &Node<'_>) -> Self {
        Self::new(at, Problem::Mismatch { expected, found: found.kind() })
    }

    /// Returns the path: member names joined by dots, item numbers in brackets, empty for the whole
    /// value. A long name is cut, see [`At::path`].
    #[must_use]
    pub fn path(&self) -> &str {
        &self.0.path
    }

    /// Returns the reason.
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

/// The number of notes that a report keeps.
const MOST_NOTES: usize = 1000;

/// The parts that a lenient reader passed over, in the order of reading.
///
/// A peer decides how many they are. A report keeps 1000 notes and counts the others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    notes: Vec<Note>,
    omitted: usize,
}

/// A mark in a report, to come back to.
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

    /// The number of notes after the first 1000, which were not kept.
    #[must_use]
    pub const fn omitted(&self) -> usize {
        self.omitted
    }

    /// Returns true if everything was read as it was sent.
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

/// One part that was passed over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The path, written like [`ReadError::path`].
    pub path: String,
    /// The way in which the reader dealt with it.
    pub kind: NoteKind,
}

impl Note {
    /// The reason, with the path of the fault where that is deeper than the note's. It is `None`
    /// for a part that is unknown rather than wrong.
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

/// The way in which a reader dealt with a part that it could not use.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoteKind {
    /// A malformed member was read as absent. The error describes the fault.
    Defaulted(ReadError),
    /// A malformed item was left out of its list. The error describes the fault.
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
