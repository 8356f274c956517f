//! A server whose agents flood their clients, or do not take what these send.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use acp_http::server::{Listening, Options, Server};
use acp_json::{Node, Value};
use acp_rpc::{CancellationToken, Delivery, Error, Peer, Reply, Request, Service, Task, connect};
use tokio::task::yield_now;

/// The size of the text of an update.
pub(crate) const TEXT: usize = 150;

/// Floods with `session/update` when it is asked to `flood` a session. Keeps notifications `keep`
/// until the gate opens. Answers all else.
struct Agent {
    sent: Arc<AtomicUsize>,
    gate: CancellationToken,
}

impl Service for Agent {
    fn request(&self, method: &str, params: Node<'_>, request: Request) -> Result<Task, Error> {
        let params: Value = acp_json::read(params).unwrap();
        let (sent, floods) = (Arc::clone(&self.sent), method == "flood");
        Ok(Box::pin(async move {
            let session = params.get("sessionId").and_then(Node::as_str).unwrap_or_default();
            let count = params.get("count").and_then(Node::as_i64).unwrap_or(0);
            let update = serde_json::json!({"sessionId": session, "text": "x".repeat(TEXT)});
            for _ in 0..if floods { count } else { 0 } {
                if request.peer.notify("session/update", &update).await.is_err() {
                    break;
                }
                sent.fetch_add(1, Ordering::Relaxed);
            }
            Ok(Reply::new(serde_json::json!({"protocolVersion": 1})))
        }))
    }

    fn notification(&self, method: &str, params: Node<'_>, _: &Peer) -> Delivery {
        if method != "keep" {
            return Delivery::Done;
        }
        let (params, gate): (Value, _) = (acp_json::read(params).unwrap(), self.gate.clone());
        let job = Box::pin(async move {
            gate.cancelled().await;
            drop(params);
        });
        Delivery::Lane { lane: Arc::from("only"), job }
    }
}

/// The server, and what its agents do.
pub(crate) struct Stage {
    pub(crate) listening: Listening,
    /// The updates that were sent.
    pub(crate) sent: Arc<AtomicUsize>,
    pub(crate) gate: CancellationToken,
}

impl Stage {
    pub(crate) async fn new(
        options: Options,
        limits: impl Fn() -> acp_rpc::Options + Send + Sync + 'static,
    ) -> Self {
        let (sent, gate) = (Arc::new(AtomicUsize::new(0)), CancellationToken::new());
        let (counter, token) = (Arc::clone(&sent), gate.clone());
        let server = Server::new(options, move |transport, _| {
            let agent = Agent { sent: Arc::clone(&counter), gate: token.clone() };
            connect(transport, agent, limits()).1
        });
        Self { listening: server.listen("127.0.0.1:0").await.unwrap(), sent, gate }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.listening.address()
    }

    /// Waits until the agents send nothing more, and checks that they wait.
    pub(crate) async fn stands_still(&self, most: usize) {
        let sent = stands_still(&self.sent).await;
        assert!(sent < most, "the agents must wait");
    }
}

/// Waits until a number has not changed for many rounds of all that is ready.
pub(crate) async fn stands_still(number: &AtomicUsize) -> usize {
    let mut before = usize::MAX;
    loop {
        for _ in 0..100_000 {
            yield_now().await;
        }
        let now = number.load(Ordering::Relaxed);
        if now > 0 && now == before {
            return now;
        }
        before = now;
    }
}
