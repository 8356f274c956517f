//! Methods by their names.

use acp_types::method::MethodInfo;
use acp_types::v1;

/// The request, and the notification, that carries a message of MCP.
pub(crate) const MCP_MESSAGE: &str = "mcp/message";

/// The request of a user's message to the agent.
pub(crate) const PROMPT: &str = "session/prompt";

/// Returns true for the requests that declare the MCP servers of a session.
pub(crate) fn opens_session(method: &str) -> bool {
    matches!(method, "session/new" | "session/load" | "session/resume" | "session/fork")
}

/// Returns true for the requests that end a session.
pub(crate) fn closes_session(method: &str) -> bool {
    matches!(method, "session/close" | "session/delete")
}

/// Returns the methods of the version whose number is this JSON text, or of version 1.
pub(crate) fn methods(version: Option<&str>) -> &'static [MethodInfo] {
    #[cfg(feature = "v2")]
    if version == Some("2") {
        return acp_types::v2::methods::METHODS;
    }
    let _ = version;
    v1::methods::METHODS
}
