//! The choice of the version, and the answer to `initialize`.

use acp_json::{Node, ReadError};
use acp_rpc::Reply;
#[cfg(feature = "v2")]
use acp_types::v1::ProtocolVersion;
use acp_types::v1::{InitializeRequest, InitializeResponse, McpCapabilities};

#[cfg(feature = "v2")]
use super::v2;
use super::{Wire, v1};
use crate::op::{Initialize, Op as _};

/// The request of a client that begins a connection, and the version that it gets.
pub(crate) struct Asked {
    pub(crate) wire: Wire,
    pub(crate) request: InitializeRequest,
}

/// Reads an `initialize`, and chooses the version: the one that is asked for if it is spoken here,
/// otherwise the newest one (rules `v1-init-04`, `v1-init-05`). Version 2, which is a draft, is
/// spoken with the feature of its name. The version is read before all else, because it decides how
/// the rest is read.
pub(crate) fn read(params: Node<'_>) -> Result<Asked, ReadError> {
    #[cfg(feature = "v2")]
    if let Some(version) = params.get("protocolVersion").and_then(newer) {
        return Ok(Asked { wire: Wire::V2, request: v2::initialize::read(&params, version)? });
    }
    Ok(Asked { wire: Wire::V1, request: v1::initialize::read(params)? })
}

/// Reads a whole message. Returns `None` if it is not a readable `initialize`.
pub(crate) fn of_line(line: &[u8]) -> Option<InitializeRequest> {
    let mut message = acp_json::parse(str::from_utf8(line).ok()?).ok()?;
    let is_asked = message.get("method").and_then(Node::as_str) == Some(Initialize::METHOD);
    let params = message.take("params").unwrap_or_default();
    is_asked.then(|| read(params).ok()).flatten().map(|asked| asked.request)
}

/// Returns the version if it is 2 or more.
#[cfg(feature = "v2")]
fn newer(version: &Node<'_>) -> Option<ProtocolVersion> {
    let version: ProtocolVersion = acp_json::read(version.clone()).ok()?;
    (version >= ProtocolVersion::V2).then_some(version)
}

impl Wire {
    /// Writes the answer to `initialize`. `has_sessions` says that the agent serves everything that
    /// sessions take in version 2.
    #[cfg_attr(not(feature = "v2"), allow(unused_variables, reason = "version 1 implies sessions"))]
    pub(crate) fn initialized(&self, response: InitializeResponse, has_sessions: bool) -> Reply {
        match self {
            Wire::V1 => Reply::new(v1::initialize::Complete(response)),
            #[cfg(feature = "v2")]
            Wire::V2 => Reply::new(v2::initialize::Initialized::new(response, has_sessions)),
        }
    }

    /// Returns whether the agent takes MCP servers at all.
    #[cfg_attr(not(feature = "v2"), allow(unused_variables, reason = "version 1 implies stdio"))]
    pub(crate) const fn takes_mcp_servers(&self, own: &McpCapabilities) -> bool {
        match self {
            Wire::V1 => true,
            #[cfg(feature = "v2")]
            Wire::V2 => v2::capabilities::takes_mcp_servers(own),
        }
    }
}
