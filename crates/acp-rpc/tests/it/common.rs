//! A service with the handlers of these tests, and the other end of the wire in raw bytes.

#![allow(dead_code, reason = "each test file uses its own part of this")]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use acp_json::{Fields, FromNode, Node, ReadError, Record, Value};
use acp_rpc::{
    CloseReason, Delivery, Driver, Error, Fault, Options, Peer, Reply, Request, Service, Task, Transport,
    connect,
};
use serde_core::ser::SerializeMap;
use testkit::ScriptedPeer;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{Semaphore, mpsc};
use tokio::time::timeout;

/// The time that a test waits for something that should happen at once. Only a failure takes this
/// long.
pub(crate) const GUARD: Duration = Duration::from_secs(60);

/// Awaits something that must not take long.
pub(crate) async fn soon<F: Future>(what: &str, future: F) -> F::Output {
    match timeout(GUARD, future).await {
        Ok(output) => output,
        Err(_) => panic!("waited in vain for {what}"),
    }
}

/// The events on the service's side, in order.
pub(crate) type Log = Arc<Mutex<Vec<String>>>;

/// Handles the methods of these tests:
///
/// requests `echo` (returns its params), `typed` (reads them), `fail`, `panic`, `panic_at_once`,
/// `unwritable`, `hang` (until it is cancelled), `stuck` (for ever), `nest` (calls the peer's
/// `nest` with one less until 0); notifications `note` (logged), `lane` (logged in the lane named
/// by `lane`, after a permit of the gate), `slow` (yields a few times in a lane, then notifies
/// `done`), `explode` and `explode_beside` (panic).
#[derive(Clone)]
pub(crate) struct Lab {
    pub(crate) log: Log,
    pub(crate) faults: Log,
    /// Jobs of lanes wait for a permit each.
    pub(crate) gate: Arc<Semaphore>,
    events: mpsc::UnboundedSender<String>,
}

impl Lab {
    pub(crate) fn new() -> (Self, mpsc::UnboundedReceiver<String>) {
        let (events, receiver) = mpsc::unbounded_channel();
        let gate = Arc::new(Semaphore::new(0));
        (Self { log: Log::default(), faults: Log::default(), gate, events }, receiver)
    }

    fn note(&self, event: String) {
        self.log.lock().unwrap().push(event.clone());
        let _ = self.events.send(event);
    }

    pub(crate) fn faults(&self) -> Vec<String> {
        self.faults.lock().unwrap().clone()
    }
}

impl Service for Lab {
    fn request(&self, method: &str, params: Node<'_>, request: Request) -> Result<Task, Error> {
        let lab = self.clone();
        let params: Value = acp_json::read(params).unwrap();
        match method {
            "echo" => Ok(Box::pin(async move { Ok(Reply::new(params)) })),
            "typed" => match acp_json::read::<Position>(params.into_node()) {
                Ok(Position { line }) => Ok(Box::pin(async move { Ok(Reply::new(line)) })),
                Err(error) => Err(Error::invalid_params(error.to_string())),
            },
            "empty" => Ok(Box::pin(async move { Ok(Reply::empty()) })),
            "fail" => Ok(Box::pin(async move { Err(Error::invalid_params("no good").with_data(params)) })),
            "panic" => Ok(Box::pin(async move { panic!("handler panic") })),
            "panic_at_once" => panic!("reader panic"),
            "unwritable" => Ok(Box::pin(async move { Ok(Reply::new(Unwritable)) })),
            "after" => Ok(Box::pin(async move {
                Ok(Reply::empty().after(|peer| peer.notify_now("followed", &()).unwrap()))
            })),
            "hang" => Ok(Box::pin(async move {
                lab.note(format!("started {}", request.id));
                request.cancel.cancelled().await;
                lab.note(format!("cancelled {}", request.id));
                Err(Error::cancelled())
            })),
            "stuck" => Ok(Box::pin(async move {
                let _alive = Gone(lab.clone(), format!("dropped {}", request.id));
                lab.note(format!("started {}", request.id));
                std::future::pending().await
            })),
            "nest" => Ok(Box::pin(async move {
                let depth = params.as_i64().unwrap();
                if depth == 0 {
                    return Ok(Reply::new("bottom"));
                }
                let deeper = request.peer.request::<_, String>("nest", &(depth - 1)).await;
                Ok(Reply::new(format!(
                    "{depth} {}",
                    deeper.map_err(|error| Error::internal(error.to_string()))?
                )))
            })),
            _ => Err(Error::method_not_found(method)),
        }
    }

