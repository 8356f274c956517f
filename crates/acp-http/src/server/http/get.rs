//! GET: a stream of events.

use http::header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue, Response};

use super::connection::Connections;
use super::events::Events;
use super::incoming::id_of;
use crate::server::access::grant::Grant;
use crate::server::access::principal::Principal;
use crate::server::body::Body;
use crate::server::close_code::NORMAL;
use crate::server::refusal::Refused;
use crate::wire::headers::{CONNECTION_ID, SESSION_ID, fits_header};

/// The number of the last event that a client has.
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
/// Tells nginx not to collect events.
const ACCEL_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// Opens a stream.
pub(crate) fn open(
    headers: &HeaderMap,
    connections: &Connections,
    grant: &Grant,
) -> Result<Response<Body>, Refused> {
    if !accepts_events(headers) {
        return Err(Refused::NOT_ACCEPTABLE);
    }
    let id = id_of(headers, CONNECTION_ID)?.ok_or(Refused::CONNECTION_MISSING)?;
    let connection = connections.find(id, &grant.principal).ok_or(Refused::NO_CONNECTION)?;
    let session = id_of(headers, SESSION_ID)?;
    if session.is_some_and(|session| !fits_header(session)) {
        return Err(Refused::TWO_IDS);
    }
    let stream = session.map(Into::into);
    let cursor = headers.get(LAST_EVENT_ID).and_then(|cursor| cursor.to_str().ok()?.parse().ok());
    let reader = connection.state().routes.open(&stream, cursor)?;
    let mut response = Response::new(Body::events(Events::new(connection, stream, reader, grant)));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store, no-transform"));
    headers.insert(ACCEL_BUFFERING, HeaderValue::from_static("no"));
    Ok(response)
}

/// Ends a connection at its client's wish.
pub(crate) fn delete(
    headers: &HeaderMap,
    connections: &Connections,
    principal: &Principal,
) -> Result<Response<Body>, Refused> {
    let id = id_of(headers, CONNECTION_ID)?.ok_or(Refused::CONNECTION_MISSING)?;
    let connection = connections.find(id, principal).ok_or(Refused::NO_CONNECTION)?;
    connections.remove(&connection.id);
    connection.close(NORMAL);
    Ok(super::post::accepted())
}

/// Returns true if the client takes a stream of events, or says nothing about it.
fn accepts_events(headers: &HeaderMap) -> bool {
    let mut values = headers.get_all(ACCEPT).iter().peekable();
    values.peek().is_none()
        || values.any(|value| {
            value.as_bytes().split(|byte| *byte == b',').any(|range| {
                let range = range.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
                range.eq_ignore_ascii_case(b"text/event-stream") || range == b"*/*"
            })
        })
}
