//! The limits of a server: each default, and its effect.

use std::time::Duration;

use acp_http::server::Options;
use futures_util::SinkExt;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;

use super::lab::{INITIALIZE, Lab, soon};
use super::websocket::{next, upgrade};

/// Begins a POST whose body has this length, and sends nothing of it.
pub(crate) async fn begin_post(lab: &Lab, head: &[&str], length: &str) -> TcpStream {
    let mut socket = TcpStream::connect(lab.address()).await.unwrap();
    let head: String = head.iter().map(|line| format!("{line}\r\n")).collect();
    let request = format!(
        "POST /acp HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\n{head}{length}\r\n\r\n",
        lab.address()
    );
    socket.write_all(request.as_bytes()).await.unwrap();
    socket
}

/// Reads the status of the answer.
pub(crate) async fn status(socket: &mut TcpStream) -> u16 {
    let mut line = [0; 12];
    soon(socket.read_exact(&mut line)).await.unwrap();
    std::str::from_utf8(&line[9..]).unwrap().parse().unwrap()
}

fn request(id: &str, method: &str, session: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{"sessionId":"{session}"}}}}"#)
}

#[test]
fn the_defaults_are_those_of_the_documentation() {
    let shown = format!("{:?}", Options::new());
    for default in [
        "message: 33554432",
        "buffer: 1048576",
        "streams: 256",
        "unconfirmed: 16",
        "requests: 1024",
        "connections: 1024",
        "connections_per_principal: 64",
        "connections_per_address: 16",
        "uninitialized: 64",
        "posts: 32",
        "sockets: 4096",
        "initialize: 30s",
        "first_stream: 30s",
        "idle: 60s",
        "end: 5s",
        "head: 10s",
        "body: 30s",
        "write: 30s",
        "keep_alive: 15s",
        "ticket: 60s",
    ] {
        assert!(
            shown.contains(&format!("{default},")) || shown.contains(&format!("{default} }}")),
            "{default}"
        );
    }
}

/// rm-post-02: a body that is too long is refused before it is read, or as soon as it is known.
#[tokio::test]
async fn a_long_body_is_not_read() {
    let lab = Lab::start(Options::new().message(1000)).await;
    let id = lab.initialize().await;
    for head in [&[] as &[&str], &[&id]] {
        let mut socket = begin_post(&lab, head, "content-length: 1073741824").await;
        assert_eq!(status(&mut socket).await, 413);
        // Without a length.
        let mut socket = begin_post(&lab, head, "transfer-encoding: chunked").await;
        let chunk = format!("1f4\r\n{}\r\n", "x".repeat(500));
        for _ in 0..3 {
            // The server may have seen enough.
            let _ = socket.write_all(chunk.as_bytes()).await;
        }
        assert_eq!(status(&mut socket).await, 413);
    }
}

#[tokio::test]
async fn few_connections_are_not_initialized() {
    let lab = Lab::start(Options::new().uninitialized(2)).await;
    let (_, mut first) = upgrade(&lab, "").await;
    let _second = upgrade(&lab, "").await;
    let (refused, _) = upgrade(&lab, "").await;
    assert!(refused.starts_with("http/1.1 503") && refused.contains("retry-after: 1"), "{refused}");
    assert_eq!(lab.post(&[], INITIALIZE).await.status, 503);
    first.send(Message::text(INITIALIZE)).await.unwrap();
    next(&mut first).await;
    assert_eq!(lab.post(&[], INITIALIZE).await.status, 200);
}

#[tokio::test]
async fn few_streams_are_open() {
    let lab = Lab::start(Options::new().streams(1)).await;
    let id = lab.initialize().await;
    let mut connection = lab.get(&[&id]).await;
    let mut session = lab.get(&[&id, "acp-session-id: a"]).await;
    assert_eq!(lab.get(&[&id, "acp-session-id: b"]).await.answer.status, 429);
    // The messages of a session that has no place for a stream come on that of the connection.
    for (name, stream) in [("a", &mut session), ("b", &mut connection)] {
        assert_eq!(lab.post(&[&id], &request("1", "session/load", name)).await.status, 202);
        for _ in 0..2 {
            assert_eq!(stream.next().await.unwrap().1["params"]["sessionId"], name);
        }
        assert_eq!(stream.next().await.unwrap().1["id"], 1, "{name}");
    }
}

