//! Attacks by clients who break the rules: each ends, and others are served meanwhile.

use std::time::Duration;

use acp_http::server::{Options, Principal};
use futures_util::{SinkExt, StreamExt};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;

use super::authority::Authority;
use super::http2::Http2;
use super::lab::{Answer, INITIALIZE, Lab, soon};
use super::limits::{begin_post, status};
use super::websocket::{close_code, next, upgrade};

const SHORT: Duration = Duration::from_millis(50);
const NOTE: &str = r#"{"jsonrpc":"2.0","method":"_note"}"#;

async fn serves(lab: &Lab) {
    assert_eq!(lab.post(&[], INITIALIZE).await.status, 200);
}

/// Sends bytes, and reads until the server closes the socket.
async fn answer_to(lab: &Lab, bytes: &[u8]) -> String {
    let mut socket = TcpStream::connect(lab.address()).await.unwrap();
    // The server may have seen enough before the end.
    let _ = socket.write_all(bytes).await;
    let mut answer = Vec::new();
    let _ = soon(socket.read_to_end(&mut answer)).await;
    String::from_utf8(answer).unwrap()
}

/// The origin, the host and the principal of a request: only the right ones together are served,
/// by every verb.
#[tokio::test]
async fn origin_host_and_principal_must_all_be_right() {
    let options = Options::new()
        .token("alice", Principal::new("alice"))
        .token("bob", Principal::new("bob"))
        .origin("https://editor.example");
    let lab = Lab::start(options.connections_per_address(1000).connections_per_principal(1000)).await;
    let port = lab.address().port();
    let origins = ["x-none: 1", "origin: https://editor.example", "origin: https://evil.example"];
    let hosts =
        [format!("host: localhost:{port}"), format!("host: evil.example:{port}"), "host: ".to_owned()];
    let principals = ["Bearer alice", "Bearer bob", "Bearer carol", "Basic alice"];
    for (origin, origin_line) in origins.iter().enumerate() {
        for (host, host_line) in hosts.iter().enumerate() {
            for (who, bearer) in principals.iter().enumerate() {
                let alice = ["authorization: Bearer alice"];
                let answer = lab.post(&alice, INITIALIZE).await;
                let id = format!("acp-connection-id: {}", answer.header("acp-connection-id").unwrap());
                let bearer = format!("authorization: {bearer}");
                let json = "content-type: application/json";
                let head = [*origin_line, host_line, &bearer, &id, json];
                let expected = |right: u16| match (origin, host, who) {
                    (2, ..) | (_, 1 | 2, _) => 403,
                    (_, _, 0) => right,
                    (_, _, 1) => 404,
                    _ => 401,
                };
                let case = format!("{head:?}");
                for (verb, body, right) in [("POST", NOTE, 202), ("GET", "", 406), ("DELETE", "", 202)] {
                    let accept = "accept: nothing/else";
                    let head: Vec<&str> = head.iter().copied().chain([accept]).collect();
                    let answer = lab.exchange(&format!("{verb} /acp"), &head, body).await;
                    // Of a stream only the head is asked for, and that before the connection is.
                    let expected = if verb == "GET" && expected(0) == 404 { 406 } else { expected(right) };
                    assert_eq!(answer.status, expected, "{verb} {case}");
                }
                // Bob may have a connection of his own.
                let upgrade = [
                    "connection: upgrade",
                    "upgrade: websocket",
                    "sec-websocket-version: 13",
                    "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==",
                ];
                let head: Vec<&str> = head[..3].iter().copied().chain(upgrade).collect();
                let mut socket = TcpStream::connect(lab.address()).await.unwrap();
                let head: String = head.iter().map(|line| format!("{line}\r\n")).collect();
                socket.write_all(format!("GET /acp HTTP/1.1\r\n{head}\r\n").as_bytes()).await.unwrap();
                let expected = if expected(101) == 404 { 101 } else { expected(101) };
                assert_eq!(status(&mut socket).await, expected, "upgrade {case}");
            }
        }
    }
}

