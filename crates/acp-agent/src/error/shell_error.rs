//! Failures to start a command.

use std::borrow::Cow;
use std::error::Error as StdError;
use std::fmt;
use std::io;

use acp_rpc::CallError;
use acp_types::v1::SessionId;

use super::Shown;

/// A command that was not started: see [`Turn::shell`](crate::Turn::shell). A command that has
/// started and fails is not an error.
#[derive(Debug)]
pub struct ShellError {
    pub(crate) program: String,
    pub(crate) session: SessionId,
    pub(crate) problem: ShellProblem,
}

/// The reason of a [`ShellError`].
#[derive(Debug)]
#[non_exhaustive]
pub enum ShellProblem {
    /// The client has failed to run it.
    Client {
        /// The method that was called, such as `terminal/create`.
        method: Cow<'static, str>,
        /// Why it failed.
        error: CallError,
    },
    /// The working directory is not a directory on this machine.
    NoDirectory,
    /// The working directory is not Unicode, so the client cannot be told about it.
    NotUnicode,
    /// The system cannot start it.
    Start(io::Error),
}

impl ShellError {
    /// Returns the program.
    #[must_use]
    pub fn program(&self) -> &str {
        &self.program
    }

    /// Returns the session.
    #[must_use]
    pub const fn session_id(&self) -> &SessionId {
        &self.session
    }

    /// Returns the reason.
    #[must_use]
    pub const fn problem(&self) -> &ShellProblem {
        &self.problem
    }
}

impl fmt::Display for ShellError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` was not run (session `{}`): ", self.program, Shown(&self.session))?;
        match &self.problem {
            ShellProblem::Client { method, error } => write!(f, "`{method}` failed at the client: {error}"),
            ShellProblem::NoDirectory => f.write_str("its working directory does not exist"),
            ShellProblem::NotUnicode => f.write_str("its working directory is not Unicode"),
            ShellProblem::Start(error) => write!(f, "it cannot be started: {error}"),
        }
    }
}

impl StdError for ShellError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match &self.problem {
            ShellProblem::Client { error, .. } => Some(error),
            ShellProblem::Start(error) => Some(error),
            ShellProblem::NoDirectory | ShellProblem::NotUnicode => None,
        }
    }
}
