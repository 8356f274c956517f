//! Connections over HTTP that never show a token, beside those that do.

use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::http::{Server, noted};
use crate::common::soon;

async fn connect(server: &Server) -> TcpStream {
    soon("a connection", TcpStream::connect(&server.authority)).await.unwrap()
}

/// Sends the head of a request, and leaves the connection open.
async fn ask(stream: &mut TcpStream, server: &Server, authorization: &str) {
    let Server { authority, path, .. } = server;
    let head = format!("GET {path} HTTP/1.1\r\nHost: {authority}\r\nAuthorization: {authorization}\r\n\r\n");
    stream.write_all(head.as_bytes()).await.unwrap();
}

/// Reads the head of an answer without a body.
async fn head(stream: &mut TcpStream) -> String {
    let mut text = Vec::new();
    while !text.ends_with(b"\r\n\r\n") {
        text.push(soon("a head", stream.read_u8()).await.unwrap());
    }
    String::from_utf8(text).unwrap()
}

async fn end(stream: &mut TcpStream) {
    let mut rest = Vec::new();
    // Closed or reset: it is over.
    let _ = soon("the end of a connection", stream.read_to_end(&mut rest)).await;
    assert!(rest.is_empty(), "{rest:?}");
}

async fn some_time() {
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(15)).await;
    tokio::time::resume();
}

/// Strangers that hold connections keep out nobody who has a token. The oldest ones give way.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn strangers_keep_nobody_out() {
    let (_scene, server) = noted().await;
    let mut known = connect(&server).await;
    ask(&mut known, &server, &server.authorization).await;
    head(&mut known).await;
    let mut strangers = Vec::new();
    for _ in 0..300 {
        strangers.push(connect(&server).await);
    }
    assert_eq!(server.ask("tools/list", json!({})).await.status, 200);
    end(&mut strangers[0]).await;
    // A connection that has shown its token stays.
    ask(&mut known, &server, &server.authorization).await;
    assert!(head(&mut known).await.starts_with("HTTP/1.1 405"));
}

/// The first token of a connection has to come soon. Behind it a connection may be silent for
/// longer.
#[tokio::test]
async fn a_stranger_that_is_silent_is_cut_off() {
    let (_scene, server) = noted().await;
    let (mut silent, mut known) = (connect(&server).await, connect(&server).await);
    // A head that never ends.
    silent.write_all(b"GET / HTTP/1.1\r\nX: ").await.unwrap();
    ask(&mut known, &server, &server.authorization).await;
    // A stream needs a session.
    assert!(head(&mut known).await.starts_with("HTTP/1.1 405"));
    some_time().await;
    end(&mut silent).await;
    ask(&mut known, &server, &server.authorization).await;
    assert!(head(&mut known).await.starts_with("HTTP/1.1 405"));
}

/// The connection of a stranger ends with the refusal.
#[tokio::test]
async fn a_refusal_ends_the_connection() {
    let (_scene, server) = noted().await;
    let mut stranger = connect(&server).await;
    ask(&mut stranger, &server, "Bearer x").await;
    let refusal = head(&mut stranger).await;
    assert!(refusal.starts_with("HTTP/1.1 401"), "{refusal}");
    end(&mut stranger).await;
}
