//! Spans and events: their number, their fields, and the payload that they leave out.

use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use acp_json::{Node, Value};
use acp_rpc::trace::{TraceContext, Tracing};
use acp_rpc::{Delivery, Error, Options, Peer, Reply, Request, Service, Task};
use serde_json::json;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::{DefaultGuard, Interest};
use tracing::{Event, Level, Metadata, Subscriber};

use crate::common::{Lab, raw, soon};

const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

/// Notes each span when it is closed, and each event.
#[derive(Clone, Default)]
struct Notes {
    spans: Arc<Mutex<Vec<(usize, String)>>>,
    done: Arc<Mutex<Vec<String>>>,
    /// The spans that this thread is in.
    within: Arc<Mutex<Vec<u64>>>,
}

struct Fields<'a>(&'a mut String);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.push_str(&format!(" {}={value:?}", field.name()));
    }
}

impl Subscriber for Notes {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "acp_rpc"
    }

    /// This is asked each time, because other tests of this process do not listen.
    fn register_callsite(&self, _: &'static Metadata<'static>) -> Interest {
        Interest::sometimes()
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        let metadata = attributes.metadata();
        let mut text = format!("{} {}", metadata.level(), metadata.name());
        attributes.record(&mut Fields(&mut text));
        let mut spans = self.spans.lock().unwrap();
        spans.push((1, text));
        Id::from_u64(spans.len() as u64)
    }

    fn record(&self, span: &Id, values: &Record<'_>) {
        let mut spans = self.spans.lock().unwrap();
        values.record(&mut Fields(&mut spans[span.into_u64() as usize - 1].1));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut text = format!("{} event", event.metadata().level());
        event.record(&mut Fields(&mut text));
        if let Some(span) = self.within.lock().unwrap().last() {
            text.push_str(&format!(" within {}", self.spans.lock().unwrap()[*span as usize - 1].1));
        }
        self.done.lock().unwrap().push(text);
    }

    fn enter(&self, span: &Id) {
        self.within.lock().unwrap().push(span.into_u64());
    }

    fn exit(&self, span: &Id) {
        assert_eq!(self.within.lock().unwrap().pop(), Some(span.into_u64()));
    }

    fn clone_span(&self, id: &Id) -> Id {
        self.spans.lock().unwrap()[id.into_u64() as usize - 1].0 += 1;
        id.clone()
    }

    fn try_close(&self, id: Id) -> bool {
        let mut spans = self.spans.lock().unwrap();
        let (count, text) = &mut spans[id.into_u64() as usize - 1];
        *count -= 1;
        if *count == 0 {
            self.done.lock().unwrap().push(text.clone());
        }
        *count == 0
    }
}

impl Notes {
    /// Listens on this thread, which is the only one of a test's runtime.
    fn listen() -> (Self, DefaultGuard) {
        let notes = Self::default();
        (notes.clone(), tracing::subscriber::set_default(notes))
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.done.lock().unwrap())
    }
}

