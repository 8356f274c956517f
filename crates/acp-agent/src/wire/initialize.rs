//! The choice of the version, and the answer to `initialize`.

use acp_json::{Node, ReadError};
use acp_rpc::Reply;
use acp_types::v1::{InitializeRequest, InitializeResponse};

use super::{Wire, v1};

/// The request of a client that begins a connection, and the version that it gets.
pub(crate) struct Asked {
    pub(crate) wire: Wire,
    pub(crate) request: InitializeRequest,
}

/// Reads an `initialize`, and chooses the version: the one that is asked for if it is spoken here,
/// otherwise the newest one. There is only one (rules `v1-init-04`, `v1-init-05`).
pub(crate) fn read(params: Node<'_>) -> Result<Asked, ReadError> {
    Ok(Asked { wire: Wire::V1, request: v1::initialize::read(params)? })
}

impl Wire {
    /// Writes the answer to `initialize`.
    pub(crate) fn initialized(&self, response: InitializeResponse) -> Reply {
        match self {
            Wire::V1 => Reply::new(v1::initialize::Complete(response)),
        }
    }
}
