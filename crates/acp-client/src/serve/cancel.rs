//! The cancellation of a request.

use tokio_util::sync::CancellationToken;

/// The cancellation of one request of the agent, for handlers that take long.
///
/// It fires on `$/cancel_request` for the request, and when the connection ends. The handler is not
/// dropped then. It may answer with a partial result, or with
/// [`RpcError::cancelled`](crate::RpcError::cancelled). Only questions to the user
/// (`request_permission`, `elicit`) are dropped and answered by the library. A notification cannot
/// be cancelled, so for its handler it fires only when the connection ends.
#[derive(Clone, Debug)]
pub struct Cancel(CancellationToken);

impl Cancel {
    pub(crate) const fn new(token: CancellationToken) -> Self {
        Self(token)
    }

    /// Waits until it fires.
    pub async fn cancelled(&self) {
        self.0.cancelled().await;
    }

    /// Returns true if it has fired.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }
}