    fn notification(&self, method: &str, params: Node<'_>, peer: &Peer) -> Delivery {
        let lab = self.clone();
        let params: Value = acp_json::read(params).unwrap();
        let peer = peer.clone();
        match method {
            "note" => Delivery::Task(Box::pin(async move { lab.note(format!("note {params}")) })),
            "lane" => Delivery::Lane {
                lane: params.get("lane").and_then(Node::as_str).unwrap().into(),
                job: Box::pin(async move {
                    lab.gate.acquire().await.unwrap().forget();
                    lab.note(params.get("text").and_then(Node::as_str).unwrap().to_owned());
                }),
            },
            "lane_that_calls" => Delivery::Lane {
                lane: "calls".into(),
                job: Box::pin(async move {
                    let answer = peer.request::<_, String>("nest", &2).await;
                    lab.note(answer.unwrap());
                }),
            },
            "slow" => Delivery::Lane {
                lane: "slow".into(),
                job: Box::pin(async move {
                    for _ in 0..20 {
                        tokio::task::yield_now().await;
                    }
                    peer.notify("done", &params).await.unwrap();
                }),
            },
            "explode_beside" => Delivery::Task(Box::pin(async { panic!("task panic") })),
            "explode" => Delivery::Lane { lane: "boom".into(), job: Box::pin(async { panic!("job panic") }) },
            "explode_at_once" => panic!("reader panic"),
            _ => Delivery::Ignore,
        }
    }

    fn fault(&self, fault: Fault<'_>) {
        self.faults.lock().unwrap().push(fault.to_string());
    }

    fn closed(&self, reason: &CloseReason) {
        self.note(format!("closed: {reason}"));
    }
}

/// Params of a type.
struct Position {
    line: u32,
}

impl Record for Position {
    fn read(fields: &mut Fields<'_, '_>) -> Result<Self, ReadError> {
        Ok(Self { line: fields.required("line", FromNode::from_node)? })
    }

    fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        map.serialize_entry("line", &self.line)
    }
}

acp_json::record!(Position);

/// Reports when it is dropped.
struct Gone(Lab, String);

impl Drop for Gone {
    fn drop(&mut self) {
        self.0.note(std::mem::take(&mut self.1));
    }
}

/// A result whose serialiser fails.
pub(crate) struct Unwritable;

impl serde_core::Serialize for Unwritable {
    fn serialize<S: serde_core::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(serde_core::ser::Error::custom("cannot be written"))
    }
}

/// The far end of a connection, as lines.
pub(crate) struct Wire(ScriptedPeer);

impl Wire {
    pub(crate) fn new(stream: impl AsyncRead + AsyncWrite + Send + 'static) -> Self {
        let (reader, writer) = tokio::io::split(stream);
        Self::over(reader, writer)
    }

    /// Reads only the lines that a test takes: many tests are about a peer that does not read.
    pub(crate) fn over(
        reader: impl AsyncRead + Send + 'static,
        writer: impl AsyncWrite + Send + 'static,
    ) -> Self {
        let peer = ScriptedPeer::new(reader, writer).patience(GUARD);
        Self(peer.reads_late().keep(8).limit(usize::MAX))
    }

    pub(crate) async fn send(&mut self, line: impl AsRef<[u8]>) {
        self.send_raw([line.as_ref(), b"\n"].concat()).await;
    }

    pub(crate) async fn send_raw(&mut self, bytes: impl AsRef<[u8]>) {
        self.0.raw(bytes).await.unwrap();
    }

    /// The next line, or `None` at the end.
    pub(crate) async fn line(&mut self) -> Option<String> {
        let line = self.0.next_line().await.unwrap()?;
        assert!(line.ended, "a line without its end");
        Some(String::from_utf8(line.bytes).unwrap().trim_end().to_owned())
    }

    pub(crate) async fn next(&mut self) -> String {
        self.line().await.expect("a line, not the end")
    }

    /// Returns the next line that contains `part`.
    pub(crate) async fn next_of(&mut self, part: &str) -> String {
        loop {
            let line = self.next().await;
            if line.contains(part) {
                return line;
            }
        }
    }

    /// Closes the way to the service, and returns the lines that it still sends.
    pub(crate) async fn finish(mut self) -> Vec<String> {
        self.shut_down().await;
        self.rest().await
    }

    /// Closes the way to the service.
    pub(crate) async fn shut_down(&mut self) {
        self.0.close().await;
    }

    /// Returns all lines up to the end.
    pub(crate) async fn rest(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        while let Some(line) = self.line().await {
            lines.push(line);
        }
        lines
    }
}

/// A service behind a raw wire, not running yet.
pub(crate) fn raw(service: impl Service, options: Options) -> (Wire, Peer, Driver) {
    raw_with_capacity(service, options, 64 * 1024)
}

pub(crate) fn raw_with_capacity(
    service: impl Service,
    options: Options,
    capacity: usize,
) -> (Wire, Peer, Driver) {
    let (near, far) = tokio::io::duplex(capacity);
    let (peer, driver) = connect(Transport::from_stream(near), service, options);
    (Wire::new(far), peer, driver)
}
