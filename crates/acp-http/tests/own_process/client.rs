//! Clients that take no memory of their own.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

pub(crate) const INITIALIZE: &str =
    r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}"#;

/// Returns the request for a flood.
pub(crate) fn flood(session: &str, count: usize) -> String {
    let params = format!(r#"{{"sessionId":"{session}","count":{count}}}"#);
    format!(r#"{{"jsonrpc":"2.0","id":"{session}","method":"flood","params":{params}}}"#)
}

/// Sends a head, and reads that of the answer.
pub(crate) async fn ask(address: SocketAddr, line: &str, head: &str, body: &str) -> (TcpStream, String) {
    let mut socket = TcpStream::connect(address).await.unwrap();
    let request = format!("{line} HTTP/1.1\r\nhost: {address}\r\n{head}\r\n{body}");
    socket.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    while !answer.ends_with(b"\r\n\r\n") {
        answer.push(socket.read_u8().await.unwrap());
    }
    (socket, String::from_utf8(answer).unwrap())
}

pub(crate) async fn post(address: SocketAddr, id: &str, body: &str) -> String {
    let length = body.len();
    let head = format!("content-type: application/json\r\ncontent-length: {length}\r\n{id}");
    ask(address, "POST /acp", &head, body).await.1
}

/// Opens a connection, and returns the line that names it.
pub(crate) async fn initialize(address: SocketAddr) -> String {
    let answer = post(address, "", INITIALIZE).await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let line = answer.lines().find(|line| line.starts_with("acp-connection-id")).unwrap();
    format!("{line}\r\n")
}

/// Opens the stream of a session, and reads no more than its head.
pub(crate) async fn stream(address: SocketAddr, id: &str, session: &str) -> TcpStream {
    let head = format!("accept: */*\r\nacp-session-id: {session}\r\n{id}");
    let (socket, answer) = ask(address, "GET /acp", &head, "").await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    socket
}

/// Opens a WebSocket.
pub(crate) async fn upgrade(address: SocketAddr) -> TcpStream {
    let head = "connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n\
                sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    let (socket, answer) = ask(address, "GET /acp", head, "").await;
    assert!(answer.starts_with("HTTP/1.1 101"), "{answer}");
    socket
}

/// Makes the head of a frame with text. Its mask leaves the text as it is.
pub(crate) fn frame(length: usize) -> Vec<u8> {
    let mut head = vec![0x81, 0x80 | 127];
    head.extend_from_slice(&(length as u64).to_be_bytes());
    head.extend_from_slice(&[0; 4]);
    head
}

/// Sends a message over a WebSocket.
pub(crate) async fn send(socket: &mut TcpStream, text: &str) -> std::io::Result<()> {
    socket.write_all(&frame(text.len())).await?;
    socket.write_all(text.as_bytes()).await
}
