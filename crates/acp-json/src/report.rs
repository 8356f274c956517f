//! Errors of reading, and notes on values that were passed over.

use std::fmt;

use crate::node::Node;
use crate::path::At;

/// The error of a value that could not be read. It names the place and the reason, and never
/// repeats the value.
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
    /// A required member is missing.
    Missing,
    /// Another kind of JSON value was expected.
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
    /// A number fits its type, but not its limits in the schema.
    OutOfBounds {
        /// The limit, such as `at least 1`.
        bounds: String,
    },
    /// The text is not JSON. The reason comes from the parser.
    Syntax(String),
    /// A reader of the caller refused the value.
    Other(String),
}

impl ReadError {
    /// Creates an error of this problem at a position.
    #[must_use]
    pub fn new(at: &At<'_>, problem: Problem) -> Self {
        ReadError(Box::new(Inner { path: at.path(), problem }))
    }

    /// Creates the error of a missing member. `at` is the position of the member itself.
    #[must_use]
    pub fn missing(at: &At<'_>) -> Self {
        Self::new(at, Problem::Missing)
    }

    /// Creates the error of a wrong kind of value. `expected` is such as `a string`.
    #[must_use]
    pub fn expected(at: &At<'_>, expected: &'static str, found: &Node<'_>) -> Self {
        Self::new(at, Problem::Mismatch { expected, found: found.kind() })
    }

    /// Returns the place: member names joined by dots, item numbers in brackets, empty for the
    /// whole value. Long names are cut: see [`At::path`].
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

/// The most notes that a report keeps.
const MOST_NOTES: usize = 1000;

/// The values that a lenient reader passed over, in the order in which it met them.
///
/// A peer chooses their number, so at most 1000 notes are kept, and the others are counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    notes: Vec<Note>,
    omitted: usize,
}

/// A state of a report, to return to.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mark {
    notes: usize,
    omitted: usize,
}

impl Report {
    /// Returns the notes.
    #[must_use]
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// Returns the number of notes after the first 1000, which were not kept.
    #[must_use]
    pub const fn omitted(&self) -> usize {
        self.omitted
    }

    /// Tells whether everything was read as it was sent.
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
    /// The place, written like [`ReadError::path`].
    pub path: String,
    /// The kind of note.
    pub kind: NoteKind,
}

impl Note {
    /// The reason, with the path of the wrong part if that is deeper than the note's. It is `None`
    /// for a value that was not wrong, but unknown.
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

/// The treatment of a part of a message that could not be used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoteKind {
    /// A malformed member was read as absent. The error names the wrong part.
    Defaulted(ReadError),
    /// A malformed item was left out of its list. The error names the wrong part.
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
