//! The upgrade of an HTTP exchange to a WebSocket.

use http::header::{
    CONNECTION, HOST, HeaderMap, HeaderValue, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_EXTENSIONS,
    SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_PROTOCOL, SEC_WEBSOCKET_VERSION, UPGRADE,
};
use http::{Method, Response, StatusCode};
use hyper::body::Incoming;
use hyper_util::client::proxy::matcher::Intercept;
use hyper_util::rt::TokioIo;
use reqwest::{Upgraded, Url};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::handshake::client::generate_key;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;

use super::tunnel;
use crate::client::error::{Error, Exchanged, OPENING};
use crate::client::exchange::{Exchange, causes};
use crate::client::settings::Settings;

/// A socket through a tunnel.
pub(super) type Tunnelled = TokioIo<hyper::upgrade::Upgraded>;

/// Asks for a WebSocket, without subprotocols and without extensions.
pub(super) async fn upgrade(url: Url, settings: &Settings) -> Result<Upgraded, Error> {
    let exchange = Exchange::new(url, settings, false, |client, _| client.http1_only())?;
    let what = what();
    let (key, headers) = asked();
    let limit = settings.answer_timeout;
    let opened = timeout(limit, async {
        let answer = exchange.send(Method::GET, &headers, Vec::new(), &what).await?;
        check(answer.status(), answer.headers(), &key, &what)?;
        let failed = |error| Error::Network { exchange: what.clone(), problem: causes(error) };
        answer.upgrade().await.map_err(failed)
    });
    opened.await.unwrap_or_else(|_| Err(Error::TimedOut { exchange: what.clone(), after: limit }))
}

/// Asks for a WebSocket through a tunnel. If the server refuses the credentials, they are refreshed
/// once.
pub(super) async fn upgrade_through(
    proxy: &Intercept,
    url: Url,
    settings: &Settings,
) -> Result<Tunnelled, Error> {
    let exchange = Exchange::new(url.clone(), settings, false, |client, _| client)?;
    let what = what();
    let (key, headers) = asked();
    let limit = settings.answer_timeout;
    let mut refreshed = false;
    loop {
        let socket = tunnel::open(proxy, &url, settings).await?;
        let answer = timeout(limit, send(socket, &exchange, &headers, &url)).await;
        let late = Error::TimedOut { exchange: what.clone(), after: limit };
        let failed =
            |error: hyper::Error| Error::Network { exchange: what.clone(), problem: error.to_string() };
        let answer = answer.map_err(|_| late)?.map_err(failed)?;
        exchange.keep_cookies(answer.headers());
        if matches!(answer.status().as_u16(), 401 | 403) && !refreshed && exchange.refresh().await {
            refreshed = true;
            continue;
        }
        check(answer.status(), answer.headers(), &key, &what)?;
        return hyper::upgrade::on(answer).await.map(TokioIo::new).map_err(failed);
    }
}

async fn send(
    socket: tokio::net::TcpStream,
    exchange: &Exchange,
    headers: &HeaderMap,
    url: &Url,
) -> Result<Response<Incoming>, hyper::Error> {
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(socket)).await?;
    tokio::spawn(connection.with_upgrades());
    let mut request = http::Request::new(String::new());
    *request.headers_mut() = exchange.signed(headers).await;
    let path = match url.query() {
        Some(query) => format!("{}?{query}", url.path()),
        None => url.path().to_owned(),
    };
    if let Ok(path) = path.parse() {
        *request.uri_mut() = path;
    }
    let (name, port) = (url.host_str().unwrap_or_default(), url.port());
    let host = port.map_or_else(|| name.to_owned(), |port| format!("{name}:{port}"));
    if let Ok(host) = HeaderValue::from_str(&host) {
        request.headers_mut().entry(HOST).or_insert(host);
    }
    sender.send_request(request).await
}

fn what() -> Exchanged {
    Exchanged::new(OPENING, None, None)
}

/// Returns a key, and the headers of the request.
fn asked() -> (String, HeaderMap) {
    let key = generate_key();
    let mut headers = HeaderMap::new();
    headers.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
    headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
    headers.insert(SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"));
    if let Ok(key) = HeaderValue::from_str(&key) {
        headers.insert(SEC_WEBSOCKET_KEY, key);
    }
    (key, headers)
}

/// Checks that the answer is that of a WebSocket server, which proves it by a hash of the key.
fn check(status: StatusCode, headers: &HeaderMap, key: &str, what: &Exchanged) -> Result<(), Error> {
    let unexpected = |problem| Err(Error::Unexpected { exchange: what.clone(), problem });
    if status != StatusCode::SWITCHING_PROTOCOLS {
        return match status.as_u16() {
            200..300 => unexpected("the server does not speak WebSocket at this address"),
            status => Err(Error::Refused { exchange: what.clone(), status }),
        };
    }
    let accept = headers.get(SEC_WEBSOCKET_ACCEPT).map(HeaderValue::as_bytes);
    if accept != Some(derive_accept_key(key.as_bytes()).as_bytes()) {
        return unexpected("its `Sec-WebSocket-Accept` does not fit the key");
    }
    if headers.contains_key(SEC_WEBSOCKET_PROTOCOL) || headers.contains_key(SEC_WEBSOCKET_EXTENSIONS) {
        return unexpected("it has a subprotocol or an extension that was not offered");
    }
    Ok(())
}
