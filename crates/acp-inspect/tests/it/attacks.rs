//! Requests of strangers.

use std::time::Duration;

use acp_inspect::{Driver, Inspector, Source, Store};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::support::{Page, turn};

/// All addresses that need the cookie.
const API: [&str; 16] = [
    "state",
    "rows?after=0",
    "messages/1",
    "messages/1/raw",
    "asks/1",
    "events",
    "statistics",
    "sessions",
    "sessions/s1",
    "capabilities",
    "overview",
    "sequence.svg",
    "compare?left=1&right=2",
    "export?kind=redacted",
    "export?kind=mock",
    "act",
];

#[tokio::test]
async fn nothing_of_the_connection_is_told_without_the_cookie() {
    let page = Page::closed(turn(1)).await;
    for path in API {
        for cookie in ["", "Cookie: acp_inspect=\r\n", "Cookie: acp_inspect=0000\r\n", "Cookie: x=y\r\n"] {
            let head = format!("GET /api/{path} HTTP/1.1\r\nHost: {}\r\n{cookie}", page.host);
            let answer = page.send(&head, "").await;
            assert_eq!(answer.status, 401, "{path} with `{cookie}`: {answer:?}");
            assert!(!answer.text().contains("s1"), "{answer:?}");
        }
    }
    let start = page.get("/").await;
    assert_eq!(start.status, 200);
    assert!(!start.text().contains(&page.token));
}

#[tokio::test]
async fn the_token_is_good_once() {
    let page = Page::closed(turn(1)).await;
    assert_eq!(page.login("").await.status, 403);
    assert_eq!(page.login(&page.token[1..]).await.status, 403);
    let first = page.login(&page.token).await;
    assert_eq!(first.status, 204);
    let cookie = first.head.lines().find(|line| line.starts_with("set-cookie: ")).unwrap();
    assert!(cookie.ends_with("; HttpOnly; SameSite=Strict; Path=/"), "{cookie}");
    assert!(!cookie.contains(&page.token), "the cookie is another secret");
    assert_eq!(page.login(&page.token).await.status, 403);
}

#[tokio::test]
async fn a_request_of_a_stranger_is_refused() {
    let page = Page::open(turn(1)).await;
    let (host, cookie) = (page.host.clone(), format!("Cookie: {}\r\n", page.cookie));
    let port = host.rsplit(':').next().unwrap();
    let get = "GET /api/state HTTP/1.1\r\n";
    for (attack, head, status) in [
        ("none", format!("{get}Host: {host}\r\n"), 200),
        ("its other name", format!("{get}Host: localhost:{port}\r\n"), 200),
        ("its own origin", format!("{get}Host: {host}\r\nOrigin: http://{host}\r\n"), 200),
        ("another name that points here", format!("{get}Host: evil.example:{port}\r\n"), 403),
        ("no port", format!("{get}Host: 127.0.0.1\r\n"), 403),
        ("no host", get.to_owned(), 403),
        ("two hosts", format!("{get}Host: {host}\r\nHost: evil.example\r\n"), 403),
        ("a whole address", format!("GET http://evil.example/api/state HTTP/1.1\r\nHost: {host}\r\n"), 403),
        ("a foreign origin", format!("{get}Host: {host}\r\nOrigin: http://evil.example\r\n"), 403),
        ("an opaque origin", format!("{get}Host: {host}\r\nOrigin: null\r\n"), 403),
        ("the origin by TLS", format!("{get}Host: {host}\r\nOrigin: https://{host}\r\n"), 403),
        ("another port", format!("{get}Host: {host}\r\nOrigin: http://127.0.0.1:1\r\n"), 403),
        ("its two names", format!("{get}Host: {host}\r\nOrigin: http://localhost:{port}\r\n"), 403),
        ("two origins", format!("{get}Host: {host}\r\nOrigin: http://{host}\r\nOrigin: null\r\n"), 403),
        ("a post without origin", format!("POST /api/state HTTP/1.1\r\nHost: {host}\r\n"), 403),
        (
            "a post to what is read",
            format!("POST /api/state HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n"),
            405,
        ),
        ("a path upwards", format!("GET /../Cargo.toml HTTP/1.1\r\nHost: {host}\r\n"), 404),
    ] {
        let answer = page.send(&format!("{head}{cookie}"), "").await;
        assert_eq!(answer.status, status, "{attack}: {answer:?}");
        for header in [
            "content-security-policy: default-src 'none';",
            "x-content-type-options: nosniff",
            "referrer-policy: no-referrer",
            "cache-control: no-store",
        ] {
            assert!(answer.head.contains(header), "{attack} lacks {header}: {}", answer.head);
        }
        assert!(!answer.head.contains("access-control"), "{attack}: {}", answer.head);
    }
}

#[tokio::test]
async fn a_long_body_is_refused() {
    let page = Page::closed(turn(1)).await;
    assert_eq!(page.login(&"x".repeat(5000)).await.status, 413);
}

/// Fails unless a request whose body does not come is refused after a while, and loses its seat.
async fn gives_up(page: &Page, path: &str) {
    let mut stream = BufReader::new(TcpStream::connect(&page.host).await.unwrap());
    let (host, cookie) = (&page.host, &page.cookie);
    let head =
        format!("POST {path} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nCookie: {cookie}\r\n");
    let rest = "Content-Length: 100\r\nExpect: 100-continue\r\n\r\n{";
    stream.write_all(format!("{head}{rest}").as_bytes()).await.unwrap();
    // The server says so when it waits for the body.
    let mut line = String::new();
    stream.read_line(&mut line).await.unwrap();
    assert_eq!(line, "HTTP/1.1 100 Continue\r\n");
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(11)).await;
    tokio::time::resume();
    let mut answer = String::new();
    let ended = timeout(Duration::from_secs(60), stream.read_to_string(&mut answer)).await;
    ended.expect("the server gives up").expect("the connection ends");
    assert!(answer.trim_start().starts_with("HTTP/1.1 408 "), "{path}: {answer}");
    assert!(answer.contains("not whole within 10 seconds"), "{path}: {answer}");
}

#[tokio::test]
async fn a_body_that_does_not_come_holds_no_seat() {
    gives_up(&Page::closed(turn(1)).await, "/login").await;
    let store = Store::new().unwrap();
    let driver = Driver::new("/work".into());
    let inspector = Inspector::listen(([127, 0, 0, 1], 0).into(), store.clone(), Source::Live, "x").await;
    gives_up(&Page::log_in(inspector.unwrap().driven_by(&driver), store).await, "/api/act").await;
}

#[tokio::test]
async fn only_loopback_is_listened_on() {
    let store = Store::new().unwrap();
    let error = Inspector::listen(([0, 0, 0, 0], 0).into(), store, Source::Live, "x").await.unwrap_err();
    assert!(error.to_string().contains("is not an address of the loopback device"), "{error}");
}
