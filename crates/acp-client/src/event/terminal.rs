//! Terminals in which the agent runs commands. A client only shows them.

use acp_types::{Maybe, Meta};

/// A change of a terminal in which the agent runs a command: see
/// [`Event::Terminal`](crate::Event::Terminal).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum TerminalChange {
    /// Its description. The first one makes the terminal known.
    Updated(TerminalUpdate),
    /// The command has printed something.
    #[non_exhaustive]
    Output {
        /// The bytes, for the end of the output. They may begin or end within a character or an
        /// escape sequence.
        bytes: Vec<u8>,
        /// Data of extensions about this piece.
        meta: Option<Meta>,
    },
}

/// The description of a terminal. Each member is a patch: absent keeps what it was, and `null`
/// clears it.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct TerminalUpdate {
    /// The command that runs in it.
    pub command: Maybe<String>,
    /// The directory of the command, an absolute path.
    pub cwd: Maybe<String>,
    /// All of the output. It takes the place of every byte that came before.
    pub output: Maybe<Vec<u8>>,
    /// The end of the command. A value means that the command has ended, even an empty one.
    pub exit: Maybe<TerminalExit>,
    /// The size that the command writes for.
    pub size: Maybe<TerminalSize>,
    /// Data of extensions. A value is joined by name; a name whose value is `null` is removed.
    pub meta: Maybe<Meta>,
}

/// The end of the command in a terminal of the agent. Without a code and a signal the outcome is
/// not known, which is not success.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TerminalExit {
    /// The exit code. It may be negative.
    pub code: Option<i64>,
    /// The signal that ended the process, such as `SIGKILL`.
    pub signal: Option<String>,
}

/// The size of a terminal, in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TerminalSize {
    /// The characters of a line, at least 1.
    pub cols: u16,
    /// The lines, at least 1.
    pub rows: u16,
}

impl TerminalExit {
    pub(crate) const fn new(code: Option<i64>, signal: Option<String>) -> Self {
        Self { code, signal }
    }
}

impl TerminalSize {
    pub(crate) const fn new(cols: u16, rows: u16) -> Self {
        Self { cols, rows }
    }
}
