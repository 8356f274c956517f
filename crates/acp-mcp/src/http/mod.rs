//! MCP servers reached by HTTP: streamable, and with SSE of 2024-11-05.

mod bearer;
mod client;
mod exchange;
mod headers;
#[cfg(feature = "oauth")]
pub(crate) mod oauth;
#[cfg(feature = "sse")]
mod sse;

use std::collections::HashMap;
use std::error::Error;
use std::sync::Arc;

use acp_types::v1::HttpHeader;
use http::{HeaderName, HeaderValue};
use reqwest::Url;
use reqwest::dns::Resolve;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::{StreamableHttpClientTransportConfig, StreamableHttpError};
use tokio::sync::Notify;

use self::bearer::Bearer;
use self::client::Clients;
#[cfg(feature = "__tls")]
pub use self::client::tls::{InvalidRootCertificates, TlsOptions};
use self::exchange::{Exchange, Refusal};
use crate::error::McpError;
use crate::negotiate::drive::Dial;
use crate::negotiate::era_cache::ServerKey;
use crate::negotiate::{Input, Route};
use crate::session::Options;
use crate::wire::{Wire, WireError};

type Headers = HashMap<HeaderName, HeaderValue>;

/// The longest answer, or event of a stream, that is taken from a server.
const LONGEST: usize = 16 * 1024 * 1024;

/// Connects one server, as often as it takes.
pub(crate) struct HttpDial {
    url: Url,
    headers: Headers,
    client: Exchange,
    #[cfg(feature = "oauth")]
    reach: Arc<oauth::Reach>,
}

impl HttpDial {
    /// Checks what can be checked before anything is sent.
    pub(crate) fn new(url: &str, headers: &[HttpHeader], options: &Options) -> Result<Self, McpError> {
        let headers = headers::read(headers)?;
        let url: Url = url.parse().map_err(|error| McpError::Address { problem: format!("{error}") })?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(McpError::Address { problem: "it is neither http nor https".to_owned() });
        }
        let longest = options.timeouts.probe.max(options.timeouts.initialize);
        #[cfg(feature = "oauth")]
        let reach = Arc::new(oauth::Reach::of(&url));
        #[cfg(feature = "oauth")]
        let names =
            options.oauth.as_ref().map(|_| Arc::new(oauth::Noting(Arc::clone(&reach))) as Arc<dyn Resolve>);
        #[cfg(not(feature = "oauth"))]
        let names: Option<Arc<dyn Resolve>> = None;
        let client = Clients::of(options).for_server(&url, names)?;
        let client = Exchange::new(client, longest, Bearer::default());
        Ok(Self {
            url,
            headers,
            client,
            #[cfg(feature = "oauth")]
            reach,
        })
    }

    /// From now on the tokens of an authorization go with every message, unless the configuration has a header for that.
    #[cfg(feature = "oauth")]
    pub(crate) fn authorize(
        &mut self,
        oauth: &oauth::OAuth,
        server: &str,
        options: &Options,
    ) -> Option<Arc<oauth::Authorization>> {
        if self.headers.contains_key(&http::header::AUTHORIZATION) {
            return None;
        }
        let authorization =
            Arc::new(oauth::Authorization::new(oauth, &self.url, &self.reach, server, options));
        self.client.bearer = Bearer::new(Arc::clone(&authorization));
        Some(authorization)
    }

    /// Stands for the place of the server: `mcp-neg-55`.
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
                let transport = sse::SseTransport::open(exchange, &self.url, &self.headers).await?;
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

fn refusal_in(error: &WireError) -> Option<&Refusal> {
    match error.0.downcast_ref::<StreamableHttpError<Refusal>>()? {
        StreamableHttpError::Client(refusal) => Some(refusal),
        _ => None,
    }
}

/// What an error of one of the transports here says. It repeats nothing of what the server sent.
pub(crate) fn error_in(error: &(dyn Error + 'static)) -> Option<McpError> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        // What a wire carries is not its own source, but a source of the same type once more.
        let inner = error.downcast_ref::<WireError>().map(|error| &*error.0 as &(dyn Error + 'static));
        let error = inner.unwrap_or(error);
        #[cfg(feature = "sse")]
        if let Some(error) = error.downcast_ref::<McpError>() {
            return Some(error.clone());
        }
        if let Some(error) = error.downcast_ref::<StreamableHttpError<Refusal>>() {
            return Some(of_streamable(error));
        }
        cause = error.source();
    }
    None
}

fn of_streamable(error: &StreamableHttpError<Refusal>) -> McpError {
    match error {
        StreamableHttpError::Client(Refusal::Status { status, challenge, .. }) => match status {
            401 | 403 => McpError::AuthRequired { status: *status, challenge: challenge.clone() },
            _ => McpError::Http { status: *status },
        },
        StreamableHttpError::AuthRequired(error) => {
            McpError::AuthRequired { status: 401, challenge: Some(error.www_authenticate_header.clone()) }
        }
        StreamableHttpError::InsufficientScope(error) => {
            McpError::AuthRequired { status: 403, challenge: Some(error.www_authenticate_header.clone()) }
        }
        StreamableHttpError::HttpStatus(error) => match error.status {
            401 | 403 => McpError::AuthRequired { status: error.status, challenge: None },
            status => McpError::Http { status },
        },
        StreamableHttpError::Client(Refusal::Certificate(problem)) => McpError::certificate(problem),
        StreamableHttpError::Client(Refusal::Unreachable(problem)) => McpError::unreachable(problem),
        StreamableHttpError::ResponseBodyTooLarge { .. } => {
            McpError::unreachable(format_args!("an answer is longer than {LONGEST} bytes"))
        }
        StreamableHttpError::UnexpectedContentType(_) => {
            McpError::unreachable("an answer is neither JSON nor events")
        }
        StreamableHttpError::UnexpectedServerResponse(_) | StreamableHttpError::Deserialize(_) => {
            McpError::unreachable("an answer is not a message of MCP")
        }
        StreamableHttpError::SessionExpired => McpError::unreachable("the server has ended its session"),
        _ => McpError::unreachable("the exchange failed"),
    }
}
