//! The exchanges of streamable HTTP.
//!
//! The exchanges that settle the era are made here, because rmcp does not keep status and body of a
//! refusal apart. All other exchanges are made by rmcp.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;
use http::header::{ACCEPT, CONTENT_TYPE};
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
    StreamableHttpResponseLimits,
};
use sse_stream::{Sse, SseStream};
use tokio::sync::{Notify, watch};
use tokio::time::timeout;

use super::bearer::Bearer;
use super::client::{Refusal, challenge};
use super::headers::Headers;
use crate::negotiate::Fault;

const BOTH_KINDS: &str = "application/json, text/event-stream";
const SESSION: &str = "mcp-session-id";
const LISTENING_TIME: Duration = Duration::from_secs(2);

type Posted = Result<StreamableHttpPostResponse, StreamableHttpError<Refusal>>;
type EventStream = BoxStream<'static, Result<Sse, SseError>>;

/// Makes the exchanges with one server.
#[derive(Clone)]
pub(super) struct Exchange {
    pub(super) client: reqwest::Client,
    /// The time limit of an exchange that settles the era. The negotiation gives up earlier.
    pub(super) opening_time: Duration,
    pub(super) bearer: Bearer,
    /// True once the server has answered the request for the session's own stream.
    listening: Arc<watch::Sender<bool>>,
    /// True once this connection has made its handshake.
    has_session: Arc<AtomicBool>,
    /// Notified when a connection makes another handshake, because the server has lost its session.
    pub(super) renewed: Arc<Notify>,
}

impl Exchange {
    pub(super) fn new(client: reqwest::Client, opening_time: Duration, bearer: Bearer) -> Self {
        let (has_session, renewed) = (Arc::default(), Arc::default());
        Self { client, opening_time, bearer, listening: Arc::default(), has_session, renewed }
    }

    /// Creates the exchanges of a new connection.
    pub(super) fn anew(&self) -> Self {
        let renewed = Arc::clone(&self.renewed);
        Self { renewed, ..Self::new(self.client.clone(), self.opening_time, self.bearer.clone()) }
    }

    /// Notes a handshake. rmcp makes a second one when the server has lost its session, and with it
    /// all that it was told in that session.
    fn had_handshake(&self) {
        if self.has_session.swap(true, Ordering::Relaxed) {
            self.listening.send_replace(false);
            self.renewed.notify_one();
        }
    }

    /// Waits for the session's own stream. Servers ask the user over it, and a question without a
    /// stream is lost. The wait is short, because some servers answer only with their first
    /// message.
    async fn listen_first(&self) {
        let mut listening = self.listening.subscribe();
        if timeout(LISTENING_TIME, listening.wait_for(|is_answered| *is_answered)).await.is_err() {
            self.listening.send_replace(true);
        }
    }

    async fn open(
        &self,
        uri: &str,
        message: &ClientJsonRpcMessage,
        token: Option<String>,
        headers: Headers,
        limits: StreamableHttpResponseLimits,
    ) -> Posted {
        let refused = StreamableHttpError::Client;
        let body = serde_json::to_vec(message)?;
        let request = self.client.post(uri).headers(headers.into_iter().collect()).body(body);
        let request = match token {
            Some(token) => request.bearer_auth(token),
            None => request,
        };
        let request = request.header(ACCEPT, BOTH_KINDS).header(CONTENT_TYPE, "application/json");
        let response = request.send().await.map_err(|error| refused(error.into()))?;
        let status = response.status().as_u16();
        let header = |name: &str| response.headers().get(name)?.to_str().ok().map(str::to_owned);
        let (kind, session) = (header(CONTENT_TYPE.as_str()).unwrap_or_default(), header(SESSION));
        let challenge = challenge(&response);
        let is = |wanted: &str| {
            kind.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case(wanted))
        };
        if response.status().is_success() && is("text/event-stream") {
            return Ok(StreamableHttpPostResponse::Sse(
                bounded(response, limits.max_sse_event_size),
                session,
            ));
        }
        let body = read(response, limits.max_json_response_size).await.map_err(refused)?;
        let message = serde_json::from_slice::<ServerJsonRpcMessage>(&body).ok();
        match message {
            Some(message) if (200..300).contains(&status) => {
                Ok(StreamableHttpPostResponse::Json(message, session))
            }
            message => {
                let fault = match message {
                    Some(ServerJsonRpcMessage::Error(error)) => Some(Fault::from(error.error)),
                    _ => None,
                };
                Err(refused(Refusal::Status { status, challenge, fault }))
            }
        }
    }
}

