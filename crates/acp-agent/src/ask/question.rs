//! Questions to the user outside of a turn, and their ends.

use acp_rpc::{CallError, Error as RpcError};
use acp_types::method::Method as _;
#[cfg(feature = "mcp")]
use acp_types::v1::{CompleteElicitationNotification, ElicitationId};
use acp_types::v1::{CreateElicitationRequest, CreateElicitationResponse, methods};

use crate::client::Client;
use crate::error::{Error, Result};

/// Asks the user outside of a turn. The time limit of requests does not hold, because people take
/// their time.
pub(crate) async fn elicit(
    client: &Client,
    request: &CreateElicitationRequest,
) -> Result<CreateElicitationResponse> {
    let method = methods::ElicitationCreate::NAME;
    let answer = client.peer().timeout(None).request(method, request).await;
    answer.map_err(|error| Error::call(method, error))
}

/// Reports to the client, without waiting, that it need not show a web page any more. A client that
/// is gone shows none.
#[cfg(feature = "mcp")]
pub(crate) fn complete_now(client: &Client, id: ElicitationId) {
    let completed = CompleteElicitationNotification::new(id);
    let _ = client.peer().notify_now(methods::ElicitationComplete::NAME, &completed);
}

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
