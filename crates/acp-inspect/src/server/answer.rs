//! Answers and their headers.

use std::convert::Infallible;

use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::header::{
    CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderValue, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use hyper::{Response, StatusCode};
use serde_json::{Value, json};

const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);

/// An answer to a browser.
pub(super) type Answer = Response<UnsyncBoxBody<Bytes, Infallible>>;

/// Makes an answer of a body.
pub(super) fn body(status: StatusCode, kind: &'static str, body: UnsyncBoxBody<Bytes, Infallible>) -> Answer {
    let mut answer = Response::new(body);
    *answer.status_mut() = status;
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CONTENT_SECURITY_POLICY, POLICY);
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer
}

/// Makes an answer of bytes.
pub(super) fn bytes(status: StatusCode, kind: &'static str, content: impl Into<Bytes>) -> Answer {
    body(status, kind, Full::new(content.into()).boxed_unsync())
}

/// Makes an answer of JSON.
pub(super) fn json(status: StatusCode, value: &Value) -> Answer {
    bytes(status, "application/json", value.to_string())
}

/// Makes a refusal, with a sentence for people.
pub(super) fn refusal(status: StatusCode, says: &str) -> Answer {
    json(status, &json!({"says": says}))
}

/// Makes an answer that the browser saves as a file.
pub(super) fn file(name: &str, kind: &'static str, content: Vec<u8>) -> Answer {
    let mut answer = bytes(StatusCode::OK, kind, content);
    if let Ok(value) = HeaderValue::from_str(&format!("attachment; filename=\"{name}\"")) {
        answer.headers_mut().insert(CONTENT_DISPOSITION, value);
    }
    answer
}