/// rm-get-06: somebody who knows the id of a connection and the number of an event.
#[tokio::test]
async fn a_stream_is_not_taken_over_by_another_principal() {
    let options = Options::new().token("a", Principal::new("alice")).token("b", Principal::new("bob"));
    let lab = Lab::start(options).await;
    let (alice, bob) = ("authorization: Bearer a", "authorization: Bearer b");
    let answer = lab.post(&[alice], INITIALIZE).await;
    let id = format!("acp-connection-id: {}", answer.header("acp-connection-id").unwrap());
    let mut stream = lab.get(&[alice, &id]).await;
    assert_eq!(lab.get(&[bob, &id, "last-event-id: 0"]).await.answer.status, 404);
    assert_eq!(lab.get(&["x: y", &id, "last-event-id: 0"]).await.answer.status, 401);
    let echo = r#"{"jsonrpc":"2.0","id":1,"method":"_echo"}"#;
    assert_eq!(lab.post(&[bob, &id], echo).await.status, 404);
    assert_eq!(lab.post(&[alice, &id], echo).await.status, 202);
    assert_eq!(stream.next().await.unwrap().1["id"], 1);
}

/// A client cannot choose the id of a connection, so nobody can prepare one for a victim.
#[tokio::test]
async fn the_id_of_a_connection_is_not_fixed_by_a_client() {
    let lab = Lab::start(Options::new()).await;
    let chosen = "acp-connection-id: chosen-by-the-client-00";
    assert_eq!(lab.post(&[chosen], INITIALIZE).await.status, 404);
    let (head, _socket) = upgrade(&lab, &format!("{chosen}\r\n")).await;
    assert!(head.starts_with("http/1.1 101") && !head.contains("chosen"), "{head}");
    let ids: std::collections::HashSet<String> = {
        let mut ids = std::collections::HashSet::new();
        for _ in 0..15 {
            ids.insert(lab.initialize().await);
        }
        ids
    };
    // 128 bits in 22 characters.
    assert!(ids.len() == 15 && ids.iter().all(|id| id.len() == "acp-connection-id: ".len() + 22), "{ids:?}");
}

#[tokio::test]
async fn smuggled_headers_are_refused() {
    let lab = Lab::start(Options::new()).await;
    let id = lab.initialize().await;
    let of_s1 = r#"{"jsonrpc":"2.0","id":1,"method":"session/status","params":{"sessionId":"s1"}}"#;
    let rows: &[(&[&str], u16)] = &[
        // The same header twice, or one with two values.
        (&[&id, &id], 400),
        (&[&id, "acp-session-id: s1", "acp-session-id: s2"], 400),
        (&[&id, "acp-session-id: s1, s2"], 400),
        (&[&id, "acp-session-id: s2"], 400),
        (&[&id, "acp-session-id: "], 400),
        (&[&id, "acp-session-id: s\u{e4}"], 400),
        (&[&id, "content-type: text/plain"], 415),
        // Names that only look like it.
        (&[&id, "acp_session_id: s2", "x-acp-session-id: s2"], 202),
    ];
    for (head, expected) in rows {
        assert_eq!(lab.post(head, of_s1).await.status, *expected, "{head:?}");
    }
    // Two lengths: a proxy could take the rest of one request for the next.
    let address = lab.address();
    for lengths in [
        "content-length: 5\r\ncontent-length: 6",
        "content-length: 5\r\ntransfer-encoding: chunked",
        "transfer-encoding: chunked, identity",
    ] {
        let request = format!(
            "POST /acp HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\n{lengths}\r\n\r\n0\r\n\r\n\
             DELETE /acp HTTP/1.1\r\nhost: {address}\r\n{id}\r\n\r\n"
        );
        let answer = answer_to(&lab, request.as_bytes()).await;
        assert!(!answer.contains(" 202 "), "{lengths}: {answer}");
    }
    assert_eq!(lab.post(&[&id], NOTE).await.status, 202);
}

