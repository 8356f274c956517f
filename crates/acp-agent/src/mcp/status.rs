//! How the servers of a session are.

use acp_mcp::ServerStatus;

/// A server of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Server {
    /// Its name, as `mcpServers` has it.
    pub name: String,
    /// How it is.
    pub state: State,
}

/// How a server is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum State {
    /// It is being connected, for the first time or again.
    Connecting,
    /// It is not connected, and waits until the user has authorized it.
    Authorizing,
    /// It is connected.
    #[non_exhaustive]
    Connected {
        /// The version of MCP that is spoken.
        version: String,
        /// How the server wants to be used, for the model.
        instructions: Option<String>,
    },
    /// It is not connected, and will not be.
    #[non_exhaustive]
    Failed {
        /// Why, and what to do about it.
        reason: String,
    },
    /// The session is over.
    Closed,
}

impl Server {
    pub(super) fn new(server: &acp_mcp::Server) -> Self {
        let state = match server.status() {
            ServerStatus::Connected(info) => State::Connected {
                version: info.version.to_string(),
                instructions: info.instructions.clone(),
            },
            ServerStatus::Failed(error) => State::Failed { reason: error.to_string() },
            ServerStatus::Authorizing => State::Authorizing,
            ServerStatus::Closed => State::Closed,
            _ => State::Connecting,
        };
        Server { name: server.name().to_owned(), state }
    }

    /// Whether it is connected.
    #[must_use]
    pub const fn is_connected(&self) -> bool {
        matches!(self.state, State::Connected { .. })
    }
}
