//! A WebSocket, frame by frame.

use std::time::Duration;

use acp_http::{Error, Remote};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;

use super::peer::Connected;
use super::raw::{Asked, Server};

/// The server's end after the upgrade.
pub(crate) struct Frames(TcpStream);

const TEXT: u8 = 0x81;
const BINARY: u8 = 0x82;
const CLOSE: u8 = 0x88;
const PING: u8 = 0x89;
const PONG: u8 = 0x8a;

impl Frames {
    async fn accept(mut asked: Asked) -> Self {
        let accept = derive_accept_key(asked.header("sec-websocket-key").unwrap().as_bytes());
        let head = format!(
            "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\n\
             acp-connection-id: c1\r\nset-cookie: replica=b; Path=/\r\nsec-websocket-accept: {accept}\r\n\r\n"
        );
        asked.socket.write_all(head.as_bytes()).await.unwrap();
        Self(asked.socket)
    }

    async fn send(&mut self, kind: u8, payload: &[u8]) {
        let length = u16::try_from(payload.len()).unwrap();
        let head =
            if length < 126 { vec![length as u8] } else { [&[126], &length.to_be_bytes()[..]].concat() };
        self.0.write_all(&[&[kind], &head[..], payload].concat()).await.unwrap();
    }

    /// Reads a frame of the client, which is masked.
    async fn read(&mut self) -> (u8, Vec<u8>) {
        let kind = self.0.read_u8().await.unwrap();
        let length = self.0.read_u8().await.unwrap();
        assert_eq!(length & 0x80, 0x80, "frames of clients are masked");
        let length = match length & 0x7f {
            126 => usize::from(self.0.read_u16().await.unwrap()),
            length => usize::from(length),
        };
        let mut mask = [0; 4];
        self.0.read_exact(&mut mask).await.unwrap();
        let mut payload = vec![0; length];
        self.0.read_exact(&mut payload).await.unwrap();
        payload.iter_mut().zip(mask.iter().cycle()).for_each(|(byte, mask)| *byte ^= mask);
        (kind, payload)
    }

