//! Connects a server over HTTP.

use std::sync::Arc;

use acp_types::v1::HttpHeader;
use reqwest::Url;
use reqwest::dns::Resolve;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use tokio::sync::Notify;

use super::bearer::Bearer;
use super::client::{Clients, HttpSettings, LONGEST, Refusal};
use super::errors::{error_in, refusal_in};
use super::exchange::Exchange;
use super::headers::{self, Headers};
#[cfg(feature = "oauth")]
use super::oauth;
#[cfg(feature = "sse")]
use super::sse::SseTransport;
use crate::error::McpError;
use crate::negotiate::dial::Dial;
use crate::negotiate::era_cache::ServerKey;
use crate::negotiate::{Input, Route};
use crate::wire::{Wire, WireError};

/// Connects one server, each time that a connection is needed.
pub(crate) struct HttpDial {
    url: Url,
    headers: Headers,
    client: Exchange,
    #[cfg(feature = "oauth")]
    reach: Arc<oauth::Reach>,
}

impl HttpDial {
    /// Checks the configuration before anything is sent.
    pub(crate) fn new(
        url: &str,
        headers: &[HttpHeader],
        settings: &HttpSettings<'_>,
    ) -> Result<Self, McpError> {
        let headers = headers::read(headers)?;
        let url: Url = url.parse().map_err(|error| McpError::Address { problem: format!("{error}") })?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(McpError::Address { problem: "it is neither http nor https".to_owned() });
        }
        let longest = settings.timeouts.probe.max(settings.timeouts.initialize);
        #[cfg(feature = "oauth")]
        let reach = Arc::new(oauth::Reach::of(&url));
        #[cfg(feature = "oauth")]
        let names =
            settings.may_authorize.then(|| Arc::new(oauth::Noting(Arc::clone(&reach))) as Arc<dyn Resolve>);
        #[cfg(not(feature = "oauth"))]
        let names: Option<Arc<dyn Resolve>> = None;
        let client = Clients::of(settings).for_server(&url, names)?;
        let client = Exchange::new(client, longest, Bearer::default());
        Ok(Self {
            url,
            headers,
            client,
            #[cfg(feature = "oauth")]
            reach,
        })
    }

    /// Sends the tokens of an authorization with every message from now on, unless the
    /// configuration has a header `Authorization`.
    #[cfg(feature = "oauth")]
    pub(crate) fn authorize(
        &mut self,
        oauth: &oauth::OAuth,
        server: &str,
        settings: &HttpSettings<'_>,
    ) -> Option<Arc<oauth::Authorization>> {
        if self.headers.contains_key(&http::header::AUTHORIZATION) {
            return None;
        }
        let authorization =
            Arc::new(oauth::Authorization::new(oauth, &self.url, &self.reach, server, settings));
        self.client.bearer = Bearer::new(Arc::clone(&authorization));
        Some(authorization)
    }

    /// Returns a key for the address of the server: `mcp-neg-55`.
    pub(crate) fn key(&self) -> ServerKey {
        ServerKey::of(&(self.url.origin().ascii_serialization(), self.url.path()))
    }
}

impl Dial for HttpDial {
    async fn dial(&mut self, route: Route) -> Result<Wire, McpError> {
        match route {
            #[cfg(feature = "sse")]
            Route::Sse => {
                let exchange = self.client.clone();
                let transport = SseTransport::open(exchange, &self.url, &self.headers).await?;
                Ok(Wire::new(transport))
            }
            _ => {
                let mut config = StreamableHttpClientTransportConfig::with_uri(self.url.as_str());
                config.custom_headers = self.headers.clone();
                config.max_json_response_size = LONGEST;
                config.max_sse_event_size = LONGEST;
                Ok(Wire::new(StreamableHttpClientTransport::with_client(self.client.anew(), config)))
            }
        }
    }

    async fn ended(&mut self) -> Option<McpError> {
        None
    }

    fn renewed(&self) -> Arc<Notify> {
        Arc::clone(&self.client.renewed)
    }

    fn input(&self, error: &WireError) -> Input {
        match refusal_in(error) {
            Some(Refusal::Status { status, fault, .. }) => Input::Status(*status, fault.clone()),
            Some(Refusal::Timeout) => Input::Timeout,
            _ => match error_in(error) {
                Some(McpError::Http { status } | McpError::AuthRequired { status, .. }) => {
                    Input::Status(status, None)
                }
                _ => Input::Unreachable,
            },
        }
    }

    fn error(&self, error: &WireError) -> Option<McpError> {
        error_in(error)
    }
}
