//! WebSocket.

use std::time::Duration;

use acp_http::server::Options;
use futures_util::{SinkExt, StreamExt};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::Role;

use super::lab::{INITIALIZE, Lab, soon};

pub(crate) type Socket = WebSocketStream<TcpStream>;

/// Upgrades by hand, and returns the head of the answer.
pub(crate) async fn upgrade(lab: &Lab, more: &str) -> (String, Socket) {
    upgrade_over(TcpStream::connect(lab.address()).await.unwrap(), lab, more).await
}

pub(crate) async fn upgrade_over<S>(mut socket: S, lab: &Lab, more: &str) -> (String, WebSocketStream<S>)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
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

pub(crate) async fn next(socket: &mut Socket) -> serde_json::Value {
    loop {
        match soon(socket.next()).await.unwrap().unwrap() {
            Message::Text(text) => return serde_json::from_str(&text).unwrap(),
            Message::Ping(_) | Message::Pong(_) => {}
            other => panic!("{other:?}"),
        }
    }
}

pub(crate) async fn close_code(socket: &mut Socket) -> u16 {
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

/// An agent takes less than the socket: a request beyond that is refused by its id, and the socket
/// stays.
#[tokio::test]
async fn rm_ws_09_the_limit_of_an_agent_costs_a_request() {
    let limits = || acp_rpc::Options::default().max_line(1000);
    let lab = Lab::start_with(Options::new().message(10_000), |_| {}, limits).await;
    let (_, mut socket) = upgrade(&lab, "").await;
    let long = format!(r#"{{"jsonrpc":"2.0","id":7,"method":"_a","params":{{"x":"{}"}}}}"#, "x".repeat(2000));
    socket.send(Message::text(long)).await.unwrap();
    let answer = next(&mut socket).await;
    assert_eq!((answer["id"].as_i64(), answer["error"]["code"].as_i64()), (Some(7), Some(-32600)));
    socket.send(Message::text(INITIALIZE)).await.unwrap();
    assert_eq!(next(&mut socket).await["id"], 0);
}

#[tokio::test]
async fn rm_ws_02_a_message_may_come_in_fragments() {
    let lab = Lab::start(Options::new()).await;
    let (_, socket) = upgrade(&lab, "").await;
    let mut socket = socket.into_inner();
    let pieces = INITIALIZE.as_bytes().chunks(10);
    let last = pieces.len() - 1;
    for (index, piece) in pieces.enumerate() {
        let opcode = u8::from(index == 0) | if index == last { 0x80 } else { 0 };
        let length = 0x80 | u8::try_from(piece.len()).unwrap();
        // A mask of zeros leaves the bytes as they are. Between fragments there may be a ping.
        socket.write_all(&[opcode, length, 0, 0, 0, 0]).await.unwrap();
        socket.write_all(piece).await.unwrap();
        if index != last {
            socket.write_all(&[0x89, 0x80, 0, 0, 0, 0]).await.unwrap();
        }
    }
    let mut socket = WebSocketStream::from_raw_socket(socket, Role::Client, None).await;
    assert_eq!(next(&mut socket).await["id"], 0);
}

#[tokio::test]
async fn rm_ws_11_faults_of_the_client_have_their_codes() {
    let long = [&[0x89u8, 0xfe, 0, 200, 0, 0, 0, 0][..], &[b' '; 200]].concat();
    let rows: [(&str, &[u8], u16); 6] = [
        ("not masked", &[0x81, 0x01, b'x'], 1002),
        ("an opcode that is not one", &[0x83, 0x80, 0, 0, 0, 0], 1002),
        ("a control frame that is long", &long, 1002),
        ("a rest without a beginning", &[0x80, 0x80, 0, 0, 0, 0], 1002),
        ("not UTF-8", &[0x81, 0x81, 0, 0, 0, 0, 0xff], 1007),
        ("too long", &[0x81, 0xfe, 0xff, 0xff, 0, 0, 0, 0], 1009),
    ];
    for (name, frame, code) in rows {
        let mut lab = Lab::start(Options::new().message(1000)).await;
        let (_, socket) = upgrade(&lab, "").await;
        let mut socket = socket.into_inner();
        socket.write_all(frame).await.unwrap();
        let mut socket = WebSocketStream::from_raw_socket(socket, Role::Client, None).await;
        assert_eq!(close_code(&mut socket).await, code, "{name}");
        drop(socket);
        lab.until("closed").await;
    }
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
