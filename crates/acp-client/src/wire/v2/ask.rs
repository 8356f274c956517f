//! Questions of the agent to the user.

use acp_json::{Node, ReadError};
use acp_types::v1::{CreateElicitationRequest, RequestPermissionRequest};

/// Reads the params of `session/request_permission`.
pub(super) fn permission(params: Node<'_>) -> Result<RequestPermissionRequest, ReadError> {
    acp_json::read(params)
}

/// Reads the params of `elicitation/create`.
pub(super) fn elicitation(params: Node<'_>) -> Result<CreateElicitationRequest, ReadError> {
    acp_json::read(params)
}