#[tokio::test]
async fn every_request_is_a_span_with_its_outcome() {
    let (notes, _guard) = Notes::listen();
    let (lab, _events) = Lab::new();
    let (mut wire, peer, driver) = raw(lab, Options::default().tracing(Tracing::new()));
    let driver = tokio::spawn(driver);
    for (method, outcome) in
        [("echo", "done"), ("fail", "error -32602"), ("panic", "panicked"), ("nowhere", "error -32601")]
    {
        let params = json!({ "sessionId": "s1", "secret": "x" });
        wire.send(json!({ "jsonrpc": "2.0", "id": method, "method": method, "params": params }).to_string())
            .await;
        wire.next().await;
        let mut expected = vec![format!(
            r#"INFO request direction="in" method="{method}" session="s1" id="{method}" outcome={outcome}"#
        )];
        if method == "panic" {
            expected.insert(0, "WARN event message=the handler of `panic` panicked".to_owned());
        }
        assert_eq!(notes.take(), expected);
    }
    wire.send(r#"{"jsonrpc":"2.0","method":"unknown"}"#).await;
    wire.send("secret").await;
    wire.next().await;
    assert_eq!(
        notes.take(),
        [
            r#"TRACE notification direction="in" method="unknown" outcome=ignored"#,
            "WARN event message=a line of 6 bytes is not JSON (at byte 1)",
        ]
    );
    let ask = || {
        let peer = peer.clone();
        tokio::spawn(async move { peer.request::<_, Value>("ask", &json!({ "sessionId": "s2" })).await })
    };
    let answered = ask();
    wire.next().await;
    wire.send(r#"{"jsonrpc":"2.0","id":0,"result":"secret"}"#).await;
    soon("the answer", answered).await.unwrap().unwrap();
    let refused = ask();
    wire.next().await;
    wire.send(r#"{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"secret"}}"#).await;
    soon("the answer", refused).await.unwrap().unwrap_err();
    let dropped = ask();
    wire.next().await;
    dropped.abort();
    assert!(dropped.await.unwrap_err().is_cancelled());
    wire.next().await;
    peer.notify("tell", &json!({ "secret": "x" })).await.unwrap();
    wire.next().await;
    wire.finish().await;
    driver.await.unwrap();
    assert_eq!(
        notes.take(),
        [
            r#"INFO request direction="out" method="ask" session="s2" id=0 outcome=done"#,
            r#"INFO request direction="out" method="ask" session="s2" id=1 outcome=error -1"#,
            r#"INFO request direction="out" method="ask" session="s2" id=2 outcome=dropped"#,
            r#"TRACE notification direction="out" method="tell" outcome=done"#,
            "DEBUG event message=the connection ended: the peer closed it",
        ]
    );
}

/// A future that emits an event whenever it is polled.
struct Talkative;

impl Service for Talkative {
    fn request(&self, _: &str, _: Node<'_>, _: Request) -> Result<Task, Error> {
        tracing::info!(target: "acp_rpc", "reader");
        Ok(Box::pin(async {
            tokio::task::yield_now().await;
            tracing::info!(target: "acp_rpc", "handler");
            Ok(Reply::empty())
        }))
    }

    fn notification(&self, _: &str, _: Node<'_>, _: &Peer) -> Delivery {
        let job = Box::pin(async { tracing::info!(target: "acp_rpc", "job") });
        Delivery::Lane { lane: "a".into(), job }
    }
}

#[tokio::test]
async fn handlers_run_within_their_spans() {
    let (notes, _guard) = Notes::listen();
    let (mut wire, _peer, driver) = raw(Talkative, Options::default().tracing(Tracing::new()));
    let driver = tokio::spawn(driver);
    wire.send(r#"{"jsonrpc":"2.0","id":1,"method":"any"}"#).await;
    wire.next().await;
    wire.send(r#"{"jsonrpc":"2.0","method":"any"}"#).await;
    wire.finish().await;
    driver.await.unwrap();
    let request = r#"INFO request direction="in" method="any" id=1"#;
    let notification = r#"TRACE notification direction="in" method="any""#;
    assert_eq!(
        notes.take(),
        [
            format!("INFO event message=reader within {request}"),
            format!("INFO event message=handler within {request}"),
            format!("{request} outcome=done"),
            format!("INFO event message=job within {notification}"),
            format!("{notification} outcome=done"),
            "DEBUG event message=the connection ended: the peer closed it".to_owned(),
        ]
    );
}

#[tokio::test]
async fn spans_are_tied_to_the_trace_context() {
    let (notes, _guard) = Notes::listen();
    let parents = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&parents);
    let tracing = Tracing::new()
        .set_parent(move |span, context| {
            assert_eq!(span.metadata().unwrap().level(), &Level::INFO);
            log.lock().unwrap().push(context.traceparent().to_owned());
        })
        .inject(|span| span.id().and_then(|_| TraceContext::new(PARENT)));
    let (lab, _events) = Lab::new();
    let (mut wire, peer, driver) = raw(lab, Options::default().tracing(tracing));
    tokio::spawn(driver);
    for traceparent in [PARENT, "nonsense"] {
        let params = json!({ "_meta": { "traceparent": traceparent } });
        wire.send(json!({ "jsonrpc": "2.0", "id": 1, "method": "empty", "params": params }).to_string())
            .await;
        wire.next().await;
    }
    assert_eq!(*parents.lock().unwrap(), [PARENT]);
    assert_eq!(
        notes.take().last().unwrap(),
        r#"INFO request direction="in" method="empty" otel.name="empty" otel.kind="server" id=1 outcome=done"#
    );
    peer.notify("tell", &json!({})).await.unwrap();
    let meta = format!(r#"{{"_meta":{{"traceparent":"{PARENT}"}}}}"#);
    assert_eq!(wire.next().await, format!(r#"{{"jsonrpc":"2.0","method":"tell","params":{meta}}}"#));
}

#[tokio::test]
async fn without_a_subscriber_nothing_is_different() {
    let tracing = Tracing::new().inject(|_| panic!("nobody looks"));
    let (lab, _events) = Lab::new();
    let (mut wire, peer, driver) = raw(lab, Options::default().tracing(tracing));
    tokio::spawn(driver);
    wire.send(r#"{"jsonrpc":"2.0","id":1,"method":"empty"}"#).await;
    assert_eq!(wire.next().await, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    peer.notify("tell", &json!({})).await.unwrap();
    assert_eq!(wire.next().await, r#"{"jsonrpc":"2.0","method":"tell","params":{}}"#);
}
