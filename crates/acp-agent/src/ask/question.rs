//! Errors of questions to the user.

use acp_rpc::{CallError, Error as RpcError};

use crate::error::Error;

/// Converts the error of a question. Some clients answer a pending question with `-32800` after a
/// cancel.
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
