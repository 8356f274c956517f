//! WebSocket.

use std::time::Duration;

use acp_http::server::Options;
use futures_util::{SinkExt, StreamExt};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::Role;

use super::lab::{INITIALIZE, Lab, soon};

type Socket = WebSocketStream<TcpStream>;

/// Upgrades by hand, and returns the head of the answer.
async fn upgrade(lab: &Lab, more: &str) -> (String, Socket) {
    let mut socket = TcpStream::connect(lab.address()).await.unwrap();
    let request = format!(
        "GET /acp HTTP/1.1\r\nhost: {}\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\
         sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n{more}\r\n",
        lab.address()
    );
    socket.write_all(request.as_bytes()).await.unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(soon(socket.read_u8()).await.unwrap());
    }
    let socket = WebSocketStream::from_raw_socket(socket, Role::Client, None).await;
    (String::from_utf8(head).unwrap().to_lowercase(), socket)
}

async fn next(socket: &mut Socket) -> serde_json::Value {
    loop {
        match soon(socket.next()).await.unwrap().unwrap() {
            Message::Text(text) => return serde_json::from_str(&text).unwrap(),
            Message::Ping(_) | Message::Pong(_) => {}
            other => panic!("{other:?}"),
        }
    }
}

async fn close_code(socket: &mut Socket) -> u16 {
    loop {
        if let Message::Close(frame) = soon(socket.next()).await.unwrap().unwrap() {
            return frame.unwrap().code.into();
        }
    }
}

#[tokio::test]
async fn rm_ws_01_the_upgrade_names_the_connection() {
    let mut lab = Lab::start(Options::new()).await;
    let (head, mut socket) = upgrade(&lab, "").await;
    assert!(head.starts_with("http/1.1 101"), "{head}");
    assert!(head.contains("acp-connection-id: ") && head.contains("s3pplmbitxaq9kygzzhzrbk+xoo="), "{head}");
    // rm-ws-03
    assert!(!head.contains("-protocol") && !head.contains("-extensions"), "{head}");
    // rm-ws-02: text, and nothing else.
    socket.send(Message::binary(b"{}".to_vec())).await.unwrap();
    socket.send(Message::text(INITIALIZE)).await.unwrap();
    assert_eq!(next(&mut socket).await["id"], 0);
    // rm-ws-07: left to the agent.
    socket.send(Message::text(INITIALIZE)).await.unwrap();
    assert_eq!(next(&mut socket).await["id"], 0);
    // rm-ws-08
    for (broken, code) in [("{", -32700), ("[]", -32600), ("1", -32600)] {
        socket.send(Message::text(broken)).await.unwrap();
        let answer = next(&mut socket).await;
        assert_eq!((answer["id"].is_null(), answer["error"]["code"].as_i64()), (true, Some(code)));
    }
    // rm-ws-05: one order for all.
    let prompt = r#"{"jsonrpc":"2.0","id":1,"method":"session/load","params":{"sessionId":"s"}}"#;
    socket.send(Message::text(prompt)).await.unwrap();
    for method in ["session/update", "session/update"] {
        assert_eq!(next(&mut socket).await["method"], method);
    }
    assert_eq!(next(&mut socket).await["id"], 1);
    // rm-life-06
    drop(socket);
    lab.until("closed").await;
}

#[tokio::test]
async fn rm_ws_04_only_a_subprotocol_without_a_secret_is_chosen() {
    let lab = Lab::start(Options::new()).await;
    let (head, _) = upgrade(&lab, "sec-websocket-protocol: acp.ticket.x, acp\r\n").await;
    assert!(head.contains("sec-websocket-protocol: acp\r\n"), "{head}");
    let (head, _) = upgrade(&lab, "sec-websocket-protocol: acp.ticket.x\r\n").await;
    assert!(head.contains(" 101 ") && !head.contains("-protocol"), "{head}");
}

#[tokio::test]
async fn rm_ws_09_a_message_beyond_the_limit_closes_with_1009() {
    let mut lab = Lab::start(Options::new().message(100)).await;
    let (_, mut socket) = upgrade(&lab, "").await;
    socket.send(Message::text("x".repeat(101))).await.unwrap();
    assert_eq!(close_code(&mut socket).await, 1009);
    lab.until("closed").await;
}

#[tokio::test]
async fn rm_ws_11_the_server_says_why_it_closes() {
    // It goes away.
    let lab = Lab::start(Options::new()).await;
    let (_, mut socket) = upgrade(&lab, "").await;
    socket.send(Message::text(INITIALIZE)).await.unwrap();
    next(&mut socket).await;
    let server = lab.server.clone();
    let shutdown = tokio::spawn(async move { server.shutdown(Duration::ZERO).await });
    assert_eq!(close_code(&mut socket).await, 1001);
    drop(socket);
    soon(shutdown).await.unwrap();
    // The agent ends.
    let lab = Lab::start(Options::new()).await;
    let (_, mut socket) = upgrade(&lab, "").await;
    let end = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"mode":"end"}}"#;
    socket.send(Message::text(end)).await.unwrap();
    assert_eq!(close_code(&mut socket).await, 1000);
    // The client does not initialize.
    let lab = Lab::start(Options::new().initialize_time(Duration::from_millis(1))).await;
    let (_, mut socket) = upgrade(&lab, "").await;
    assert_eq!(close_code(&mut socket).await, 1008);
}

#[tokio::test]
async fn rm_ws_10_a_client_that_answers_no_ping_is_dead() {
    let mut lab = Lab::start(Options::new().keep_alive(Duration::from_millis(1))).await;
    // It does not read, so it does not answer.
    let (_, _socket) = upgrade(&lab, "").await;
    lab.until("closed").await;
}
