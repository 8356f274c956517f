//! Failures to run a command.

use std::borrow::Cow;
use std::error::Error as StdError;
use std::fmt;
use std::io;

use acp_rpc::CallError;
use acp_types::v1::SessionId;

use super::Shown;

/// A command that was not started, or whose end is not known: see
/// [`Turn::shell`](crate::Turn::shell). A command that has ended and failed is not an error.
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
    /// The client has not started it.
    Client {
        /// The method that was called, such as `terminal/create`.
        method: Cow<'static, str>,
        /// Why it failed.
        error: CallError,
    },
    /// The client has started it, or may have, but its output or its end is not known. It was ended
    /// if it still ran.
    Lost {
        /// The method that was called, such as `terminal/wait_for_exit`.
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

impl ShellProblem {
    /// Takes the failure of the call that starts a command. Without an answer of the client nobody
    /// knows whether it did.
    pub(crate) fn not_created(method: Cow<'static, str>, error: CallError) -> Self {
        use CallError::{Encode, Refused, Remote};
        match error {
            Remote(_) | Refused { .. } | Encode { .. } => ShellProblem::Client { method, error },
            error => ShellProblem::Lost { method, error },
        }
    }
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
        let done = match &self.problem {
            ShellProblem::Lost { .. } => "was started, or may have been, and its end is not known",
            _ => "was not run",
        };
        write!(f, "`{}` {done} (session `{}`): ", self.program, Shown(&self.session))?;
        match &self.problem {
            ShellProblem::Client { method, error } | ShellProblem::Lost { method, error } => {
                write!(f, "`{method}` failed at the client: {error}")
            }
            ShellProblem::NoDirectory => f.write_str("its working directory does not exist"),
            ShellProblem::NotUnicode => f.write_str("its working directory is not Unicode"),
            ShellProblem::Start(error) => write!(f, "it cannot be started: {error}"),
        }
    }
}

impl StdError for ShellError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match &self.problem {
            ShellProblem::Client { error, .. } | ShellProblem::Lost { error, .. } => Some(error),
            ShellProblem::Start(error) => Some(error),
            ShellProblem::NoDirectory | ShellProblem::NotUnicode => None,
        }
    }
}
