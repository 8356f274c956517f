//! A connection with a consumer that keeps everything, and the peer's end of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use acp_json::{Node, Value};
use acp_rpc::{
    CancellationToken, Delivery, Error, Options, Peer, Reply, Request, Service, Task, Transport, connect,
};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf};
use tokio::task::{JoinHandle, yield_now};

const PING: &[u8] = b"{\"jsonrpc\":\"2.0\",\"id\":\"ping\",\"method\":\"ping\"}\n";
const PONG: &[u8] = b"{\"jsonrpc\":\"2.0\",\"id\":\"ping\",\"result\":{}}\n";

/// Keeps the params of all messages until the gate opens: requests `hang`, notifications `lane` (in
/// the lane named by the first of the params) and `task`. Answers `ping` at once, and `four` with
/// its params four times.
struct Hoarder {
    gate: CancellationToken,
}

impl Service for Hoarder {
    fn request(&self, method: &str, params: Node<'_>, _: Request) -> Result<Task, Error> {
        let gate = self.gate.clone();
        match method {
            "ping" => Ok(Box::pin(async { Ok(Reply::empty()) })),
            "hang" => {
                let params: Value = acp_json::read(params).unwrap();
                Ok(Box::pin(async move {
                    gate.cancelled().await;
                    Ok(Reply::new(params.is_null()))
                }))
            }
            "four" => {
                let params = params.as_str().unwrap().repeat(4);
                Ok(Box::pin(async move { Ok(Reply::new(params)) }))
            }
            _ => Err(Error::method_not_found(method)),
        }
    }

    fn notification(&self, method: &str, params: Node<'_>, _: &Peer) -> Delivery {
        let gate = self.gate.clone();
        let params: Value = acp_json::read(params).unwrap();
        let lane = match params.as_node() {
            Node::Seq(items) => items.first().and_then(Node::as_str).map(Arc::from),
            _ => None,
        };
        let job = Box::pin(async move {
            gate.cancelled().await;
            drop(params);
        });
        match (method, lane) {
            ("lane", lane) => Delivery::Lane { lane: lane.unwrap_or_else(|| Arc::from("only")), job },
            _ => Delivery::Task(job),
        }
    }
}

pub(crate) struct Stage {
    pub(crate) peer: Peer,
    gate: CancellationToken,
    end: CancellationToken,
    reader: Option<BufReader<ReadHalf<DuplexStream>>>,
    writer: Option<WriteHalf<DuplexStream>>,
}

impl Stage {
    /// A connection that has served already.
    pub(crate) async fn new(options: Options) -> Self {
        let (near, far) = tokio::io::duplex(64 * 1024);
        let gate = CancellationToken::new();
        let hoarder = Hoarder { gate: gate.clone() };
        let (peer, driver) = connect(Transport::from_stream(near), hoarder, options);
        tokio::spawn(driver);
        let (reader, writer) = tokio::io::split(far);
        let mut stage = Self {
            peer,
            gate,
            end: CancellationToken::new(),
            reader: Some(BufReader::new(reader)),
            writer: Some(writer),
        };
        for _ in 0..10 {
            stage.serves().await;
        }
        stage
    }

    /// Lets the peer send all of this, and a ping once [`pings`](Self::pings) says so. Returns the
    /// number of pieces that have been taken.
    pub(crate) fn flood<B: AsRef<[u8]> + Send>(
        &mut self,
        pieces: impl Iterator<Item = B> + Send + 'static,
    ) -> Arc<AtomicUsize> {
        let taken = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&taken);
        let (mut writer, end) = (self.writer.take().unwrap(), self.end.clone());
        tokio::spawn(async move {
            for piece in pieces {
                writer.write_all(piece.as_ref()).await.unwrap();
                counter.fetch_add(1, Ordering::Relaxed);
            }
            end.cancelled().await;
            writer.write_all(PING).await.unwrap();
            std::future::pending::<()>().await;
        });
        taken
    }

    /// Lets the peer read until its ping is answered. Returns the number of lines.
    pub(crate) fn read(&mut self) -> (Arc<AtomicUsize>, JoinHandle<()>) {
        let seen = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&seen);
        let mut reader = self.reader.take().unwrap();
        let reading = tokio::spawn(async move {
            let mut line = Vec::new();
            while line != PONG {
                line.clear();
                assert_ne!(reader.read_until(b'\n', &mut line).await.unwrap(), 0, "the end");
                counter.fetch_add(1, Ordering::Relaxed);
            }
        });
        (seen, reading)
    }

    /// Lets the peer read this many bytes, and then no more.
    pub(crate) async fn reads(&mut self, bytes: usize) {
        let mut rest = self.reader.as_mut().unwrap().take(bytes as u64);
        tokio::io::copy(&mut rest, &mut tokio::io::sink()).await.unwrap();
    }

    /// Releases everything that is kept.
    pub(crate) fn open_gate(&self) {
        self.gate.cancel();
    }

    /// Lets the flood end with a ping.
    pub(crate) fn pings(&self) {
        self.end.cancel();
    }

    /// Waits until the flood has passed and the ping that ends it is answered.
    pub(crate) async fn recovers(&mut self) {
        self.open_gate();
        self.pings();
        self.read().1.await.unwrap();
    }

    /// Sends a request and waits for its answer, past everything else.
    pub(crate) async fn serves(&mut self) {
        let (reader, writer) = (self.reader.as_mut().unwrap(), self.writer.as_mut().unwrap());
        let mut line = Vec::new();
        let answered = async {
            while line != PONG {
                line.clear();
                assert_ne!(reader.read_until(b'\n', &mut line).await.unwrap(), 0, "the end");
            }
        };
        tokio::join!(async { writer.write_all(PING).await.unwrap() }, answered);
    }
}

/// Waits until a counter does not change any more. On one thread, without input from outside, that
/// is final.
pub(crate) async fn stands_still(counter: &AtomicUsize) {
    let mut before = usize::MAX;
    while before != counter.load(Ordering::Relaxed) {
        before = counter.load(Ordering::Relaxed);
        for _ in 0..1000 {
            yield_now().await;
        }
    }
}
