//! A message of a client, and the answer to it.

use std::sync::Arc;
use std::time::Duration;

use acp_rpc::{Error, Id};
use http_body_util::{BodyExt as _, Limited};
use hyper::body::Incoming;
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Response, StatusCode};

use super::body::{Body, Reader};
use super::gate::only;
use super::headers::{SESSION, agree, error_body, status};
use super::{Server, plain};
use crate::bridge::conversation::{Conversation, is_modern};
use crate::bridge::offers::Offer;
use crate::bridge::out::Out;
use crate::bridge::outbox::{Outbox, Outgoing};
use crate::wire::member::member;
use crate::wire::message::{Call, Message};

/// The time to wait for an answer before a stream begins. Clients give up on a head that is late.
const PATIENCE: Duration = Duration::from_secs(15);

/// The kind of exchange that a request begins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A request of the modern era. It stands alone.
    Modern,
    /// The first request of a session of the legacy era.
    Opening,
    /// A request within a session of the legacy era.
    Within,
}

impl Server {
    pub(super) async fn post(&self, parts: &Parts, body: Incoming, offer: &Arc<Offer>) -> Response<Body> {
        let body = Limited::new(body, self.shared.bounds.max_line).collect().await;
        let Ok(body) = body.map(|body| body.to_bytes()) else { return plain(StatusCode::PAYLOAD_TOO_LARGE) };
        let Ok(text) = std::str::from_utf8(&body) else {
            return refused(StatusCode::BAD_REQUEST, &Id::Null, &Error::parse_error());
        };
        match Message::split(text) {
            Message::Request { id, call } => self.request(parts, text, &id, &call, offer).await,
            Message::Notification(_) | Message::Response { .. } => self.aside(parts, text, offer),
            Message::Invalid { id, problem } => {
                refused(StatusCode::BAD_REQUEST, &id, &Error::invalid_request(problem))
            }
            Message::NotJson => refused(StatusCode::BAD_REQUEST, &Id::Null, &Error::parse_error()),
        }
    }

    async fn request(
        &self,
        parts: &Parts,
        text: &str,
        id: &Id,
        call: &Call<'_>,
        offer: &Arc<Offer>,
    ) -> Response<Body> {
        let session = only(&parts.headers, &SESSION);
        let (kind, conversation) = if call.params.is_some_and(is_modern) || call.method == "server/discover" {
            if let Err(error) = agree(&parts.headers, call) {
                return refused(StatusCode::BAD_REQUEST, id, &error);
            }
            (Kind::Modern, Conversation::new(&self.shared, offer))
        } else if call.method == "initialize" {
            (Kind::Opening, Conversation::new(&self.shared, offer))
        } else {
            let Some(session) = session else {
                let error = Error::invalid_request("the header `Mcp-Session-Id` is missing");
                return refused(StatusCode::BAD_REQUEST, id, &error);
            };
            match self.sessions.get(session, offer) {
                Some(conversation) => (Kind::Within, conversation),
                None => return no_session(id),
            }
        };
        if let Some(pause) = self.shared.pause() {
            pause.await;
        }
        let outbox = Outbox::new(self.shared.bounds.budget);
        let reader = Reader {
            outbox: Arc::clone(&outbox),
            conversation: Arc::clone(&conversation),
            is_alone: kind == Kind::Modern,
        };
        conversation.take(text, &Out::events(Arc::clone(&outbox), &self.shared.full));
        let first = tokio::select! {
            biased;
            first = Arc::clone(&outbox).next() => first,
            // The answer to `initialize` has the id of its session in the head, so the head waits.
            () = tokio::time::sleep(PATIENCE), if kind != Kind::Opening => return stream(reader, None),
            () = offer.gone.cancelled() => {
                conversation.end();
                outbox.next().await
            }
        };
        match first {
            Some(Outgoing { text, is_answer: true }) => self.answered(kind, text, conversation),
            Some(first) => stream(reader, Some(first)),
            // It was withdrawn.
            None => plain(StatusCode::ACCEPTED),
        }
    }

    fn answered(&self, kind: Kind, text: Vec<u8>, conversation: Arc<Conversation>) -> Response<Body> {
        let written = std::str::from_utf8(&text).unwrap_or_default();
        let status = if kind == Kind::Modern { status(written) } else { StatusCode::OK };
        let is_open = kind == Kind::Opening && member(written, "result").is_some();
        let mut response = json(status, text);
        if is_open {
            match self.sessions.add(conversation).map(|id| HeaderValue::from_str(&id)) {
                Ok(Ok(id)) => {
                    response.headers_mut().insert(SESSION, id);
                }
                _ => return plain(StatusCode::INTERNAL_SERVER_ERROR),
            }
        }
        response
    }

    /// Takes a message that gets no answer.
    fn aside(&self, parts: &Parts, text: &str, offer: &Arc<Offer>) -> Response<Body> {
        // One of the modern era says nothing that a server is told. It withdraws a request by the
        // end of its stream.
        if let Some(session) = only(&parts.headers, &SESSION) {
            let Some(conversation) = self.sessions.get(session, offer) else { return no_session(&Id::Null) };
            let nobody = Outbox::new(0);
            nobody.finish();
            conversation.take(text, &Out::events(nobody, &self.shared.full));
        }
        plain(StatusCode::ACCEPTED)
    }
}

fn no_session(id: &Id) -> Response<Body> {
    refused(StatusCode::NOT_FOUND, id, &Error::invalid_request("this session does not exist: begin anew"))
}

fn refused(status: StatusCode, id: &Id, error: &Error) -> Response<Body> {
    json(status, error_body(id, error))
}

fn json(status: StatusCode, body: Vec<u8>) -> Response<Body> {
    let mut response = Response::new(Body::whole(body));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// Makes an answer that is a stream of events.
pub(super) fn stream(reader: Reader, first: Option<Outgoing>) -> Response<Body> {
    let mut response = Response::new(Body::events(reader, first));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}