#[tokio::test]
async fn few_requests_are_open() {
    let mut lab = Lab::start(Options::new().requests(1)).await;
    let id = lab.initialize().await;
    let mut stream = lab.get(&[&id, "acp-session-id: s"]).await;
    assert_eq!(lab.post(&[&id], &request("1", "session/prompt", "s")).await.status, 202);
    let refused = lab.post(&[&id], &request("2", "session/prompt", "s")).await;
    assert_eq!((refused.status, refused.header("retry-after")), (429, Some("1")));
    // One of the same id is a mistake, and notifications and answers need no place.
    assert_eq!(lab.post(&[&id], r#"{"jsonrpc":"2.0","method":"_note"}"#).await.status, 202);
    lab.until("_note").await;
    let mut question = stream.next().await.unwrap().1;
    while question.get("id").is_none() {
        question = stream.next().await.unwrap().1;
    }
    let answer = json!({"jsonrpc": "2.0", "id": question["id"], "result": {}}).to_string();
    assert_eq!(lab.post(&[&id], &answer).await.status, 202);
    assert_eq!(stream.next().await.unwrap().1["id"], 1);
    assert_eq!(lab.post(&[&id], &request("2", "_echo", "s")).await.status, 202);
}

#[tokio::test]
async fn ids_are_not_long() {
    let lab = Lab::start(Options::new()).await;
    let id = lab.initialize().await;
    let (longest, longer) = ("x".repeat(1024), "x".repeat(1025));
    for (text, status) in [(&longest, 202), (&longer, 400)] {
        let message = request(&format!("\"{text}\""), "_echo", "s");
        assert_eq!(lab.post(&[&id], &message).await.status, status);
        let header = format!("acp-session-id: {text}");
        assert_eq!(lab.post(&[&id, &header], r#"{"jsonrpc":"2.0","method":"_a"}"#).await.status, status);
    }
    let header = format!("acp-session-id: {longer}");
    assert_eq!(lab.get(&[&id, &header]).await.answer.status, 400);
    // A long id in the params is a session without a stream: rm-str-12.
    assert_eq!(lab.post(&[&id], &request("1", "_echo", &longer)).await.status, 202);
    // Twice the same id at the same time.
    let (mut held, body) = (lab.get(&[&id, "acp-session-id: s"]).await, request("5", "session/prompt", "s"));
    assert_eq!(lab.post(&[&id], &body).await.status, 202);
    assert_eq!(held.next().await.unwrap().1["method"], "session/update");
    assert_eq!(lab.post(&[&id], &body).await.status, 400);
}

#[tokio::test]
async fn few_bodies_are_on_their_way() {
    let lab = Lab::start(Options::new().posts(2)).await;
    let id = lab.initialize().await;
    let note = r#"{"jsonrpc":"2.0","method":"_note"}"#;
    let length = format!("content-length: {}", note.len());
    let mut held = Vec::new();
    let mut refused = 0;
    // Their heads come in some order, so it is the number that counts.
    for _ in 0..3 {
        held.push(begin_post(&lab, &[&id], &length).await);
    }
    for mut socket in held {
        let _ = socket.write_all(note.as_bytes()).await;
        refused += usize::from(status(&mut socket).await == 429);
    }
    assert_eq!(refused, 1);
    assert_eq!(lab.post(&[&id], note).await.status, 202);
}

#[tokio::test]
async fn bodies_together_have_a_limit_too() {
    let lab = Lab::start(Options::new().message(1000)).await;
    let id = lab.initialize().await;
    let mut sockets = Vec::new();
    for _ in 0..3 {
        let mut socket = begin_post(&lab, &[&id], "content-length: 1000").await;
        socket.write_all("x".repeat(999).as_bytes()).await.unwrap();
        sockets.push(socket);
    }
    // Two of them have room, whichever these are.
    let readable = sockets.iter_mut().map(|socket| Box::pin(status(socket)));
    let (first, _, _) = futures_util::future::select_all(readable).await;
    assert_eq!(first, 429);
}

#[tokio::test]
async fn rm_life_09_each_step_has_a_time() {
    let short = Duration::from_millis(50);
    let lab = Lab::start(Options::new().head_time(short).body_time(short)).await;
    let id = lab.initialize().await;
    // A body.
    for head in [&[] as &[&str], &[&id]] {
        let mut socket = begin_post(&lab, head, "content-length: 10").await;
        socket.write_all(b"{").await.unwrap();
        assert_eq!(status(&mut socket).await, 408);
    }
    // A stream has no limit: it outlives all of these.
    let mut stream = lab.get(&[&id]).await;
    for beginning in ["", "PRI * HTTP", "POST /acp HTTP/1.1\r\nhost:"] {
        let mut socket = TcpStream::connect(lab.address()).await.unwrap();
        socket.write_all(beginning.as_bytes()).await.unwrap();
        let mut rest = Vec::new();
        let _ = soon(socket.read_to_end(&mut rest)).await;
        assert!(rest.is_empty() || rest.starts_with(b"HTTP/1.1 408"), "{beginning}");
    }
    assert_eq!(lab.post(&[&id], &request("1", "_echo", "s")).await.status, 202);
    assert_eq!(stream.next().await.unwrap().1["id"], 1);
}
