//! Answers to requests that are refused: a status, and a JSON-RPC error with a fixed text.

use http::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderName, HeaderValue, Response, StatusCode};

use super::body::Body;
use crate::wire::head::Unread;
use crate::wire::routes::{Denied, NotOpened};

/// A request that is refused. Nothing of it is repeated.
#[derive(Clone, Debug)]
pub(crate) struct Refused {
    status: StatusCode,
    code: i32,
    text: &'static str,
    header: Option<(HeaderName, HeaderValue)>,
}

const INVALID: i32 = acp_rpc::Error::INVALID_REQUEST;
const INTERNAL: i32 = acp_rpc::Error::INTERNAL_ERROR;

macro_rules! refusals {
    ($($(#[$docs:meta])* $name:ident: $status:ident, $code:expr, $text:expr;)*) => {
        impl Refused {
            $($(#[$docs])* pub(crate) const $name: Self =
                Self { status: StatusCode::$status, code: $code, text: $text, header: None };)*
        }
    };
}

refusals! {
    FOREIGN_HOST: FORBIDDEN, INVALID, "this server does not have the name in `Host`";
    FOREIGN_ORIGIN: FORBIDDEN, INVALID, "pages of this origin may not use this server";
    FORBIDDEN: FORBIDDEN, INVALID, "this is not allowed";
    UNAUTHORIZED: UNAUTHORIZED, INVALID, "authentication is needed";
    UNDECIDED: SERVICE_UNAVAILABLE, INTERNAL, "it could not be found out who you are";
    NO_SUCH_PATH: NOT_FOUND, INVALID, "there is nothing at this path";
    /// Unknown, ended and another principal's: nobody can tell them apart.
    NO_CONNECTION: NOT_FOUND, INVALID, "there is no connection of this id";
    NO_SESSION: NOT_FOUND, INVALID, "too many streams of unknown sessions are open";
    CONNECTION_MISSING: BAD_REQUEST, INVALID, "the header Acp-Connection-Id is missing";
    TWO_IDS: BAD_REQUEST, INVALID, "a header with an id is there twice, or is not text";
    SESSION_MISSING: BAD_REQUEST, INVALID, "this method needs a session: params.sessionId or Acp-Session-Id";
    TWO_SESSIONS: BAD_REQUEST, INVALID, "Acp-Session-Id names another session than the message";
    NO_PARAMS_OBJECT: BAD_REQUEST, INVALID, "params must be an object";
    INITIALIZE_ID: BAD_REQUEST, INVALID, "initialize needs an id that is not null";
    INITIALIZED: BAD_REQUEST, INVALID, "this connection is initialized already";
    LONG_ID: BAD_REQUEST, INVALID, "the id is too long";
    ID_IN_USE: BAD_REQUEST, INVALID, "a request with this id is not answered yet";
    NOT_JSON: BAD_REQUEST, acp_rpc::Error::PARSE_ERROR, "the body is not valid JSON in UTF-8";
    METHOD: METHOD_NOT_ALLOWED, INVALID, "use GET, POST or DELETE";
    NOT_ACCEPTABLE: NOT_ACCEPTABLE, INVALID, "accept text/event-stream";
    TAKEN: CONFLICT, INVALID, "this stream has a reader already";
    VERSION: HTTP_VERSION_NOT_SUPPORTED, INVALID, "use HTTP/2";
    BODY_TIME: REQUEST_TIMEOUT, INVALID, "the body took too long";
    BODY_CUT: BAD_REQUEST, INVALID, "the body ended too early";
    TOO_LARGE: PAYLOAD_TOO_LARGE, INVALID, "the message is too long";
    MEDIA_TYPE: UNSUPPORTED_MEDIA_TYPE, INVALID, "send application/json";
    ENCODING: UNSUPPORTED_MEDIA_TYPE, INVALID, "send the message without a content-encoding";
    TOO_MANY_POSTS: TOO_MANY_REQUESTS, INVALID, "too many messages are on their way";
    TOO_MANY_REQUESTS: TOO_MANY_REQUESTS, INVALID, "too many requests are not answered yet";
    TOO_MANY_STREAMS: TOO_MANY_REQUESTS, INVALID, "too many streams are open";
    TOO_MANY_CONNECTIONS: TOO_MANY_REQUESTS, INVALID, "there are too many connections of yours";
    TOO_MANY_TICKETS: TOO_MANY_REQUESTS, INVALID, "too many tickets are not used yet";
    FULL: SERVICE_UNAVAILABLE, INTERNAL, "the server is full";
    CLOSING: SERVICE_UNAVAILABLE, INTERNAL, "the server is shutting down";
    AGENT_ENDED: INTERNAL_SERVER_ERROR, INTERNAL, "the agent ended before it answered";
    AGENT_SILENT: GATEWAY_TIMEOUT, INTERNAL, "the agent did not answer in time";
    BROKEN: INTERNAL_SERVER_ERROR, INTERNAL, "the server failed";
}

#[cfg(feature = "ws")]
refusals! {
    UPGRADE: BAD_REQUEST, INVALID, "this is not the start of a WebSocket of version 13";
}

impl Refused {
    /// Adds a header to the answer, such as the way to authenticate.
    pub(crate) fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.header = Some((name, value));
        self
    }

    pub(crate) fn response(self) -> Response<Body> {
        let error = format!(
            r#"{{"jsonrpc":"2.0","id":null,"error":{{"code":{},"message":"{}"}}}}"#,
            self.code,
            self.text.replace('"', "\\\""),
        );
        let mut response = Response::new(Body::whole(error.into_bytes()));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        match self.status {
            StatusCode::METHOD_NOT_ALLOWED => {
                headers.insert(ALLOW, HeaderValue::from_static("GET, POST, DELETE"));
            }
            StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {
                headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
            }
            _ => {}
        }
        if let Some((name, value)) = self.header {
            headers.insert(name, value);
        }
        response
    }
}

impl From<Unread> for Refused {
    fn from(unread: Unread) -> Self {
        match unread {
            Unread::NotJson => Self::NOT_JSON,
            Unread::NotMessage(text) => {
                Self { status: StatusCode::BAD_REQUEST, code: INVALID, text, header: None }
            }
        }
    }
}

impl From<Denied> for Refused {
    fn from(denied: Denied) -> Self {
        match denied {
            Denied::IdInUse => Self::ID_IN_USE,
            Denied::TooManyRequests => Self::TOO_MANY_REQUESTS,
            Denied::OtherSession => Self::TWO_SESSIONS,
        }
    }
}

impl From<NotOpened> for Refused {
    fn from(reason: NotOpened) -> Self {
        match reason {
            NotOpened::Taken => Self::TAKEN,
            NotOpened::Unknown => Self::NO_SESSION,
            NotOpened::TooMany => Self::TOO_MANY_STREAMS,
        }
    }
}