    pub(crate) async fn notify(&mut self) {
        self.send(TEXT, br#"{"jsonrpc":"2.0","method":"hello"}"#).await;
    }

    async fn close(&mut self, code: u16) {
        self.send(CLOSE, &code.to_be_bytes()).await;
        assert_eq!(self.read().await, (CLOSE, code.to_be_bytes().to_vec()));
    }
}

pub(crate) async fn connected(change: impl Fn(Remote) -> Remote) -> (Connected, Frames) {
    let mut server = Server::start().await;
    let remote = change(acp_http::ws(format!("ws://{}", server.address)));
    let (transport, frames) =
        tokio::join!(remote.connect(), async { Frames::accept(server.next().await).await });
    (Connected::over(transport.unwrap()), frames)
}

/// rm-ws-01, rm-ws-03, rm-h2-03: a plain upgrade over HTTP/1.1.
#[tokio::test]
async fn the_upgrade_offers_no_protocol_and_no_extension() {
    let mut server = Server::start().await;
    let jar = acp_http::Cookies::new();
    let remote = acp_http::ws(format!("ws://{}", server.address)).bearer("secret").cookies(&jar);
    let (transport, ()) = tokio::join!(remote.connect(), async {
        let asked = server.next().await;
        assert_eq!(asked.verb, "GET");
        assert_eq!(asked.header("upgrade"), Some("websocket"));
        assert_eq!(asked.header("authorization"), Some("Bearer secret"));
        for absent in ["origin", "sec-websocket-protocol", "sec-websocket-extensions", "cookie"] {
            assert_eq!(asked.header(absent), None, "{absent}");
        }
        Frames::accept(asked).await;
    });
    transport.unwrap();
    // rm-ck-02: the upgrade may set a cookie, and the next one sends it.
    let next = tokio::spawn(async move { remote.connect().await.map(drop) });
    let asked = server.when(|asked| asked.headers.contains_key("cookie")).await;
    assert_eq!(asked.header("cookie"), Some("replica=b"));
    asked.answer("503 Service Unavailable", &[], "").await;
    let error = next.await.unwrap().unwrap_err();
    assert_eq!(error.status(), Some(503));
}

/// rm-ws-02, rm-ws-05: text messages count, in pieces or not, in their order.
#[tokio::test]
async fn messages_are_text_in_pieces_or_whole() {
    let (mut here, mut server) = connected(|remote| remote).await;
    server.send(0x01, br#"{"jsonrpc":"2.0","#).await;
    server.send(PING, b"between").await;
    server.send(0x80, br#""method":"first"}"#).await;
    server.send(BINARY, br#"{"jsonrpc":"2.0","method":"binary"}"#).await;
    server.send(TEXT, br#"{"jsonrpc":"2.0","method":"second"}"#).await;
    assert_eq!((here.next().await, here.next().await), ("first".into(), "second".into()));
    assert_eq!(server.read().await, (PONG, b"between".to_vec()));
    server.send(TEXT, br#"{"jsonrpc":"2.0","id":7,"method":"ask"}"#).await;
    let (kind, answer) = server.read().await;
    let answer: serde_json::Value = serde_json::from_slice(&answer).unwrap();
    assert_eq!((kind, &answer["id"], &answer["result"]["heard"]), (TEXT, &7.into(), &"ask".into()));
    server.close(1000).await;
    assert_eq!(here.problem().await, None);
}

/// rm-ws-11, rm-ws-12: only code 1000 is an orderly end.
#[tokio::test]
async fn any_other_end_is_an_error() {
    for code in [1001, 1008, 1011, 1013] {
        let (here, mut server) = connected(|remote| remote).await;
        server.close(code).await;
        let problem = here.problem().await.unwrap();
        assert_eq!(problem, Error::Closed { code: Some(code) });
        assert_eq!(problem.is_denied(), code == 1008);
    }
    let (here, server) = connected(|remote| remote).await;
    drop(server);
    assert_eq!(here.problem().await, Some(Error::Closed { code: None }));
}

/// rm-ws-11, rm-life-08: this side closes with 1000.
#[tokio::test]
async fn closing_says_so() {
    let (here, mut server) = connected(|remote| remote).await;
    here.peer.close();
    assert_eq!(server.read().await, (CLOSE, 1000_u16.to_be_bytes().to_vec()));
    server.send(CLOSE, &1000_u16.to_be_bytes()).await;
    drop(server);
    assert!(matches!(here.end.await.unwrap(), acp_rpc::CloseReason::Local));
}

/// rm-ws-09: beyond the limit the WebSocket is closed with 1009.
#[tokio::test]
async fn a_message_that_is_too_long_closes() {
    let (here, mut server) = connected(|remote| remote.message_limit(100)).await;
    server.send(TEXT, &[b' '; 101]).await;
    let (kind, reason) = server.read().await;
    assert_eq!((kind, &reason[..2]), (CLOSE, &1009_u16.to_be_bytes()[..]));
    assert_eq!(here.problem().await, Some(Error::TooLong { limit: 100 }));
}

/// rm-ws-10: a server that is silent is asked twice, and then counts as dead.
#[tokio::test]
async fn a_silent_server_is_dead() {
    let every = Duration::from_millis(50);
    let (here, mut server) = connected(|remote| remote.ping(every)).await;
    for _ in 0..2 {
        assert_eq!(server.read().await.0, PING);
    }
    assert_eq!(here.problem().await, Some(Error::Silent { after: every * 3 }));
}

/// rm-ws-10: each sign of life begins the time anew.
#[tokio::test]
async fn a_server_that_answers_is_alive() {
    let (here, mut server) = connected(|remote| remote.ping(Duration::from_secs(1))).await;
    for _ in 0..4 {
        let (kind, payload) = server.read().await;
        assert_eq!(kind, PING);
        server.send(PONG, &payload).await;
    }
    server.close(1000).await;
    assert_eq!(here.problem().await, None);
}

/// rm-ws-13: a client that does not read takes no more than the buffers of the system.
#[tokio::test]
async fn a_client_that_does_not_read_slows_the_server() {
    let mut server = Server::start().await;
    let remote = acp_http::ws(format!("ws://{}", server.address));
    let (transport, frames) =
        tokio::join!(remote.connect(), async { Frames::accept(server.next().await).await });
    let (transport, mut frames) = (transport.unwrap(), frames);
    let flood = tokio::spawn(async move { frames.0.write_all(&vec![0; 64 << 20]).await });
    drop(transport);
    // It could not have been taken, as nobody has read.
    assert!(flood.await.unwrap().is_err());
}

/// rm-ws-01: a server without WebSocket at the address is named.
#[tokio::test]
async fn a_refusal_is_typed() {
    for (status, denied) in [("401 Unauthorized", true), ("403 Forbidden", true), ("404 Not Found", false)] {
        let mut server = Server::start().await;
        let remote = acp_http::ws(format!("ws://{}", server.address));
        let (refused, ()) = tokio::join!(remote.connect(), async {
            server.next().await.answer(status, &[], "<secret>").await;
        });
        let error = refused.unwrap_err();
        assert_eq!(error.status(), status[..3].parse().ok());
        assert_eq!((error.is_denied(), error.to_string().contains("secret")), (denied, false));
        let hint = if denied { "give it valid credentials" } else { "is the path of the address right?" };
        assert!(error.to_string().contains(hint), "{error}");
        let kind = std::io::Error::from(error).kind();
        assert_eq!(kind == std::io::ErrorKind::PermissionDenied, denied);
    }
}
