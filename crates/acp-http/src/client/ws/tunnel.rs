//! A way through a proxy of the environment, for a WebSocket without TLS.
//!
//! Proxies do not pass an upgrade on, so it needs a tunnel. Over TLS the HTTP client makes one.

use std::io;

use http::{HeaderValue, Uri};
use hyper_util::client::proxy::matcher::{Intercept, Matcher};
use reqwest::Url;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::client::error::{Error, Exchanged};
use crate::client::settings::Settings;

/// The longest head of a proxy's answer.
const LONGEST_HEAD: usize = 8 * 1024;

/// Returns the proxy that `HTTP_PROXY` and the like name for this address.
pub(super) fn proxy(url: &Url) -> Option<Intercept> {
    let uri: Uri = url.as_str().parse().ok()?;
    Matcher::from_env().intercept(&uri).filter(|_| url.scheme() == "http")
}

/// Opens a tunnel to the server.
pub(super) async fn open(proxy: &Intercept, url: &Url, settings: &Settings) -> Result<TcpStream, Error> {
    let what = Exchanged::new("tunnel through the proxy", None, None);
    let limit = settings.connect_timeout;
    let tunnel = async {
        let mut socket = reach(proxy)
            .await
            .map_err(|error| Error::Unreachable { exchange: what.clone(), problem: error.to_string() })?;
        let failed = |error: io::Error| Error::Network { exchange: what.clone(), problem: error.to_string() };
        socket.write_all(&request(proxy, url)).await.map_err(failed)?;
        let head = head(&mut socket).await.map_err(failed)?;
        let status =
            head.split(|byte| *byte == b' ').nth(1).and_then(|status| std::str::from_utf8(status).ok());
        match status.and_then(|status| status.parse().ok()) {
            Some(200..300) => Ok(socket),
            Some(status) => Err(Error::Refused { exchange: what.clone(), status }),
            None => Err(Error::Unexpected { exchange: what.clone(), problem: "it is not HTTP" }),
        }
    };
    let late = || Err(Error::TimedOut { exchange: what.clone(), after: limit });
    timeout(limit, tunnel).await.unwrap_or_else(|_| late())
}

async fn reach(proxy: &Intercept) -> io::Result<TcpStream> {
    let uri = proxy.uri();
    if uri.scheme_str() != Some("http") {
        let problem = "a WebSocket without TLS goes only through proxies of `http://`: use `wss`";
        return Err(io::Error::new(io::ErrorKind::Unsupported, problem));
    }
    let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
    let socket = TcpStream::connect((host, uri.port_u16().unwrap_or(80))).await?;
    socket.set_nodelay(true)?;
    Ok(socket)
}

fn request(proxy: &Intercept, url: &Url) -> Vec<u8> {
    let (host, port) = (url.host_str().unwrap_or_default(), url.port_or_known_default().unwrap_or(80));
    let mut request = format!("CONNECT {host}:{port} HTTP/1.1\r\nhost: {host}:{port}\r\n").into_bytes();
    if let Some(credentials) = proxy.basic_auth().map(HeaderValue::as_bytes) {
        request.extend_from_slice(b"proxy-authorization: ");
        request.extend_from_slice(credentials);
        request.extend_from_slice(b"\r\n");
    }
    request.extend_from_slice(b"\r\n");
    request
}

/// Reads the head of the proxy's answer, and nothing behind it.
async fn head(socket: &mut TcpStream) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        if head.len() >= LONGEST_HEAD {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the answer of the proxy is too long"));
        }
        head.push(socket.read_u8().await?);
    }
    Ok(head)
}
