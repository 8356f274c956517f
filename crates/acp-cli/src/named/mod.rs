//! Agents as a command line names them: by a command, by an id of the registry, or by a file.

mod description;
mod error;
mod folders;
mod listed;

use std::ffi::OsString;
use std::path::PathBuf;

use acp_client::{Command, Error};

pub(crate) use self::error::NamedError;

/// The name of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    /// The command that starts it.
    Command { program: OsString, args: Vec<OsString> },
    /// Its id in the registry, and the registry's file if that is not the usual one.
    Listed { id: String, registry: Option<PathBuf> },
    /// A file that describes it.
    File(PathBuf),
}

/// An agent that can be started.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) command: Command,
    /// The program that fetches the agent and runs it, if there is one.
    runner: Option<&'static str>,
}

impl Named {
    /// Reads the value of `--agent`. Returns `None` for a file that has a registry beside it.
    pub(crate) fn of(name: &str, registry: Option<PathBuf>) -> Option<Self> {
        let is_file = name.contains(['/', std::path::MAIN_SEPARATOR]) || name.ends_with(".json");
        match registry {
            None if is_file => Some(Self::File(name.into())),
            Some(_) if is_file => None,
            registry => Some(Self::Listed { id: name.to_owned(), registry }),
        }
    }

    /// Finds out how to start the agent.
    ///
    /// # Errors
    /// The registry or the file cannot be read, the agent is not in it, or it has to be installed
    /// first.
    pub(crate) fn find(&self) -> Result<Found, NamedError> {
        match self {
            Self::Command { program, args } => Ok(Found::of(Command::new(program).args(args))),
            Self::Listed { id, registry } => listed::find(id, registry.as_deref()),
            Self::File(file) => description::find(file),
        }
    }
}

impl Found {
    const fn of(command: Command) -> Self {
        Self { command, runner: None }
    }

    /// Returns the command, and a function that explains why the agent did not start.
    pub(crate) fn into_parts(self) -> (Command, impl FnOnce(Error) -> Box<dyn std::error::Error>) {
        let Self { command, runner } = self;
        (command, move |error| match (runner, &error) {
            (Some(runner), Error::Start { error: cause, .. })
                if cause.kind() == std::io::ErrorKind::NotFound =>
            {
                Box::new(NamedError::NoRunner { runner })
            }
            _ => error.into(),
        })
    }
}
