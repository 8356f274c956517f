//! Secrets in logs: there are none, whatever is logged.

use std::cell::RefCell;
use std::fmt::{Debug, Write};
use std::sync::Once;

use acp_http::server::{Options, Policy, Principal};
use futures_util::SinkExt;
use tokio_tungstenite::tungstenite::Message;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use super::http2::Http2;
use super::lab::{INITIALIZE, Lab};
use super::websocket::{close_code, next, upgrade};

thread_local! {
    /// All that this thread logs, at every level, if it listens.
    static LOGGED: RefCell<Option<String>> = const { RefCell::new(None) };
}

fn note(line: std::fmt::Arguments<'_>) {
    LOGGED.with_borrow_mut(|text| text.as_mut().map(|text| text.write_fmt(line).unwrap()));
}

/// Takes what the crate `tracing` is told.
struct Everything;

struct Fields;

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        note(format_args!(" {field}={value:?}"));
    }
}

impl Subscriber for Everything {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        note(format_args!("\n{}", span.metadata().name()));
        span.record(&mut Fields);
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, values: &Record<'_>) {
        values.record(&mut Fields);
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        note(format_args!("\n{}", event.metadata().target()));
        event.record(&mut Fields);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// Takes what the crate `log` is told.
impl log::Log for Everything {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &log::Record<'_>) {
        // This one shows whole messages at the level of traces, as its own documentation says, so
        // the page about remote agents tells to leave it out.
        if !record.target().starts_with("tungstenite::") {
            note(format_args!("\n{} {}", record.target(), record.args()));
        }
    }

    fn flush(&self) {}
}

const TOKEN: &str = "token-of-alice-71c2";
const WRONG: &str = "token-of-mallory-09ab";
const SESSION: &str = "session-of-alice-55de";

/// Talks with a server by each way, in order and out of order. Returns the secrets that the server
/// made up.
async fn talk() -> Vec<String> {
    let options = Options::new().token(TOKEN, Principal::new("alice")).tickets("/acp/ticket");
    let mut lab = Lab::start(options.policy(Policy::new()).message(2000)).await;
    let alice = format!("authorization: Bearer {TOKEN}");
    let mallory = format!("authorization: Bearer {WRONG}");
    let session = format!("acp-session-id: {SESSION}");
    let load = |params: &str| {
        let params = format!(r#"{{"sessionId":"{SESSION}"{params}}}"#);
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"session/load","params":{params}}}"#)
    };
    let answer = lab.post(&[&alice], INITIALIZE).await;
    let id = answer.header("acp-connection-id").unwrap().to_owned();
    let line = format!("acp-connection-id: {id}");
    let mut stream = lab.get(&[&alice, &line, &session]).await;
    assert_eq!(lab.post(&[&alice, &line, &session], &load("")).await.status, 202);
    assert_eq!(stream.next().await.unwrap().1["method"], "session/update");
    for (head, body) in [
        (&[&alice, &line] as &[&String], load(r#","cwd":"/""#)),
        (&[&alice, &line, &session], load(&format!(",\"x\":\"{}\"", "x".repeat(2000)))),
        (&[&alice, &line, &session], "{".to_owned()),
        (&[&mallory, &line, &session], load("")),
        (&[&line, &session], load("")),
        (&[&alice, &line, &line], load("")),
    ] {
        let head: Vec<&str> = head.iter().map(|line| line.as_str()).collect();
        lab.post(&head, &body).await;
    }
    let mut client = Http2::connect(lab.address()).await;
    assert_eq!(client.post(&[&alice], INITIALIZE).await.status, 200);
    assert_eq!(client.post(&[&mallory, &line, &session], INITIALIZE).await.status, 401);
    let answer = lab.exchange("POST /acp/ticket", &[&alice], "").await;
    let ticket: serde_json::Value = serde_json::from_str(&answer.body).unwrap();
    let ticket = ticket["ticket"].as_str().unwrap().to_owned();
    for _ in 0..2 {
        upgrade(&lab, &format!("sec-websocket-protocol: acp, acp.ticket.{ticket}\r\n")).await;
    }
    let (head, mut socket) = upgrade(&lab, &format!("{alice}\r\n")).await;
    for text in [INITIALIZE, &load(r#","cwd":"/""#), &load("")] {
        socket.send(Message::text(text)).await.unwrap();
        next(&mut socket).await;
    }
    socket.send(Message::binary(SESSION.as_bytes().to_vec())).await.unwrap();
    socket.send(Message::text("x".repeat(3000))).await.unwrap();
    assert_eq!(close_code(&mut socket).await, 1009);
    assert_eq!(lab.exchange("DELETE /acp", &[&alice, &line], "").await.status, 202);
    lab.until("closed").await;
    lab.server.shutdown(std::time::Duration::ZERO).await;
    let other = head.lines().find_map(|line| line.strip_prefix("acp-connection-id: ")).unwrap();
    vec![id, ticket, other.to_owned()]
}

/// Runs something, and returns what it logs.
fn logged<T>(run: impl Future<Output = T>) -> (T, String) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        log::set_logger(&Everything).unwrap();
        log::set_max_level(log::LevelFilter::Trace);
    });
    LOGGED.set(Some(String::new()));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let done = tracing::subscriber::with_default(Everything, || runtime.block_on(run));
    (done, LOGGED.take().unwrap())
}

#[test]
fn session_ids_and_tokens_are_never_logged() {
    let (made_up, logged) = logged(talk());
    let logged = logged.to_lowercase();
    let secrets = made_up.iter().map(String::as_str).chain([TOKEN, WRONG, SESSION]);
    for secret in secrets {
        assert!(!logged.contains(&secret.to_lowercase()), "{secret} is in this:{logged}");
    }
    // The test hears of it if something is logged.
    for known in ["acp_http::server", "h2::", "a message is rejected by the policy"] {
        assert!(logged.contains(known), "{logged}");
    }
}

/// A server of this machine that everybody may use is allowed, and said to be one.
#[test]
fn rm_cors_05_a_server_without_authentication_warns() {
    let warning = "nobody authenticates";
    for (options, warns) in [(Options::new(), true), (Options::new().token("t", Principal::new("a")), false)]
    {
        let (_lab, logged) = logged(Lab::start(options));
        assert_eq!(logged.contains(warning), warns, "{logged}");
    }
}