/// Reads the body of a refusal. A body beyond the limit counts as empty.
async fn read(response: reqwest::Response, limit: usize) -> Result<Vec<u8>, Refusal> {
    let mut body = Vec::new();
    let mut chunks = response.bytes_stream();
    while let Some(chunk) = chunks.next().await {
        body.extend_from_slice(&chunk?);
        if body.len() > limit {
            return Ok(Vec::new());
        }
    }
    Ok(body)
}

/// Returns the events of a response, up to a limit in bytes.
fn bounded(response: reqwest::Response, limit: usize) -> EventStream {
    let mut read = 0;
    let chunks = response.bytes_stream().map(move |chunk| {
        let chunk = chunk.map_err(|error| io::Error::other(error.without_url()))?;
        read += chunk.len();
        if read > limit { Err(io::Error::other("the answer is too long")) } else { Ok(chunk) }
    });
    SseStream::from_bytes_stream(Box::pin(chunks)).boxed()
}

const fn request(message: &ClientJsonRpcMessage) -> Option<&ClientRequest> {
    match message {
        ClientJsonRpcMessage::Request(request) => Some(&request.request),
        _ => None,
    }
}

const fn is_handshake(message: &ClientJsonRpcMessage) -> bool {
    matches!(request(message), Some(ClientRequest::InitializeRequest(_)))
}

const fn settles_the_era(message: &ClientJsonRpcMessage) -> bool {
    matches!(request(message), Some(ClientRequest::DiscoverRequest(_) | ClientRequest::InitializeRequest(_)))
}

impl StreamableHttpClient for Exchange {
    type Error = Refusal;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Posted {
        let limits = StreamableHttpResponseLimits::default();
        self.post_message_with_response_limits(uri, message, session_id, auth_header, custom_headers, limits)
            .await
    }

    async fn post_message_with_response_limits(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: Headers,
        limits: StreamableHttpResponseLimits,
    ) -> Posted {
        let token = self.bearer.token().await.or(auth_header);
        if settles_the_era(&message) {
            let opening = self.open(&uri, &message, token, custom_headers, limits);
            let opened = timeout(self.opening_time, opening).await;
            if matches!(opened, Ok(Ok(_))) && is_handshake(&message) {
                self.had_handshake();
            }
            return opened.unwrap_or(Err(StreamableHttpError::Client(Refusal::Timeout)));
        }
        if session_id.is_some() && matches!(message, ClientJsonRpcMessage::Request(_)) {
            self.listen_first().await;
        }
        let client = &self.client;
        client
            .post_message_with_response_limits(uri, message, session_id, token, custom_headers, limits)
            .await
            .map_err(converted)
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<(), StreamableHttpError<Refusal>> {
        let token = self.bearer.token().await.or(auth_header);
        self.client.delete_session(uri, session_id, token, custom_headers).await.map_err(converted)
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<EventStream, StreamableHttpError<Refusal>> {
        let limit = StreamableHttpResponseLimits::default().max_sse_event_size;
        self.get_stream_with_max_sse_event_size(
            uri,
            session_id,
            last_event_id,
            auth_header,
            custom_headers,
            limit,
        )
        .await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: Headers,
        limit: usize,
    ) -> Result<EventStream, StreamableHttpError<Refusal>> {
        let token = self.bearer.token().await.or(auth_header);
        let answered = self
            .client
            .get_stream_with_max_sse_event_size(uri, session_id, last_event_id, token, custom_headers, limit)
            .await;
        self.listening.send_replace(true);
        answered.map_err(converted)
    }
}

fn converted(error: StreamableHttpError<reqwest::Error>) -> StreamableHttpError<Refusal> {
    use StreamableHttpError as E;
    match error {
        E::Client(error) => E::Client(error.into()),
        E::Sse(error) => E::Sse(error),
        E::Io(error) => E::Io(error),
        E::HttpStatus(error) => E::HttpStatus(error),
        E::UnexpectedServerResponse(text) => E::UnexpectedServerResponse(text),
        E::ResponseBodyTooLarge { max_size } => E::ResponseBodyTooLarge { max_size },
        E::UnexpectedContentType(kind) => E::UnexpectedContentType(kind),
        E::ServerDoesNotSupportSse => E::ServerDoesNotSupportSse,
        E::ServerDoesNotSupportDeleteSession => E::ServerDoesNotSupportDeleteSession,
        E::Deserialize(error) => E::Deserialize(error),
        E::AuthRequired(error) => E::AuthRequired(error),
        E::InsufficientScope(error) => E::InsufficientScope(error),
        E::ReservedHeaderConflict(name) => E::ReservedHeaderConflict(name),
        E::SessionExpired => E::SessionExpired,
        _ => E::Client(Refusal::Unreachable("the exchange failed".to_owned())),
    }
}
