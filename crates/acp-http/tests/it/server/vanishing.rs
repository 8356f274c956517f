//! Clients that vanish in the middle of a turn: their agents end, and nothing is left behind.

use std::net::Shutdown;
use std::time::Duration;

use acp_http::server::Options;
use futures_util::SinkExt;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::runtime::Handle;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;

use super::http2::Http2;
use super::lab::{INITIALIZE, Lab};
use super::websocket::{next, upgrade_over};

/// The way in which a client vanishes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum How {
    /// Its end of the socket is reset.
    Reset,
    /// Nothing comes from it any more, as if a cable was cut.
    Silence,
}

/// The way to the server.
#[derive(Clone, Copy, Debug)]
enum Way {
    WebSocket,
    Http1,
    Http2,
}

/// A turn that says more than all buffers hold.
fn prompt() -> String {
    let params = r#"{"sessionId":"s","mode":"say","count":20000,"size":1000}"#;
    format!(r#"{{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{params}}}"#)
}

/// Opens a socket, and returns a second handle of it. It stays open when the first one is gone.
async fn open(lab: &Lab) -> (TcpStream, std::net::TcpStream) {
    let socket = TcpStream::connect(lab.address()).await.unwrap().into_std().unwrap();
    let second = socket.try_clone().unwrap();
    (TcpStream::from_std(socket).unwrap(), second)
}

/// Begins a turn whose updates come over the socket, and takes one of them.
async fn begin(way: Way, lab: &mut Lab) -> std::net::TcpStream {
    let (socket, second) = open(lab).await;
    match way {
        Way::WebSocket => {
            let (_, mut socket) = upgrade_over(socket, lab, "").await;
            socket.send(Message::text(INITIALIZE)).await.unwrap();
            next(&mut socket).await;
            socket.send(Message::text(prompt())).await.unwrap();
        }
        Way::Http1 => {
            let id = lab.initialize().await;
            let mut socket = socket;
            let head = format!("accept: */*\r\n{id}\r\nacp-session-id: s\r\n\r\n");
            let request = format!("GET /acp HTTP/1.1\r\nhost: {}\r\n{head}", lab.address());
            socket.write_all(request.as_bytes()).await.unwrap();
            assert_eq!(super::limits::status(&mut socket).await, 200);
            assert_eq!(lab.post(&[&id], &prompt()).await.status, 202);
        }
        Way::Http2 => {
            let mut client = Http2::over(socket, lab.address()).await;
            let answer = client.post(&[], INITIALIZE).await;
            let id = format!("acp-connection-id: {}", answer.header("acp-connection-id").unwrap());
            let stream = client.send("GET", &[&id, "acp-session-id: s", "accept: */*"], "").await;
            assert_eq!(stream.status(), 200);
            assert_eq!(client.post(&[&id], &prompt()).await.status, 202);
            // Nobody takes up its credit, and nobody answers its pings.
            std::mem::forget(stream);
            client.abandon().await;
        }
    }
    lab.until("session/prompt s").await;
    second
}

async fn vanish(way: Way, how: How) {
    let mut lab = Lab::start(Options::new()).await;
    let tasks = Handle::current().metrics().num_alive_tasks();
    let socket = begin(way, &mut lab).await;
    let silent = match how {
        How::Reset => {
            let socket = TcpStream::from_std(socket).unwrap();
            socket.set_zero_linger().unwrap();
            None
        }
        How::Silence => Some(socket),
    };
    // The clock goes on by itself, whenever there is nothing else to do. So the limits are those
    // that a server has by default: at most 30 seconds for a socket, and 60 for a connection.
    tokio::time::pause();
    let grace = Duration::from_secs(30 + 60 + 5 + 5);
    let gone = async { while lab.events.recv().await.unwrap() != "closed" {} };
    assert!(timeout(grace, gone).await.is_ok(), "{way:?} {how:?}: its agent lives on");
    let done = async {
        while Handle::current().metrics().num_alive_tasks() > tasks {
            // This only lets the clock go on.
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    };
    assert!(timeout(grace, done).await.is_ok(), "{way:?} {how:?}: a task lives on");
    // With its tasks the server has closed its end of the socket.
    if let Some(silent) = silent {
        silent.set_nonblocking(false).unwrap();
        let _ = silent.shutdown(Shutdown::Write);
        let mut rest = Vec::new();
        let _ = std::io::Read::read_to_end(&mut &silent, &mut rest);
    }
}

#[test]
fn an_agent_ends_with_its_client() {
    for way in [Way::WebSocket, Way::Http1, Way::Http2] {
        for how in [How::Reset, How::Silence] {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(vanish(way, how));
        }
    }
}
