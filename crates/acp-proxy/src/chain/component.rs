//! The components of a chain that have a connection, and their failures.

use std::fmt;
use std::io;

use acp_json::{Map, Value};
use acp_rpc::{Command, Error, Source, Transport};

/// The way to a component: a command that starts it, or a transport.
#[derive(Debug)]
pub struct Component(Way);

#[derive(Debug)]
enum Way {
    Command(Box<Command>),
    Source(Source),
}

/// The variable that counts how deep chains are nested in each other.
const DEPTH: &str = "ACP_PROXY_DEPTH";
/// The depth at which a chain is taken for one that starts itself.
const MAX_DEPTH: u32 = 16;

impl Component {
    /// Returns the name that it has unless it is given another: the file name of its program.
    pub(crate) fn default_name(&self, kind: Kind) -> String {
        match &self.0 {
            Way::Command(command) => {
                let program = std::path::Path::new(command.program());
                program.file_stem().unwrap_or(command.program()).to_string_lossy().into_owned()
            }
            Way::Source(_) => kind.to_string(),
        }
    }

    /// Starts it, or connects to it.
    pub(crate) async fn open(&mut self) -> io::Result<Transport> {
        match &mut self.0 {
            Way::Source(source) => source.open().await,
            Way::Command(command) => {
                let depth = std::env::var(DEPTH).ok().and_then(|depth| depth.parse().ok()).unwrap_or(0_u32);
                if depth >= MAX_DEPTH {
                    return Err(io::Error::other(format!(
                        "{MAX_DEPTH} chains are nested in each other: does one start itself?"
                    )));
                }
                let command = command.share().env(DEPTH, (depth + 1).to_string());
                Ok(Transport::process(command)?.0)
            }
        }
    }
}

impl From<Command> for Component {
    fn from(command: Command) -> Self {
        Self(Way::Command(Box::new(command)))
    }
}

impl From<Source> for Component {
    fn from(source: Source) -> Self {
        Self(Way::Source(source))
    }
}

impl From<Transport> for Component {
    fn from(transport: Transport) -> Self {
        Self(Way::Source(transport.into()))
    }
}

/// The kind of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// A proxy.
    Proxy,
    /// The agent at the end of the chain.
    Agent,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Proxy => "proxy",
            Self::Agent => "agent",
        })
    }
}

/// The failure of a component, as the requests that it had are answered with.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Failure {
    /// The kind of the component.
    pub kind: Kind,
    /// Its name.
    pub name: String,
    /// The reason, such as the exit of its process with its last words on stderr.
    pub reason: String,
}

impl Failure {
    /// Returns the error that answers requests: `-32603`, with the name in `data.component`.
    #[must_use]
    pub fn to_rpc(&self) -> Error {
        let data = Map::from([("component", Value::from(self.name.as_str()))]);
        Error::internal(self.to_string()).with_data(data)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the {} `{}` failed: {}", self.kind, self.name, self.reason)
    }
}

impl std::error::Error for Failure {}
