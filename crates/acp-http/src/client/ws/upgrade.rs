//! The upgrade of an HTTP exchange to a WebSocket.

use http::header::{
    CONNECTION, HeaderMap, HeaderValue, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_EXTENSIONS, SEC_WEBSOCKET_KEY,
    SEC_WEBSOCKET_PROTOCOL, SEC_WEBSOCKET_VERSION, UPGRADE,
};
use http::{Method, StatusCode};
use reqwest::{Response, Upgraded, Url};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::handshake::client::generate_key;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;

use crate::client::error::{Error, Exchanged};
use crate::client::exchange::{Exchange, causes};
use crate::client::settings::Settings;

/// Asks for a WebSocket, without subprotocols and without extensions.
pub(super) async fn upgrade(url: Url, settings: &Settings) -> Result<Upgraded, Error> {
    let exchange = Exchange::new(url, settings, |client, _| client.http1_only())?;
    let what = Exchanged::new("upgrade to a WebSocket", None, None);
    let key = generate_key();
    let mut headers = HeaderMap::new();
    headers.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
    headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
    headers.insert(SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"));
    if let Ok(key) = HeaderValue::from_str(&key) {
        headers.insert(SEC_WEBSOCKET_KEY, key);
    }
    let limit = settings.answer_timeout;
    let opened = timeout(limit, async {
        let answer = exchange.send(Method::GET, &headers, Vec::new(), &what).await?;
        check(&answer, &key, &what)?;
        let failed = |error| Error::Network { exchange: what.clone(), problem: causes(error) };
        answer.upgrade().await.map_err(failed)
    });
    opened.await.unwrap_or_else(|_| Err(Error::TimedOut { exchange: what.clone(), after: limit }))
}

/// Checks that the answer is that of a WebSocket server, which proves it by a hash of the key.
fn check(answer: &Response, key: &str, what: &Exchanged) -> Result<(), Error> {
    let status = answer.status();
    let unexpected = |problem| Err(Error::Unexpected { exchange: what.clone(), problem });
    if status != StatusCode::SWITCHING_PROTOCOLS {
        return match status.as_u16() {
            200..300 => unexpected("the server does not speak WebSocket at this address"),
            status => Err(Error::Refused { exchange: what.clone(), status }),
        };
    }
    let headers = answer.headers();
    let accept = headers.get(SEC_WEBSOCKET_ACCEPT).map(HeaderValue::as_bytes);
    if accept != Some(derive_accept_key(key.as_bytes()).as_bytes()) {
        return unexpected("its `Sec-WebSocket-Accept` does not fit the key");
    }
    if headers.contains_key(SEC_WEBSOCKET_PROTOCOL) || headers.contains_key(SEC_WEBSOCKET_EXTENSIONS) {
        return unexpected("it has a subprotocol or an extension that was not offered");
    }
    Ok(())
}
