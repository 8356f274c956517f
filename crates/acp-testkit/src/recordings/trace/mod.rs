//! The traces of the official SDK's conductor, which its trace viewer shows.
//!
//! A trace has one JSON object a line: a request, a response or a notification between two named
//! components, with the seconds since its start. It has no other lines and no message as it was on
//! the wire.

mod reader;
mod writer;

use std::fmt;
use std::io;

pub use self::reader::TraceReader;
pub use self::writer::TraceWriter;

/// The name of the client in a trace.
const CLIENT: &str = "Client";
/// The name of the agent in a trace.
const AGENT: &str = "Agent";
/// The method whose messages a trace shows as those of MCP.
const MCP: &str = "mcp/message";

/// The reason why a trace cannot be read.
#[derive(Debug)]
#[non_exhaustive]
pub enum TraceError {
    /// Reading failed. There are no more events.
    Io(io::Error),
    /// A line is not an event.
    Malformed {
        /// Its number, from 1.
        line: u64,
        /// The problem with it.
        problem: &'static str,
    },
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "the trace cannot be read: {error}"),
            Self::Malformed { line, problem } => {
                write!(f, "line {line} of the trace is not an event: {problem}")
            }
        }
    }
}

impl std::error::Error for TraceError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            Self::Malformed { .. } => None,
        }
    }
}
