//! The recorder between a client and a server over HTTP: passes bytes on, and keeps the client's
//! requests.

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use anyhow::Context as _;
use serde_json::Value;

/// A message that the client has sent.
#[derive(Clone, Debug)]
pub(super) struct Sent {
    pub(super) message: Value,
    /// The header `MCP-Protocol-Version`, empty where it is missing; none without HTTP.
    pub(super) version_header: Option<String>,
}

/// Listens in the place of a server until it is dropped.
pub(super) struct Recorder {
    address: SocketAddr,
    sent: Arc<Mutex<Vec<Sent>>>,
    is_over: Arc<AtomicBool>,
}

impl Recorder {
    pub(super) fn before(server: SocketAddr) -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").context("cannot listen on the loopback device")?;
        let address = listener.local_addr()?;
        let (sent, is_over) = (Arc::<Mutex<Vec<Sent>>>::default(), Arc::<AtomicBool>::default());
        let (log, end) = (Arc::clone(&sent), Arc::clone(&is_over));
        thread::spawn(move || {
            for client in listener.incoming() {
                if end.load(Ordering::SeqCst) {
                    return;
                }
                let (Ok(client), Ok(server)) = (client, TcpStream::connect(server)) else { continue };
                // A connection that breaks is the business of its two ends.
                pass_both_ways(client, server, &log).ok();
            }
        });
        Ok(Self { address, sent, is_over })
    }

    pub(super) const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the messages that the client has sent so far, in order.
    pub(super) fn sent(&self) -> Vec<Sent> {
        self.sent.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        // The thread waits for a connection.
        TcpStream::connect(self.address).ok();
    }
}

fn pass_both_ways(client: TcpStream, server: TcpStream, log: &Arc<Mutex<Vec<Sent>>>) -> io::Result<()> {
    let (from_client, to_server) = (client.try_clone()?, server.try_clone()?);
    let log = Arc::clone(log);
    thread::spawn(move || {
        let mut requests = Requests::default();
        // Kept before it is passed on: what a server answers is in the log.
        pass(from_client, to_server, |bytes| {
            let sent = requests.read(bytes);
            log.lock().unwrap_or_else(PoisonError::into_inner).extend(sent);
        });
    });
    thread::spawn(move || pass(server, client, |_| {}));
    Ok(())
}

fn pass(mut from: TcpStream, mut to: TcpStream, mut see: impl FnMut(&[u8])) {
    let mut buffer = [0; 16 * 1024];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        let bytes = buffer.get(..length).unwrap_or_default();
        see(bytes);
        if to.write_all(bytes).is_err() {
            break;
        }
    }
    to.shutdown(Shutdown::Write).ok();
    from.shutdown(Shutdown::Read).ok();
}

/// Takes the requests of a connection apart. Their bodies have a length: nothing here sends them in
/// chunks.
#[derive(Default)]
pub(super) struct Requests {
    unread: Vec<u8>,
}

impl Requests {
    /// The messages that are complete with these bytes.
    pub(super) fn read(&mut self, bytes: &[u8]) -> Vec<Sent> {
        self.unread.extend_from_slice(bytes);
        let mut sent = Vec::new();
        while let Some((head, body)) = self.next() {
            if let Ok(message) = serde_json::from_slice(&body) {
                let version = header(&head, "mcp-protocol-version").unwrap_or_default();
                sent.push(Sent { message, version_header: Some(version.to_owned()) });
            }
        }
        sent
    }

    /// Head and body of the next request, once it is all there.
    fn next(&mut self) -> Option<(String, Vec<u8>)> {
        const END: &[u8] = b"\r\n\r\n";
        let end = self.unread.windows(END.len()).position(|window| window == END)?;
        let head = String::from_utf8_lossy(self.unread.get(..end)?).into_owned();
        let length = header(&head, "content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
        let body = end + END.len();
        let body = self.unread.get(body..body + length)?.to_vec();
        self.unread.drain(..end + END.len() + length);
        Some((head, body))
    }
}

fn header<'a>(head: &'a str, wanted: &str) -> Option<&'a str> {
    let mut headers = head.lines().filter_map(|line| line.split_once(':'));
    headers.find(|(name, _)| name.eq_ignore_ascii_case(wanted)).map(|(_, value)| value.trim())
}
