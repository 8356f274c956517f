//! The id of a session that may not have one yet.

use std::sync::OnceLock;

use acp_mcp::CancellationToken;
use acp_types::v1::SessionId;

/// The session's id, once the client knows it.
#[derive(Default)]
pub(super) struct Named {
    pub(super) id: OnceLock<SessionId>,
    pub(super) known: CancellationToken,
}

impl Named {
    pub(super) async fn id(&self) -> Option<&SessionId> {
        self.known.cancelled().await;
        self.id.get()
    }
}