#[tokio::test]
async fn compressed_messages_are_refused() {
    let lab = Lab::start(Options::new()).await;
    let id = lab.initialize().await;
    for coding in ["gzip", "br", "zstd", "deflate, gzip", "GZIP"] {
        let answer = lab.post(&[&id, &format!("content-encoding: {coding}")], NOTE).await;
        assert_eq!((answer.status, answer.code()), (415, Some(-32600)), "{coding}");
        assert_eq!(lab.post(&[&format!("content-encoding: {coding}")], INITIALIZE).await.status, 415);
    }
    assert_eq!(lab.post(&[&id, "content-encoding: identity"], NOTE).await.status, 202);
    // rm-sse-09: a stream is not compressed either.
    let stream = lab.get(&[&id, "accept-encoding: gzip, br"]).await;
    assert_eq!((stream.answer.status, stream.answer.header("content-encoding")), (200, None));
    // rm-ws-03: nor is a WebSocket, and a frame that says so breaks the protocol.
    let (head, socket) = upgrade(&lab, "sec-websocket-extensions: permessage-deflate\r\n").await;
    assert!(head.starts_with("http/1.1 101") && !head.contains("extensions"), "{head}");
    let mut bare = socket.into_inner();
    bare.write_all(&[0xc1, 0x80, 0, 0, 0, 0]).await.unwrap();
    let mut answer = Vec::new();
    let _ = soon(bare.read_to_end(&mut answer)).await;
    assert_eq!(answer[..4], [0x88, answer[1], 0x03, 0xea], "close with 1002");
}

#[tokio::test]
async fn header_bombs_are_refused() {
    let lab = Lab::start(Options::new()).await;
    let large = format!("x-bomb: {}\r\n", "x".repeat(200 * 1024));
    let many: String = (0..2000).map(|number| format!("x-{number}: {}\r\n", "x".repeat(100))).collect();
    for head in [large, many] {
        let request = format!("GET /acp HTTP/1.1\r\nhost: {}\r\n{head}\r\n", lab.address());
        let answer = answer_to(&lab, request.as_bytes()).await;
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 431"), "{answer}");
    }
    let mut client = Http2::connect(lab.address()).await;
    let large = format!("x-bomb: {}", "x".repeat(200 * 1024));
    assert_ne!(client.try_post(&[&large], INITIALIZE).await, Some(200));
    serves(&lab).await;
}

/// Sockets that begin, and do not go on: with the first bytes of a request, or with none.
#[tokio::test]
async fn half_open_sockets_give_their_place_back() {
    let lab = Lab::start(Options::new().sockets(8).head_time(SHORT)).await;
    let mut flood = Vec::new();
    for number in 0..32 {
        let mut socket = TcpStream::connect(lab.address()).await.unwrap();
        let begun: &[&[u8]] = &[b"", b"P", b"PRI * HTTP/2.0\r\n", b"POST /acp HTTP/1.1\r\n"];
        let _ = socket.write_all(begun[number % begun.len()]).await;
        flood.push(socket);
    }
    serves(&lab).await;
    for mut socket in flood {
        let _ = soon(socket.read_to_end(&mut Vec::new())).await;
    }
    // With TLS, too.
    let tls = Authority::new("ours").server();
    let lab = Lab::start(Options::new().sockets(1).head_time(SHORT).tls(tls)).await;
    let mut silent = TcpStream::connect(lab.address()).await.unwrap();
    assert_eq!(soon(silent.read_to_end(&mut Vec::new())).await.unwrap(), 0);
}

/// A client that sends a byte now and then, for ever.
#[tokio::test]
async fn a_slow_client_is_cut_off() {
    let lab = Lab::start(Options::new().head_time(SHORT).body_time(SHORT)).await;
    let id = lab.initialize().await;
    let mut head = TcpStream::connect(lab.address()).await.unwrap();
    let mut body = begin_post(&lab, &[&id], "content-length: 1000000").await;
    let dribble = async {
        let (mut from, mut to) = head.split();
        let writing = async {
            while to.write_all(b"GET /").await.is_ok() {
                tokio::task::yield_now().await;
            }
        };
        let mut answer = Vec::new();
        let reading = from.read_to_end(&mut answer);
        tokio::select! {
            () = writing => {}
            _ = reading => {}
        }
    };
    soon(dribble).await;
    let dribble = async {
        while body.write_all(b" ").await.is_ok() {
            tokio::task::yield_now().await;
            let mut status = [0; 12];
            if let Ok(12) = body.try_read(&mut status) {
                return String::from_utf8(status.to_vec()).unwrap();
            }
        }
        "closed".to_owned()
    };
    let end = soon(dribble).await;
    assert!(end == "HTTP/1.1 408" || end == "closed", "{end}");
    serves(&lab).await;
}

