//! Agents that do not take what they are sent, and messages that never end.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use acp_http::server::Options;
use acp_testkit::Meter;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::agent::{Stage, stands_still};
use crate::cases::{Case, MIB};
use crate::client::{INITIALIZE, frame, initialize, post, send, upgrade};

pub(crate) const CASES: &[Case] = &[
    ("messages over a WebSocket that the agent does not take", || Box::pin(websocket())),
    ("messages over HTTP that the agent does not take", || Box::pin(posts())),
    ("a gigabyte in a body", || Box::pin(long_bodies())),
    ("a gigabyte in a frame", || Box::pin(long_frames())),
    ("10,000 times initialize", || Box::pin(initializations())),
    ("4,000 half-open sockets", || Box::pin(half_open())),
];

const BUDGET: usize = 16 * MIB;

fn limits() -> acp_rpc::Options {
    acp_rpc::Options::default().incoming_budget(BUDGET)
}

fn keep() -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"keep","params":{{"text":"{}"}}}}"#, "x".repeat(200))
}

async fn websocket() {
    let stage = Stage::new(Options::new(), limits).await;
    let mut socket = upgrade(stage.address()).await;
    send(&mut socket, INITIALIZE).await.unwrap();
    let taken = Arc::new(AtomicUsize::new(0));
    let (counter, message) = (Arc::clone(&taken), keep());
    let meter = Meter::new().unwrap();
    tokio::spawn(async move {
        while send(&mut socket, &message).await.is_ok() {
            counter.fetch_add(1, Ordering::Relaxed);
        }
    });
    stands_still(&taken).await;
    meter.stayed_within(BUDGET).unwrap();
    let before = taken.load(Ordering::Relaxed);
    stage.gate.cancel();
    // It goes on.
    while taken.load(Ordering::Relaxed) == before {
        tokio::task::yield_now().await;
    }
}

/// Many messages at a time: those that have no place are refused.
async fn posts() {
    const MESSAGE: usize = 2 * MIB;
    let options = Options::new().message(MESSAGE).connections_per_address(1_000);
    let stage = Stage::new(options, || limits().incoming_budget(MIB)).await;
    let id = initialize(stage.address()).await;
    let (done, address) = (Arc::new(AtomicUsize::new(0)), stage.address());
    let text = Arc::new("x".repeat(MESSAGE - 100));
    let meter = Meter::new().unwrap();
    for _ in 0..100 {
        let (done, text, id) = (Arc::clone(&done), Arc::clone(&text), id.clone());
        tokio::spawn(async move {
            let mut socket = TcpStream::connect(address).await.unwrap();
            let start = r#"{"jsonrpc":"2.0","method":"keep","params":""#;
            let length = start.len() + text.len() + 2;
            let head = format!(
                "POST /acp HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\n{id}\
                 content-length: {length}\r\n\r\n{start}"
            );
            let _ = socket.write_all(head.as_bytes()).await;
            for piece in text.as_bytes().chunks(64 * 1024) {
                done.fetch_add(1, Ordering::Relaxed);
                if socket.write_all(piece).await.is_err() {
                    break;
                }
            }
            let _ = socket.write_all(b"\"}").await;
            std::future::pending::<()>().await;
        });
    }
    stands_still(&done).await;
    // Twice the longest message on its way, the agent's own budget, and the line that it reads and
    // its values.
    meter.stayed_below(2 * MESSAGE + MIB + 3 * MESSAGE).unwrap();
    initialize(stage.address()).await;
}

async fn long_bodies() {
    let stage = Stage::new(Options::new().message(MIB), limits).await;
    let id = initialize(stage.address()).await;
    let meter = Meter::new().unwrap();
    for id in ["", &id] {
        for length in ["content-length: 1073741824", "transfer-encoding: chunked"] {
            let mut socket = TcpStream::connect(stage.address()).await.unwrap();
            let head = format!(
                "POST /acp HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\n{id}{length}\r\n\r\n",
                stage.address()
            );
            socket.write_all(head.as_bytes()).await.unwrap();
            let chunk = format!("10000\r\n{}\r\n", " ".repeat(65536));
            for _ in 0..16 * 1024 {
                if socket.write_all(chunk.as_bytes()).await.is_err() {
                    break;
                }
            }
        }
    }
    // The longest message, in a buffer that grows by doubling.
    meter.stayed_below(2 * MIB).unwrap();
    initialize(stage.address()).await;
}

async fn long_frames() {
    const GIB: usize = 1 << 30;
    let stage = Stage::new(Options::new().message(MIB), limits).await;
    let piece = [b' '; 64 * 1024];
    let meter = Meter::new().unwrap();
    // One frame.
    let mut socket = upgrade(stage.address()).await;
    socket.write_all(&frame(GIB)).await.unwrap();
    for _ in 0..GIB / piece.len() {
        if socket.write_all(&piece).await.is_err() {
            break;
        }
    }
    // Fragments without an end.
    let mut socket = upgrade(stage.address()).await;
    for number in 0..GIB / piece.len() {
        let mut head = frame(piece.len());
        head[0] = u8::from(number == 0);
        if socket.write_all(&head).await.is_err() || socket.write_all(&piece).await.is_err() {
            break;
        }
    }
    meter.stayed_below(2 * MIB).unwrap();
    initialize(stage.address()).await;
}

/// Each is a connection that nobody uses. The limits of a server hold, and the memory of those that
/// have ended is used again.
async fn initializations() {
    let options = Options::new().first_stream_time(Duration::ZERO).connections_per_address(100);
    let stage = Stage::new(options, limits).await;
    for _ in 0..100 {
        initialize(stage.address()).await;
    }
    let meter = Meter::new().unwrap();
    let mut served = 0;
    for _ in 0..10_000 {
        served += usize::from(post(stage.address(), "", INITIALIZE).await.starts_with("HTTP/1.1 200"));
    }
    assert!(served > 0);
    meter.stayed_below(MIB).unwrap();
}

async fn half_open() {
    let options = Options::new().head_time(Duration::from_secs(2));
    let stage = Stage::new(options, limits).await;
    initialize(stage.address()).await;
    let mut sockets = Vec::new();
    let meter = Meter::new().unwrap();
    for number in 0..4_000 {
        // Both ends are in this process.
        let Ok(mut socket) = TcpStream::connect(stage.address()).await else { break };
        let beginnings: [&[u8]; 3] = [b"", b"POST /acp HTTP/1.1\r\n", b"PRI * HTTP/2.0\r\n\r\n"];
        let _ = socket.write_all(beginnings[number % 3]).await;
        sockets.push(socket);
    }
    initialize(stage.address()).await;
    meter.stayed_below(64 * MIB).unwrap();
}
