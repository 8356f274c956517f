//! Agents as a command line names them: by a command, by an id of the registry, by a file, or by an
//! address.

pub(crate) mod address;
mod description;
pub(crate) mod environment;
mod error;
pub(crate) mod folders;
#[cfg(feature = "agents")]
pub(crate) mod installed;
mod listed;

use std::ffi::OsString;
use std::path::PathBuf;

use acp_client::{Agent, Command, Connect, Error, Transport};
use acp_http::Remote;
use acp_testkit::ScriptedPeer;

use self::address::Address;
pub(crate) use self::error::NamedError;
use crate::outcome::{Failure, tell_stderr};
use crate::passing::denied::Denied;
use crate::passing::streams::Streams;

/// The name of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    /// The command that starts it.
    Command { program: OsString, args: Vec<OsString> },
    /// Its id in the registry, and the registry's file if that is not the usual one.
    Listed { id: String, registry: Option<PathBuf> },
    /// A file that describes it.
    File(PathBuf),
    /// Its address on another machine.
    Remote(Address),
}

/// An agent that can be started.
#[derive(Debug)]
pub(crate) struct Found {
    way: Way,
    /// The program that fetches the agent and runs it, if there is one.
    runner: Option<&'static str>,
    /// The id of an installed agent.
    installed: Option<String>,
}

/// The outcome of a connection about to be made.
#[derive(Debug)]
pub(crate) struct Outcome {
    runner: Option<&'static str>,
    installed: Option<String>,
}

/// The way to an agent.
#[derive(Debug)]
enum Way {
    Start(Command),
    Reach(Box<Remote>),
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

    /// Reads the name of an agent in a variable or a file of settings: a value of `--agent`, or an
    /// address.
    pub(crate) fn of_text(name: &str) -> Self {
        if name.contains("://") {
            return Self::Remote(Address { url: name.to_owned(), token_file: None, tls_ca: None });
        }
        // A registry beside a file is the only thing that is refused.
        Self::of(name, None).unwrap_or_else(|| Self::File(name.into()))
    }

    /// Returns true for an agent of another machine.
    pub(crate) const fn is_remote(&self) -> bool {
        matches!(self, Self::Remote(_))
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
            Self::Remote(address) => Ok(Found::by(Way::Reach(Box::new(address.remote()?)))),
        }
    }
}

impl Found {
    const fn of(command: Command) -> Self {
        Self::by(Way::Start(command))
    }

    const fn by(way: Way) -> Self {
        Self { way, runner: None, installed: None }
    }

    /// Returns a connection about to be made, and the way to its outcome. With `verbose` the stderr
    /// of the agent is shown.
    pub(crate) fn connect(self, verbose: bool) -> (Connect, Outcome) {
        let Self { way, runner, installed } = self;
        let connect = match way {
            Way::Start(command) if verbose => acp_client::spawn(command.on_stderr(tell_stderr)),
            Way::Start(command) => acp_client::spawn(command),
            Way::Reach(remote) => acp_client::connect(*remote),
        };
        (connect, Outcome { runner, installed })
    }

    /// Starts the agent, or connects to it, for bytes of any kind. Its stderr is shown.
    pub(crate) fn transport(self, streams: &Streams) -> std::io::Result<Transport> {
        match self.way {
            Way::Start(command) => Ok(Transport::process(command.on_stderr(tell_stderr))?.0),
            Way::Reach(remote) => Ok(Transport::from_stream(streams.connect(*remote))),
        }
    }

    /// Returns the command that starts the agent.
    ///
    /// # Errors
    /// The agent is on another machine. `purpose` begins the sentence about that.
    pub(crate) fn into_command(self, purpose: &'static str) -> Result<Command, NamedError> {
        match self.way {
            Way::Start(command) => Ok(command),
            Way::Reach(_) => Err(NamedError::NotHere { purpose }),
        }
    }

    /// Finds out if an agent of another machine can be reached. Over HTTP only its first message
    /// shows that.
    pub(crate) async fn probe(self) -> Result<(), acp_http::Error> {
        match self.way {
            Way::Start(_) => Ok(()),
            Way::Reach(remote) => remote.connect().await.map(drop),
        }
    }

    /// Starts the agent, or connects to it, for messages of any kind.
    pub(crate) fn peer(self, streams: &Streams) -> std::io::Result<ScriptedPeer> {
        match self.way {
            Way::Start(command) => ScriptedPeer::spawn(command),
            Way::Reach(remote) => Ok(ScriptedPeer::from_stream(streams.connect(*remote))),
        }
    }
}

impl Outcome {
    /// Explains why the agent is missing. The answer of an installed one goes into the lock file.
    pub(crate) async fn settle(self, connected: Result<Agent, Error>) -> Result<Agent, Failure> {
        match connected {
            Ok(agent) => {
                if let Some(id) = self.installed {
                    remember(id, &agent).await;
                }
                Ok(agent)
            }
            Err(error) => Err(self.explain(error)),
        }
    }

    /// Explains why the agent is missing.
    pub(crate) fn explain(self, error: Error) -> Failure {
        match (self.runner, &error) {
            (Some(runner), Error::Start { error: cause, .. })
                if cause.kind() == std::io::ErrorKind::NotFound =>
            {
                Box::new(NamedError::NoRunner { runner })
            }
            _ => match Denied::of(error) {
                Ok(denied) => denied.into(),
                Err(error) => error.into(),
            },
        }
    }
}

/// Keeps the answer of an installed agent to `initialize`.
#[cfg(feature = "agents")]
async fn remember(id: String, agent: &Agent) {
    installed::answered::Answered::of(agent).keep(id).await;
}

/// Does nothing: without the feature no agent is installed.
#[cfg(not(feature = "agents"))]
async fn remember(_: String, _: &Agent) {}
