//! The choice of the version, and the answer to `initialize`.

use acp_json::{Node, ReadError};
use acp_rpc::{Error as RpcError, Reply};
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

/// The versions that an agent speaks, of those that this library does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Spoken {
    #[default]
    All,
    #[cfg(feature = "v2")]
    V1,
    #[cfg(feature = "v2")]
    V2,
}

#[cfg(feature = "v2")]
impl Spoken {
    /// Returns those of these versions that this library speaks; `None` if it speaks none of them.
    pub(crate) fn of(versions: impl IntoIterator<Item = ProtocolVersion>) -> Option<Self> {
        let (mut one, mut two) = (false, false);
        for version in versions {
            one |= version == ProtocolVersion::V1;
            two |= version == ProtocolVersion::V2;
        }
        match (one, two) {
            (true, true) => Some(Spoken::All),
            (true, false) => Some(Spoken::V1),
            (false, true) => Some(Spoken::V2),
            (false, false) => None,
        }
    }
}

/// Refuses a version that is older than all that the agent speaks (rule `v2-err-03`).
#[cfg_attr(
    not(feature = "v2"),
    allow(
        unused_variables,
        clippy::unnecessary_wraps,
        clippy::missing_const_for_fn,
        reason = "1 is the oldest"
    )
)]
pub(crate) fn check(params: &Node<'_>, spoken: Spoken) -> Result<(), RpcError> {
    #[cfg(feature = "v2")]
    if spoken == Spoken::V2
        && let Some(version) = params.get("protocolVersion").and_then(version)
        && version < ProtocolVersion::V2
    {
        return Err(v2::initialize::too_old(version));
    }
    Ok(())
}

/// Reads an `initialize`, and chooses the version: the one that is asked for if it is spoken here,
/// otherwise the newest one (rules `v1-init-04`, `v1-init-05`). Version 2, which is a draft, is
/// spoken with the feature of its name. The version is read before all else, because it decides how
/// the rest is read.
#[cfg_attr(not(feature = "v2"), allow(unused_variables, reason = "version 1 is all"))]
pub(crate) fn read(params: Node<'_>, spoken: Spoken) -> Result<Asked, ReadError> {
    #[cfg(feature = "v2")]
    if spoken != Spoken::V1
        && let Some(version) = params.get("protocolVersion").and_then(version)
        && version >= ProtocolVersion::V2
    {
        return Ok(Asked { wire: Wire::V2, request: v2::initialize::read(&params, version)? });
    }
    Ok(Asked { wire: Wire::V1, request: v1::initialize::read(params)? })
}

/// Reads a whole message. Returns `None` if it is not a readable `initialize`.
pub(crate) fn of_line(line: &[u8]) -> Option<InitializeRequest> {
    let mut message = acp_json::parse(str::from_utf8(line).ok()?).ok()?;
    let is_asked = message.get("method").and_then(Node::as_str) == Some(Initialize::METHOD);
    let params = message.take("params").unwrap_or_default();
    is_asked.then(|| read(params, Spoken::default()).ok()).flatten().map(|asked| asked.request)
}

#[cfg(feature = "v2")]
fn version(version: &Node<'_>) -> Option<ProtocolVersion> {
    acp_json::read(version.clone()).ok()
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
