//! The sides of a recorded connection.

use std::fmt;

use acp_rpc::tap::{Direction, Entry};
use acp_types::method::Side as Handler;
use acp_types::v1::methods::METHODS;

/// A side of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    /// The client.
    Client,
    /// The agent.
    Agent,
}

impl Side {
    /// Returns the other side.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Client => Self::Agent,
            Self::Agent => Self::Client,
        }
    }

    /// Returns `client` or `agent`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Agent => "agent",
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Returns the direction of the client's lines, if this line tells: its method belongs to one side.
#[must_use]
pub fn client_of(entry: &Entry) -> Option<Direction> {
    let method = entry.method.as_deref()?;
    match METHODS.iter().find(|info| info.name == method)?.handler {
        Handler::Agent => Some(entry.direction),
        Handler::Client => Some(opposite(entry.direction)),
        _ => None,
    }
}

/// Returns the other direction.
#[must_use]
pub const fn opposite(direction: Direction) -> Direction {
    match direction {
        Direction::In => Direction::Out,
        Direction::Out => Direction::In,
    }
}
