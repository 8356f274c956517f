//! The answer of an agent to `initialize`.

use acp_types::v1::InitializeResponse;

/// The answer of an agent to `initialize`.
#[derive(Debug)]
pub(crate) struct Initialized {
    pub(crate) response: InitializeResponse,
    /// True if the agent takes MCP servers over stdio.
    pub(crate) takes_stdio_servers: bool,
}
