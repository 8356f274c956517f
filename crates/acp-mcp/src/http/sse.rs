//! HTTP+SSE of 2024-11-05 (rule `mcp-neg-49`): messages come as events of one stream, and are
//! posted to an address that the stream names.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;
use http::HeaderMap;
use http::header::{ACCEPT, CONTENT_TYPE};
use reqwest::Url;
use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::streamable_http_client::SseError;
use sse_stream::{Sse, SseStream};

use super::client::{LONGEST, Refusal, challenge};
use super::exchange::Exchange;
use super::headers::Headers;
use crate::error::McpError;

/// An open stream of events, and the address for messages.
pub(super) struct SseTransport {
    exchange: Exchange,
    headers: HeaderMap,
    endpoint: Url,
    events: Option<SseEvents>,
}

struct SseEvents {
    events: BoxStream<'static, Result<Sse, SseError>>,
    /// The bytes since the last event.
    unread: Arc<AtomicUsize>,
}

impl SseEvents {
    fn new(response: reqwest::Response) -> Self {
        let unread = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&unread);
        let chunks = response.bytes_stream().map(move |chunk| {
            let chunk = chunk.map_err(|error| io::Error::other(error.without_url()))?;
            let length = counted.fetch_add(chunk.len(), Ordering::Relaxed) + chunk.len();
            if length > LONGEST { Err(io::Error::other("an event is too long")) } else { Ok(chunk) }
        });
        Self { events: SseStream::from_bytes_stream(Box::pin(chunks)).boxed(), unread }
    }

    async fn next(&mut self) -> Option<Sse> {
        let event = self.events.next().await?.ok();
        self.unread.store(0, Ordering::Relaxed);
        event
    }
}

impl SseTransport {
    /// Opens the stream and waits for the address.
    pub(super) async fn open(exchange: Exchange, url: &Url, headers: &Headers) -> Result<Self, McpError> {
        let headers: HeaderMap = headers.clone().into_iter().collect();
        let request = exchange.client.get(url.clone()).headers(headers.clone());
        let request = request.header(ACCEPT, "text/event-stream");
        let request = exchange.bearer.sign(request).await;
        let response = request.send().await.map_err(unreachable)?;
        check(&response)?;
        let kind =
            response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        if !kind.trim_start().to_ascii_lowercase().starts_with("text/event-stream") {
            return Err(McpError::Http { status: response.status().as_u16() });
        }
        let mut events = SseEvents::new(response);
        let endpoint = loop {
            let event =
                events.next().await.ok_or_else(|| McpError::unreachable("the stream ended at once"))?;
            if event.event.as_deref() == Some("endpoint") {
                break event.data.unwrap_or_default();
            }
        };
        let endpoint = url.join(endpoint.trim()).ok().filter(|endpoint| endpoint.origin() == url.origin());
        // Credentials are sent only to the origin that they are for.
        let endpoint =
            endpoint.ok_or_else(|| McpError::unreachable("its endpoint is not of the same origin"))?;
        Ok(Self { exchange, headers, endpoint, events: Some(events) })
    }
}

fn unreachable(error: reqwest::Error) -> McpError {
    match Refusal::from(error) {
        Refusal::Certificate(problem) => McpError::certificate(&problem),
        refusal => McpError::unreachable(refusal),
    }
}

fn check(response: &reqwest::Response) -> Result<(), McpError> {
    let status = response.status().as_u16();
    match status {
        200..300 => Ok(()),
        401 | 403 => Err(McpError::AuthRequired { status, challenge: challenge(response) }),
        _ => Err(McpError::Http { status }),
    }
}

impl Transport<RoleClient> for SseTransport {
    type Error = McpError;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), McpError>> + Send + 'static {
        let request = self.exchange.client.post(self.endpoint.clone()).headers(self.headers.clone());
        let bearer = self.exchange.bearer.clone();
        async move {
            let request = bearer.sign(request).await;
            let body = serde_json::to_vec(&message).map_err(McpError::unreachable)?;
            let response = request.header(CONTENT_TYPE, "application/json").body(body).send().await;
            check(&response.map_err(unreachable)?)
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            let event = self.events.as_mut()?.next().await?;
            if !matches!(event.event.as_deref(), None | Some("message")) {
                continue;
            }
            match serde_json::from_str(event.data.as_deref().unwrap_or_default()) {
                Ok(message) => return Some(message),
                Err(_) => tracing::debug!("ignored an event of an MCP server that is not a message"),
            }
        }
    }

    async fn close(&mut self) -> Result<(), McpError> {
        self.events = None;
        Ok(())
    }
}
