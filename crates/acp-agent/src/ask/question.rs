//! Questions on their way to the user, and back.

use acp_rpc::{CallError, Error as RpcError};
use acp_types::method::Method as _;
#[cfg(feature = "mcp")]
use acp_types::v1::{CompleteElicitationNotification, ElicitationId};
use acp_types::v1::{CreateElicitationRequest, CreateElicitationResponse, methods};

use crate::client::Client;
use crate::error::{Error, Result};

/// Puts a question to the user, outside of a turn. People take the time that they take: the time limit of requests
/// does not hold.
pub(crate) async fn elicit(
    client: &Client,
    request: &CreateElicitationRequest,
) -> Result<CreateElicitationResponse> {
    let method = methods::ElicitationCreate::NAME;
    let answer = client.peer().timeout(None).request(method, request).await;
    answer.map_err(|error| Error::call(method, error))
}

/// Tells the client that it need not show a web page any more, without waiting. A client that is gone shows none.
#[cfg(feature = "mcp")]
pub(crate) fn complete_now(client: &Client, id: ElicitationId) {
    let completed = CompleteElicitationNotification::new(id);
    let _ = client.peer().notify_now(methods::ElicitationComplete::NAME, &completed);
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
