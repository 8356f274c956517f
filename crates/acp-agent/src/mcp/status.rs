//! States of a session's servers.

use acp_mcp::ServerStatus;

/// A server of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Server {
    /// Its name, as `mcpServers` has it.
    pub name: String,
    /// Its state.
    pub state: State,
}

/// The state of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum State {
    /// The server is being connected, for the first time or again.
    Connecting,
    /// The server is not connected, and waits until the user has authorized it.
    Authorizing,
    /// The server is connected.
    #[non_exhaustive]
    Connected {
        /// The version of MCP in use.
        version: String,
        /// Instructions for the model on how to use the server.
        instructions: Option<String>,
    },
    /// The server is not connected, and will not be.
    #[non_exhaustive]
    Failed {
        /// The reason, and the remedy.
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

    /// Returns whether the server is connected.
    #[must_use]
    pub const fn is_connected(&self) -> bool {
        matches!(self.state, State::Connected { .. })
    }
}
