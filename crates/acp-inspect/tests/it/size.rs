//! Many messages, long lines and lines that are no messages.

use std::time::Duration;

use acp_inspect::Store;
use acp_testkit::recordings::{Direction, Tape, TapeOptions};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::{Page, add};

#[tokio::test]
async fn a_hundred_thousand_messages_are_counted_and_the_index_is_small() {
    const MESSAGES: u64 = 100_000;
    let store = Store::new().unwrap();
    let options = TapeOptions::default().redaction(None).budget(1 << 30);
    let tape = Tape::start_into(store.sink(), options).unwrap();
    let head = tape.head(Direction::In);
    for at in 0..MESSAGES {
        let update = json!({"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":format!("word {at}")}});
        let line =
            json!({"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":update}});
        head.hear(format!("{line}\n").as_bytes());
    }
    assert_eq!(tape.end("enough", Duration::from_secs(60)), Some(0), "no line was lost");
    let seen = store.seen();
    assert_eq!((seen.messages, seen.lost, seen.ended), (MESSAGES, 0, true));
    assert!(Store::bytes_per_message() <= 64);
    let bytes = store.index_bytes();
    assert!(bytes <= 64 * 100_000, "{bytes} bytes");
    assert!(bytes >= 16 * 100_000, "{bytes} bytes cannot hold them");

    let page = Page::open(store).await;
    let last = page.get("/api/rows?before=100001&limit=1").await.json();
    assert_eq!(last["rows"][0]["seq"], MESSAGES);
    let found = page.get("/api/rows?after=0&text=word%2099999&limit=1").await.json();
    assert_eq!(found["rows"][0]["seq"], MESSAGES);
    let folded = page.get("/api/rows?after=0&fold=1").await.json();
    assert_eq!(folded["rows"][0]["cluster"]["count"], MESSAGES);
}

#[tokio::test]
async fn names_that_a_peer_makes_up_are_bounded() {
    let store = Store::new().unwrap();
    for at in 0..10_000 {
        let line = json!({"jsonrpc":"2.0","method":format!("_{at}_{}", "x".repeat(100)),"params":{}});
        add(&store, at, Direction::In, line.to_string().as_bytes());
    }
    assert!(store.index_bytes() < 10_000 * Store::bytes_per_message() + 2_000_000, "{}", store.index_bytes());
    let page = Page::open(store).await;
    assert_eq!(page.get("/api/rows?before=10001&limit=1").await.json()["rows"][0]["method"], "(other)");
}

#[tokio::test]
async fn hostile_lines_are_shown_as_they_are() {
    let long = format!(r#"{{"jsonrpc":"2.0","method":"_long","params":"{}"}}"#, "x".repeat(10_000_000));
    let lines: [&[u8]; 6] = [
        b"not JSON",
        b"\xff\xfe",
        br#"{"jsonrpc":"2.0","method":"_lone","params":"\ud800"}"#,
        "{\"jsonrpc\":\"2.0\",\"method\":\"_\u{202e}bidi\",\"params\":\"<script>\"}".as_bytes(),
        br#"{"jsonrpc":"2.0","id":{"deep":[1]},"method":"m"}"#,
        long.as_bytes(),
    ];
    let store = Store::new().unwrap();
    for line in lines {
        add(&store, 0, Direction::In, line);
    }
    let page = Page::open(store).await;
    let rows = page.get("/api/rows?after=0").await.json();
    assert_eq!(rows["rows"].as_array().unwrap().len(), 6);
    assert_eq!((&rows["rows"][0]["kind"], &rows["rows"][5]["bytes"]), (&json!("other"), &json!(long.len())));
    for (seq, line) in (1..).zip(lines) {
        let raw = page.get(&format!("/api/messages/{seq}/raw")).await;
        assert!(raw.body == line, "message {seq} is not as it came");
        assert!(raw.head.contains("content-disposition: attachment"), "{}", raw.head);
        let message = page.get(&format!("/api/messages/{seq}")).await.json();
        assert_eq!(message["length"], line.len());
        assert_eq!(message["cut"], line.len() > 256 * 1024, "{seq}");
        assert!(message["text"].as_str().unwrap().len() <= 256 * 1024);
    }
    let svg = page.get("/api/sequence.svg").await.text();
    assert!(!svg.contains('\u{202e}') && svg.contains(r"_\u202ebidi"), "{svg}");
    for missing in ["0", "7", "x", "-1", "99999999999999999999"] {
        assert_eq!(page.get(&format!("/api/messages/{missing}")).await.status, 404, "{missing}");
    }
}

#[tokio::test]
async fn a_reader_that_is_slow_holds_up_nobody() {
    let store = Store::new().unwrap();
    add(&store, 0, Direction::In, &vec![b'x'; 20_000_000]);
    let page = Page::open(store).await;
    let mut readers = Vec::new();
    for path in ["messages/1/raw", "events"] {
        let mut reader = TcpStream::connect(&page.host).await.unwrap();
        let (host, cookie) = (&page.host, &page.cookie);
        let head = format!("GET /api/{path} HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\n\r\n");
        reader.write_all(head.as_bytes()).await.unwrap();
        // The answer has begun, and nobody reads the rest.
        reader.read_u8().await.unwrap();
        readers.push(reader);
    }
    for at in 1..=1000 {
        add(&page.store, at, Direction::In, b"{}");
    }
    assert_eq!(page.get("/api/state").await.json()["messages"], 1001);
    drop(readers);
}
