//! Messages of the client.

use acp_json::{Node, ReadError};
use acp_types::method::Method as _;
use acp_types::v1::{CancelNotification, SessionId, methods};

pub(in crate::wire) fn is_cancel(method: &str) -> bool {
    method == methods::SessionCancel::NAME
}

#[cfg(feature = "unstable")]
pub(in crate::wire) fn is_mcp_message(method: &str) -> bool {
    method == methods::McpMessageNotify::NAME
}

pub(in crate::wire) fn cancelled_session(params: Node<'_>) -> Result<SessionId, ReadError> {
    acp_json::read::<CancelNotification>(params).map(|cancel| cancel.session_id)
}

#[cfg(all(feature = "mcp", feature = "unstable"))]
pub(in crate::wire) fn request_of_mcp<'n>(params: &'n Node<'_>) -> Option<&'n str> {
    params.get("requestId").and_then(Node::as_str)
}
