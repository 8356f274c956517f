//! The outcome of a command: exit codes, failures, and lines on stderr.

use std::io::{self, Write};

use acp_client::sanitize::{strip_ansi, text};

/// Exit codes of the program.
pub(crate) mod exit {
    pub(crate) const DONE: u8 = 0;
    pub(crate) const ERROR: u8 = 1;
    pub(crate) const USAGE: u8 = 2;
    pub(crate) const REFUSED: u8 = 3;
    pub(crate) const LIMIT: u8 = 4;
    pub(crate) const TIMED_OUT: u8 = 124;
    pub(crate) const CANCELLED: u8 = 130;
    /// The code that a shell reports for a program that a closed pipe has ended.
    pub(crate) const UNREAD: u8 = 141;
}

/// The reason of a run that ended without an exit code of its own.
pub(crate) type Failure = Box<dyn std::error::Error>;

/// Writes a line of the agent's stderr.
pub(crate) fn tell_stderr(line: &str) {
    tell(&format!("agent: {line}"));
}

/// Writes a line to stderr. Colours of other programs are removed.
pub(crate) fn tell(line: &str) {
    // If stderr is closed, nobody can be told.
    let _ = writeln!(io::stderr(), "{}", text(&strip_ansi(line)));
}
