//! Errors of scripts: those of the file, and those of a play.

use std::fmt;

use acp_rpc::tap::RecordingError;

use crate::peer::Fault;

/// The reason why a script cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScriptError {
    /// The line of the step, from 1. `None` if `problem` names it.
    pub line: Option<usize>,
    /// The problem, as a sentence.
    pub problem: String,
}

impl fmt::Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.problem),
            None => f.write_str(self.problem.trim_end()),
        }
    }
}

impl std::error::Error for ScriptError {}

/// The reason why a script was not fulfilled.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct MockError {
    /// The number of the step, from 1. `None` behind the last one.
    pub step: Option<usize>,
    /// The line of the step in its file, from 1.
    pub line: Option<usize>,
    /// The reason.
    pub reason: Reason,
}

/// The reason why a step failed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Reason {
    /// The other side did not do what the step expects.
    Fault(Fault),
    /// A mistake of the script, as a sentence.
    Script(String),
}

impl From<Fault> for Reason {
    fn from(fault: Fault) -> Self {
        Reason::Fault(fault)
    }
}

impl fmt::Display for MockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.line, self.step) {
            (Some(line), Some(step)) => write!(f, "line {line}, step {step}: ")?,
            _ => f.write_str("behind the last step: ")?,
        }
        match &self.reason {
            Reason::Fault(fault) => fault.fmt(f),
            Reason::Script(problem) => f.write_str(problem),
        }
    }
}

impl std::error::Error for MockError {}

/// The reason why a recording cannot become a script.
#[derive(Debug)]
#[non_exhaustive]
pub enum RecordedError {
    /// The recording cannot be read.
    Recording(RecordingError),
    /// Lines are missing: record again with a larger budget.
    Gap {
        /// The number of missing lines.
        count: u64,
    },
    /// No `initialize` says which side has recorded.
    NoInitialize,
    /// A line that the script has to send was recorded without its text.
    NoBody {
        /// The number of its record, from 1.
        record: usize,
    },
}

impl fmt::Display for RecordedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Recording(error) => error.fmt(f),
            Self::Gap { count } => write!(f, "{count} lines are missing: record again with a larger budget"),
            Self::NoInitialize => {
                f.write_str("there is no request `initialize`, which says who is the client")
            }
            Self::NoBody { record } => write!(f, "record {record} has no `body`, so it cannot be sent"),
        }
    }
}

impl std::error::Error for RecordedError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Recording(error) => Some(error),
            _ => None,
        }
    }
}
