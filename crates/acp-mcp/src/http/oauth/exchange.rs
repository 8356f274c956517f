//! The exchanges with authorization servers.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use reqwest::dns::Resolve;
use rmcp::transport::auth::{OAuthHttpClient, OAuthHttpClientFuture, OAuthHttpRequest};
use tokio::time::timeout;

use super::reach::{AddressFilter, FilteredResolver, Reach};
use crate::error::McpError;
use crate::http::client::{Clients, Refusal};

/// The longest answer that is accepted.
const LONGEST: usize = 1024 * 1024;

/// Makes the exchanges that rmcp asks for, with the TLS of this crate, without redirects, and with
/// errors that have no addresses.
pub(super) struct Exchanges {
    client: reqwest::Client,
    filter: Arc<AddressFilter>,
    /// The time limit of each exchange.
    time: Duration,
}

impl Exchanges {
    /// Allows only addresses that a server at `reach` may name.
    pub(super) fn new(clients: &Clients, reach: &Arc<Reach>, time: Duration) -> Result<Self, McpError> {
        let filter = AddressFilter::new(Arc::clone(reach));
        let names: Arc<dyn Resolve> = Arc::new(FilteredResolver(Arc::clone(&filter)));
        let client = clients.for_authorization(&names)?;
        Ok(Self { client, filter, time })
    }

    pub(super) fn filter(&self) -> Arc<AddressFilter> {
        Arc::clone(&self.filter)
    }

    pub(super) async fn exchange(
        &self,
        request: http::Request<Vec<u8>>,
    ) -> Result<http::Response<Vec<u8>>, Refusal> {
        let request = reqwest::Request::try_from(request)?;
        let checked = self.filter.check(request.url()).await;
        checked.map_err(|error| Refusal::Unreachable(error.to_string()))?;
        let response = self.client.execute(request).await?;
        let mut answer = http::Response::new(Vec::new());
        *answer.status_mut() = response.status();
        *answer.headers_mut() = response.headers().clone();
        let mut chunks = response.bytes_stream();
        while let Some(chunk) = chunks.next().await {
            answer.body_mut().extend_from_slice(&chunk?);
            if answer.body().len() > LONGEST {
                return Err(Refusal::Unreachable(format!("an answer is longer than {LONGEST} bytes")));
            }
        }
        Ok(answer)
    }
}

impl OAuthHttpClient for Exchanges {
    fn execute(&self, request: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        Box::pin(async move {
            let answer = timeout(self.time, self.exchange(request.request)).await;
            let answer = answer.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))?;
            Ok(answer?)
        })
    }
}
