//! The recorder between a client and a server over HTTP: passes bytes on, and keeps the client's
//! requests.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use crate::interop::between::Between;
use crate::interop::http_messages::{HttpMessages, header};

/// A message that the client has sent.
#[derive(Clone, Debug)]
pub(super) struct Sent {
    pub(super) message: Value,
    /// The header `MCP-Protocol-Version`, empty where it is missing; none without HTTP.
    pub(super) version_header: Option<String>,
}

/// Listens in the place of a server until it is dropped.
pub(super) struct Recorder {
    between: Between,
    sent: Arc<Mutex<Vec<Sent>>>,
}

impl Recorder {
    pub(super) fn before(server: SocketAddr) -> anyhow::Result<Self> {
        let sent = Arc::<Mutex<Vec<Sent>>>::default();
        let log = Arc::clone(&sent);
        let between = Between::start(server, move || {
            let (log, mut requests) = (Arc::clone(&log), Requests::default());
            // Kept before it is passed on: what a server answers is in the log.
            let see = move |bytes: &[u8]| {
                let sent = requests.read(bytes);
                log.lock().unwrap_or_else(PoisonError::into_inner).extend(sent);
            };
            [Box::new(see), Box::new(|_: &[u8]| {})]
        })?;
        Ok(Self { between, sent })
    }

    pub(super) const fn address(&self) -> SocketAddr {
        self.between.address()
    }

    /// Returns the messages that the client has sent so far, in order.
    pub(super) fn sent(&self) -> Vec<Sent> {
        self.sent.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The messages in the requests of a connection.
#[derive(Default)]
pub(super) struct Requests(HttpMessages);

impl Requests {
    /// The messages that are complete with these bytes.
    pub(super) fn read(&mut self, bytes: &[u8]) -> Vec<Sent> {
        let requests = self.0.read(bytes).into_iter();
        let sent = requests.filter_map(|(head, body)| {
            let message = serde_json::from_slice(&body).ok()?;
            let version = header(&head, "mcp-protocol-version").unwrap_or_default();
            Some(Sent { message, version_header: Some(version.to_owned()) })
        });
        sent.collect()
    }
}
