//! Shorter ways to make slash commands, and the check of their names.

use std::fmt;

use crate::v1::{AvailableCommand, UnstructuredCommandInput};

impl AvailableCommand {
    /// Sets the hint about the text that the command takes after its name. A client shows it while
    /// the user has typed none.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        self.input(UnstructuredCommandInput::new(hint))
    }

    /// Checks a name. It is not empty, has no white space, and no slash at its beginning.
    ///
    /// # Errors
    /// A prompt cannot name such a command.
    pub fn check_name(name: &str) -> Result<(), CommandNameError> {
        if name.is_empty() {
            return Err(CommandNameError::Empty);
        }
        if name.starts_with('/') {
            return Err(CommandNameError::Slash);
        }
        if name.contains(char::is_whitespace) {
            return Err(CommandNameError::WhiteSpace);
        }
        Ok(())
    }
}

/// A name that a slash command cannot have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CommandNameError {
    /// It is empty.
    Empty,
    /// It begins with a slash, which clients add.
    Slash,
    /// It has white space, which ends the name in a prompt.
    WhiteSpace,
}

impl fmt::Display for CommandNameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "is empty",
            Self::Slash => "begins with a slash: leave it out, because clients add it",
            Self::WhiteSpace => "has white space, which ends the name in a prompt: use `-` or `_`",
        })
    }
}

impl std::error::Error for CommandNameError {}
