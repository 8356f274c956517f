//! Questions whether a tool call may be done: their options, and the chosen one.

use acp_types::v1::ext::NotChosen;
use acp_types::v1::{
    PermissionOption, PermissionOptionKind, RequestPermissionOutcome, RequestPermissionRequest,
};

use crate::client::Client;
use crate::error::{Error, Result};

pub(crate) fn allow_once() -> PermissionOption {
    PermissionOption::new("allow-once", "Allow", PermissionOptionKind::AllowOnce)
}

pub(crate) fn allow_always() -> PermissionOption {
    PermissionOption::new("allow-always", "Always allow", PermissionOptionKind::AllowAlways)
}

pub(crate) fn reject_once() -> PermissionOption {
    PermissionOption::new("reject-once", "Reject", PermissionOptionKind::RejectOnce)
}

pub(crate) fn reject_always() -> PermissionOption {
    PermissionOption::new("reject-always", "Always reject", PermissionOptionKind::RejectAlways)
}

/// Returns the option that the user has chosen. An option that was not offered is not an answer.
pub(crate) fn chosen(
    client: &Client,
    request: &RequestPermissionRequest,
    outcome: &RequestPermissionOutcome,
) -> Result<PermissionOption> {
    request.chosen(outcome).cloned().map_err(|error| match error {
        NotChosen::Cancelled => Error::Cancelled,
        error => client.wire().malformed::<RequestPermissionRequest>(error.as_str()),
    })
}
