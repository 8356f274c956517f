//! Credentials for the server.

use futures_core::future::BoxFuture;
use http::HeaderValue;

/// A source of credentials for the server. It is asked before each request, so tokens may change.
///
/// These credentials are for the endpoint. The login of the agent itself is a matter of the
/// protocol.
pub trait Authorization: Send + Sync + 'static {
    /// Returns the value of the header `Authorization` for the next request, if there is one.
    fn authorization(&self) -> BoxFuture<'_, Option<HeaderValue>>;

    /// Gets new credentials after the server has refused the last ones (401 or 403). It is called
    /// at most once per refused request, and with `true` that request is sent once more.
    fn refresh(&self) -> BoxFuture<'_, bool> {
        Box::pin(async { false })
    }
}

/// One token for all requests.
pub(super) struct Bearer(pub(super) HeaderValue);

impl Authorization for Bearer {
    fn authorization(&self) -> BoxFuture<'_, Option<HeaderValue>> {
        Box::pin(async { Some(self.0.clone()) })
    }
}
