//! Errors of lists of slash commands.

use std::fmt;

use acp_types::v1::ext::CommandNameError;

/// A list of slash commands that cannot be advertised: a mistake in the agent. Nothing was sent,
/// and the commands are those of before.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CommandsError {
    /// A command has a name that a prompt cannot have.
    Name {
        /// The name.
        name: String,
        /// The rule that it breaks.
        error: CommandNameError,
    },
    /// Two commands of the list have this name.
    Twice {
        /// The name.
        name: String,
    },
    /// The command has a handler. It is on every list already.
    Handled {
        /// The name.
        name: String,
    },
    /// Nothing in the agent runs this command: it has no handler, and the agent has no `prompt`.
    NoPrompt {
        /// The name.
        name: String,
    },
}

impl fmt::Display for CommandsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("`availableCommands`: ")?;
        match self {
            Self::Name { name, error } => write!(f, "the name `{name}` {error}"),
            Self::Twice { name } => write!(f, "two commands have the name `{name}`: leave one of them out"),
            Self::Handled { name } => {
                write!(f, "`{name}` has a handler, so it is listed already: leave it out, or rename it")
            }
            Self::NoPrompt { name } => {
                write!(f, "nothing runs `{name}`: this agent needs a handler of it, or one of `prompt`")
            }
        }
    }
}

impl std::error::Error for CommandsError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Name { error, .. } => Some(error),
            Self::Twice { .. } | Self::Handled { .. } | Self::NoPrompt { .. } => None,
        }
    }
}
