//! Questions whether a tool call may be done: their options, and the chosen one.

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
    mut request: RequestPermissionRequest,
    outcome: RequestPermissionOutcome,
) -> Result<PermissionOption> {
    let problem = match outcome {
        RequestPermissionOutcome::Cancelled => return Err(Error::Cancelled),
        RequestPermissionOutcome::Selected(selected) => {
            let chosen = request.options.iter().position(|option| option.option_id == selected.option_id);
            match chosen {
                Some(index) => return Ok(request.options.swap_remove(index)),
                None => "it chooses an option that was not offered",
            }
        }
        _ => "its outcome is of a kind that is not known here",
    };
    Err(client.wire().malformed::<RequestPermissionRequest>(problem))
}