/// HTTP/2 "rapid reset": requests that are cancelled at once, each of which starts an agent.
#[tokio::test]
async fn rapid_resets_leave_nothing_behind() {
    // Some are answered before they are taken back: then nobody opens a stream.
    let lab = Lab::start(Options::new().first_stream_time(SHORT)).await;
    let mut client = Http2::connect(lab.address()).await;
    for _ in 0..3_000 {
        if !client.reset("POST", &["content-type: application/json"], INITIALIZE).await {
            break;
        }
    }
    // Agents that are not needed give back the places of their address, one after the other.
    let mut statuses = Vec::new();
    soon(async {
        while statuses.last() != Some(&200) {
            statuses.push(lab.post(&[], INITIALIZE).await.status);
        }
    })
    .await;
    assert!(statuses.iter().all(|status| matches!(status, 200 | 429 | 503)), "{statuses:?}");
}

/// Messages of a WebSocket that never end.
#[tokio::test]
async fn frames_without_an_end_are_refused() {
    let mut lab = Lab::start(Options::new().message(1000)).await;
    // A frame that says that it has a gigabyte.
    let (_, socket) = upgrade(&lab, "").await;
    let mut bare = socket.into_inner();
    let mut frame = vec![0x81, 0xff];
    frame.extend_from_slice(&(1u64 << 30).to_be_bytes());
    frame.extend_from_slice(&[0; 4]);
    bare.write_all(&frame).await.unwrap();
    let mut answer = Vec::new();
    let _ = soon(bare.read_to_end(&mut answer)).await;
    assert_eq!(answer[2..4], 1009u16.to_be_bytes());
    lab.until("closed").await;
    // Fragments without the last one.
    let (_, socket) = upgrade(&lab, "").await;
    let mut bare = socket.into_inner();
    for number in 0..100 {
        let mut frame = vec![if number == 0 { 0x01 } else { 0x00 }, 0x80 | 100, 0, 0, 0, 0];
        frame.extend_from_slice(&[b' '; 100]);
        let _ = bare.write_all(&frame).await;
    }
    let mut answer = Vec::new();
    let _ = soon(bare.read_to_end(&mut answer)).await;
    assert!(answer.is_empty() || answer[2..4] == 1009u16.to_be_bytes(), "{answer:?}");
    lab.until("closed").await;
    // A thousand pings are answered, and the next message is served.
    let (_, mut socket) = upgrade(&lab, "").await;
    for _ in 0..1000 {
        socket.feed(Message::Ping(Vec::new().into())).await.unwrap();
    }
    socket.send(Message::text(INITIALIZE)).await.unwrap();
    assert_eq!(next(&mut socket).await["id"], 0);
    socket.close(None).await.unwrap();
    while let Some(Ok(_)) = soon(socket.next()).await {}
    lab.until("closed").await;
    let (_, mut socket) = upgrade(&lab, "").await;
    socket.send(Message::text("x".repeat(2000))).await.unwrap();
    assert_eq!(close_code(&mut socket).await, 1009);
}

/// A body of an answer that shows what it was asked.
#[tokio::test]
async fn refusals_repeat_nothing() {
    let lab = Lab::start(Options::new().message(1000)).await;
    let id = lab.initialize().await;
    let secret = "payload-4711";
    let bodies = [
        format!("{{\"{secret}"),
        format!("[\"{secret}\"]"),
        format!(r#"{{"jsonrpc":"2.0","id":"{secret}"}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"session/status","params":"{secret}"}}"#),
        format!("\"{secret}{}\"", "x".repeat(1000)),
    ];
    for body in bodies {
        let answer: Answer = lab.post(&[&id, "acp-session-id: payload-4711"], &body).await;
        assert!(answer.status >= 400 && !answer.body.contains(secret), "{answer:?}");
    }
}
