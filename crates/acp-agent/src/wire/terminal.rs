//! Terminals of the agent, which the client only shows.

/// A change of a terminal that the client shows.
#[cfg_attr(not(feature = "v2"), allow(dead_code, reason = "version 2 shows them"))]
pub(crate) enum TerminalChange<'a> {
    /// Its command line, and the absolute path of its working directory.
    Opened { command: &'a str, cwd: Option<&'a str> },
    /// More output.
    Printed(&'a [u8]),
    /// Output in place of all that came before.
    Replaced(&'a [u8]),
    /// The end of the command, as far as it is known.
    Ended { exit_code: Option<i64>, signal: Option<&'a str> },
}
