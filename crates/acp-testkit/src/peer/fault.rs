//! The reasons why a script cannot go on.

use std::fmt;
use std::io;
use std::time::Duration;

use super::difference::Difference;
use super::lines::{Line, cut};

/// The reason why a script cannot go on, with the last lines of the wire.
///
/// `Debug` writes the same text as `Display`, so that `unwrap` in a test is readable.
#[derive(Clone)]
#[non_exhaustive]
pub struct Fault {
    /// The reason.
    pub kind: FaultKind,
    /// The last lines of both sides.
    pub lines: Vec<Line>,
}

/// The kinds of [`Fault`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum FaultKind {
    /// Another message came.
    Unexpected {
        /// The description of the expected message.
        expected: String,
        /// The line that was seen.
        seen: String,
        /// The member that differs, if it is the kind of message that was expected.
        difference: Option<Box<Difference>>,
    },
    /// The other side has closed the connection.
    Closed {
        /// The description of the expected message.
        expected: String,
    },
    /// The expected message did not come in time, or nobody has read what was sent.
    Silent {
        /// The description of the expected message.
        expected: String,
        /// The time that was waited.
        patience: Duration,
    },
    /// A line is not JSON.
    NotJson {
        /// The line.
        seen: String,
    },
    /// The [watch](super::ScriptedPeer::watch) of the lines refuses a line.
    Refused {
        /// Its reason.
        reason: String,
        /// The line.
        seen: String,
    },
    /// The other side has written more than the [limit](super::ScriptedPeer::limit).
    TooMuch,
    /// A step has nothing that it could refer to: a mistake in the script.
    Script(&'static str),
    /// The connection is broken.
    Io(io::ErrorKind),
}

impl Fault {
    pub(crate) fn new(kind: FaultKind, lines: &[Line]) -> Self {
        let from = lines.len().saturating_sub(8);
        Self { kind, lines: lines.get(from..).unwrap_or_default().to_vec() }
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FaultKind::Unexpected { expected, seen, difference } => {
                write!(f, "a message differs\n  expected: {expected}\n  seen:     {}", cut(seen))?;
                difference.iter().try_for_each(|difference| write!(f, "\n  differs:  {difference}"))
            }
            FaultKind::Closed { expected } => {
                write!(f, "the connection was closed\n  expected: {expected}")
            }
            FaultKind::Silent { expected, patience } => {
                write!(f, "it did not happen within {patience:?}\n  expected: {expected}")
            }
            FaultKind::NotJson { seen } => write!(f, "a line is not JSON\n  seen:     {}", cut(seen)),
            FaultKind::Refused { reason, seen } => {
                write!(f, "a line is refused\n  reason:   {}\n  seen:     {}", cut(reason), cut(seen))
            }
            FaultKind::TooMuch => f.write_str("the other side wrote more than the limit"),
            FaultKind::Script(reason) => write!(f, "the script: {reason}"),
            FaultKind::Io(kind) => write!(f, "the connection is broken: {kind}"),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)?;
        if !self.lines.is_empty() {
            f.write_str("\n  the last lines:")?;
        }
        self.lines.iter().try_for_each(|line| write!(f, "\n    {line}"))
    }
}

impl fmt::Debug for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Fault {}
