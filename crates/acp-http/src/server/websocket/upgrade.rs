//! The request that becomes a WebSocket.

use std::sync::Arc;

use http::header::{
    CONNECTION, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_PROTOCOL, SEC_WEBSOCKET_VERSION,
    UPGRADE,
};
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode, Version};
use hyper::upgrade::OnUpgrade;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;

use super::life;
use crate::server::access::connection_id::ConnectionId;
use crate::server::agent::{Caller, Closing, Factory};
use crate::server::body::Body;
use crate::server::options::Options;
use crate::server::refusal::Refused;
use crate::server::seats::Seats;
use crate::wire::headers::CONNECTION_ID;

/// The only subprotocol that is ever chosen. Others that a client offers may hold a secret.
const PROTOCOL: &str = "acp";

/// Returns true if the request wants to become a WebSocket.
pub(crate) fn is_wanted(parts: &Parts) -> bool {
    parts.method == Method::GET && has(&parts.headers, UPGRADE, "websocket")
}

/// Answers the request, and starts an agent as soon as the socket is there.
pub(crate) fn accept(
    mut parts: Parts,
    caller: &Caller,
    options: &Options,
    seats: &Arc<Seats>,
    factory: &Factory,
) -> Result<Response<Body>, Refused> {
    let headers = &parts.headers;
    let key = headers.get(SEC_WEBSOCKET_KEY).filter(|key| key.len() == 24).ok_or(Refused::UPGRADE)?;
    let is_valid = parts.version == Version::HTTP_11
        && has(headers, CONNECTION, "upgrade")
        && headers.get(SEC_WEBSOCKET_VERSION).is_some_and(|version| version == "13");
    let accept = HeaderValue::from_str(&derive_accept_key(key.as_bytes())).map_err(|_| Refused::BROKEN)?;
    let protocol = has(headers, SEC_WEBSOCKET_PROTOCOL, PROTOCOL);
    let upgrade = parts.extensions.remove::<OnUpgrade>().filter(|_| is_valid).ok_or(Refused::UPGRADE)?;
    let seat = seats.take(&options.limits, caller)?;
    let id = ConnectionId::random(options.replica.as_deref()).ok_or(Refused::BROKEN)?;
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    let headers = response.headers_mut();
    headers.insert(CONNECTION, HeaderValue::from_static("upgrade"));
    headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
    headers.insert(SEC_WEBSOCKET_ACCEPT, accept);
    headers.insert(CONNECTION_ID, id.header().ok_or(Refused::BROKEN)?);
    if protocol {
        headers.insert(SEC_WEBSOCKET_PROTOCOL, HeaderValue::from_static(PROTOCOL));
    }
    let (agent, remote) = (Arc::clone(factory), caller.remote(id));
    let closing = Arc::new(Closing::new(seats.closing.child_token(), &remote));
    let run = move |transport| agent(transport, remote);
    let (policy, credentials) = (options.policy.clone(), caller.grant.end());
    tokio::spawn(life::run(upgrade, closing, seat, options.limits, policy, credentials, run));
    Ok(response)
}

/// Returns true if a list in a header has this word.
fn has(headers: &HeaderMap, name: HeaderName, word: &str) -> bool {
    headers.get_all(name).iter().any(|value| {
        value
            .as_bytes()
            .split(|byte| *byte == b',')
            .any(|it| it.trim_ascii().eq_ignore_ascii_case(word.as_bytes()))
    })
}
