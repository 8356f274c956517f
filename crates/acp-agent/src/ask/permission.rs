//! Asking the user before something is done.

use acp_rpc::{CallError, Error as RpcError};
use acp_types::method::Method as _;
use acp_types::v1::{
    PermissionOption, PermissionOptionKind, RequestPermissionOutcome, RequestPermissionRequest, ToolCall,
    ToolCallUpdate, methods,
};

use crate::error::{Error, Result};
use crate::turn::Turn;
use crate::updates::paths;

/// What the user decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Decision {
    /// Do it.
    Allowed,
    /// Do it, and do not ask again for the like.
    AllowedAlways,
    /// Do not do it.
    Rejected,
    /// Do not do it, and do not ask again for the like.
    RejectedAlways,
}

impl Decision {
    /// Whether it may be done.
    #[must_use]
    pub const fn is_allowed(self) -> bool {
        matches!(self, Decision::Allowed | Decision::AllowedAlways)
    }
}

/// A kind that this version of the protocol does not know is no consent.
impl From<&PermissionOptionKind> for Decision {
    fn from(kind: &PermissionOptionKind) -> Self {
        match kind {
            PermissionOptionKind::AllowOnce => Decision::Allowed,
            PermissionOptionKind::AllowAlways => Decision::AllowedAlways,
            PermissionOptionKind::RejectAlways => Decision::RejectedAlways,
            _ => Decision::Rejected,
        }
    }
}

impl Turn {
    /// Asks the user whether a tool call may be done: once, always, or not.
    ///
    /// The call need not have been reported. Its relative paths are joined with the session's working directory. What "always" covers is the agent's to say and to keep:
    /// [`ask_remembered`](Self::ask_remembered) does.
    ///
    /// # Errors
    /// Those of [`ask_with`](Self::ask_with). An error is never consent.
    pub async fn ask(&self, call: &ToolCall) -> Result<Decision> {
        let options = [allow_once(), allow_always(), reject_once()];
        self.ask_with(call, options).await.map(|chosen| Decision::from(&chosen.kind))
    }

    /// Asks the user to choose one of these options for a tool call, and returns the chosen one.
    ///
    /// # Errors
    /// [`Error::Cancelled`] when the turn was cancelled, and when the client answers that it was, in either of
    /// the two ways there are (rule `v1-creq-09`); [`Error::Call`] when the client fails or chooses what was not
    /// on offer. An error is never consent (rule `v1-perm-08`).
    pub async fn ask_with(
        &self,
        call: &ToolCall,
        options: impl IntoIterator<Item = PermissionOption>,
    ) -> Result<PermissionOption> {
        let options: Vec<_> = options.into_iter().collect();
        let mut call = ToolCallUpdate::from(call);
        paths::join_call(&mut call, self.session_updates().cwd());
        let mut request = RequestPermissionRequest::new(self.session_id(), call, options);
        let answer = self.call_untimed::<methods::SessionRequestPermission>(&request).await;
        let problem = match answer.map_err(cancelled_remotely)?.outcome {
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
        let method = methods::SessionRequestPermission::NAME;
        Err(Error::call(method, CallError::Malformed { method: method.to_owned(), problem }))
    }
}

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

/// Some clients answer a question that is pending at a cancel with `-32800`.
pub(crate) fn cancelled_remotely(error: Error) -> Error {
    match &error {
        Error::Call { error: CallError::Remote(remote), .. }
            if remote.code == RpcError::REQUEST_CANCELLED =>
        {
            Error::Cancelled
        }
        _ => error,
    }
}
