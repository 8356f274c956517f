//! A loopback port that waits for the browser to come back (RFC 8252, section 7.3).

use std::io;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};

use super::callback::Callback;

const PATH: &str = "/callback";
/// The longest request head that is read.
const LONGEST: usize = 16 * 1024;
/// The number of connections at the same time. Browsers open more than they use.
const MOST_CONNECTIONS: usize = 16;
const REQUEST_TIME: Duration = Duration::from_secs(20);
const PAUSE: Duration = Duration::from_millis(100);

const DONE: &str = "Done. You can close this page.";
const OTHER: &str = "This page belongs to another authorization, or to none.";

/// An open loopback port.
pub(super) struct Loopback {
    listener: TcpListener,
    uri: String,
}

impl Loopback {
    /// Opens a port. 0 stands for any free port.
    pub(super) async fn bind(port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", port)).await?;
        let uri = format!("http://{}{PATH}", listener.local_addr()?);
        Ok(Self { listener, uri })
    }

    pub(super) fn uri(&self) -> &str {
        &self.uri
    }

    /// Waits for the browser, and returns the address that it comes back with. Every program on
    /// this machine can connect, so visits without the state are ignored.
    pub(super) async fn callback(&self, state: &str) -> String {
        let mut visits = FuturesUnordered::new();
        loop {
            tokio::select! {
                Some(visit) = visits.next(), if !visits.is_empty() => {
                    if let Ok(Some(query)) = visit {
                        return query;
                    }
                }
                accepted = self.listener.accept(), if visits.len() < MOST_CONNECTIONS => {
                    if let Ok((socket, _)) = accepted {
                        visits.push(timeout(REQUEST_TIME, self.visit(socket, state)));
                    } else {
                        // Sockets or memory have run out, and are not back at once.
                        sleep(PAUSE).await;
                    }
                }
            }
        }
    }

    /// Answers the request of one connection.
    async fn visit(&self, mut socket: TcpStream, state: &str) -> Option<String> {
        let target = target(&mut socket).await?;
        let address = target.strip_prefix(PATH).filter(|query| query.starts_with('?'));
        let address = address.map(|query| format!("{}{query}", self.uri));
        let is_it =
            |address: &String| Callback::parse(address).is_some_and(|callback| callback.has_state(state));
        let address = address.filter(is_it);
        let (status, text) = if address.is_some() { ("200 OK", DONE) } else { ("404 Not Found", OTHER) };
        // The code must not leak from here to another site.
        let response = format!(
            "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {}\r\n\
             Referrer-Policy: no-referrer\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n{text}",
            text.len()
        );
        // The code is valid even if the browser does not read the answer.
        let _ = socket.write_all(response.as_bytes()).await;
        let _ = socket.shutdown().await;
        address
    }
}

/// Reads the target of a GET request.
async fn target(socket: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        if head.len() > LONGEST || socket.read_buf(&mut head).await.ok()? == 0 {
            return None;
        }
    }
    let line = head.split(|byte| *byte == b'\r').next()?;
    let line = std::str::from_utf8(line).ok()?;
    let target = line.strip_prefix("GET ")?.split(' ').next()?;
    Some(target.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn get(uri: &str, target: &str) -> String {
        let place = uri.strip_prefix("http://").unwrap().strip_suffix(PATH).unwrap();
        let mut socket = TcpStream::connect(place).await.unwrap();
        socket.write_all(format!("GET {target} HTTP/1.1\r\nHost: {place}\r\n\r\n").as_bytes()).await.unwrap();
        let mut answer = String::new();
        let _ = socket.read_to_string(&mut answer).await;
        answer
    }

    #[tokio::test]
    async fn only_who_knows_the_state_is_listened_to() {
        let loopback = Loopback::bind(0).await.unwrap();
        let uri = loopback.uri().to_owned();
        let visits = async {
            // A connection that is only opened does not block others.
            let place = uri.strip_prefix("http://").unwrap().strip_suffix(PATH).unwrap();
            let _idle = TcpStream::connect(place).await.unwrap();
            for target in
                ["/favicon.ico", "/callback", "/callback?code=c&state=wrong", "/callback?state=s&state=s"]
            {
                assert!(get(&uri, target).await.starts_with("HTTP/1.1 404 "), "{target}");
            }
            let answer = get(&uri, "/callback?code=c&state=s").await;
            assert!(answer.starts_with("HTTP/1.1 200 ") && answer.ends_with(DONE), "{answer}");
        };
        let (address, ()) = tokio::join!(loopback.callback("s"), visits);
        assert_eq!(address, format!("{uri}?code=c&state=s"));
    }
}
