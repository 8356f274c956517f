//! The W3C trace context: its valid forms, and its way in and out.

use std::sync::{Arc, Mutex};

use acp_json::{Node, Value};
use acp_rpc::trace::{Propagate, TraceContext};
use acp_rpc::{Delivery, Error, Options, Peer, Reply, Request, Service, Task};
use serde_json::json;

use crate::common::{Lab, Wire, raw, soon};

const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

#[test]
fn a_traceparent_must_be_valid() {
    let (trace, parent) = ("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7");
    for (text, is_valid) in [
        (PARENT.to_owned(), true),
        (format!("00-{trace}-{parent}-ff"), true),
        (format!("cc-{trace}-{parent}-01"), true),
        (format!("cc-{trace}-{parent}-01-what-comes-later"), true),
        (format!("00-{trace}-{parent}-01-more"), false),
        (format!("ff-{trace}-{parent}-01"), false),
        (format!("0-{trace}-{parent}-01"), false),
        (format!("00-{trace}-{parent}"), false),
        (format!("00-{trace}-{parent}-1"), false),
        (format!("00-{}-{parent}-01", "0".repeat(32)), false),
        (format!("00-{trace}-{}-01", "0".repeat(16)), false),
        (PARENT.to_uppercase(), false),
        (PARENT.replace("4bf", "4bg"), false),
        (PARENT.replace("4bf", "4b"), false),
        (format!(" {PARENT}"), false),
        (String::new(), false),
    ] {
        assert_eq!(TraceContext::new(&text).is_some(), is_valid, "{text}");
    }
}

#[test]
fn a_context_is_read_from_meta() {
    let read = |meta: serde_json::Value| {
        let params: Value = json!({ "a": 1, "_meta": meta }).to_string().parse().unwrap();
        let context = TraceContext::of_params(params.as_node())?;
        let part = |part: Option<&str>| part.unwrap_or("none").to_owned();
        Some(format!("{} {} {}", context.traceparent(), part(context.tracestate()), part(context.baggage())))
    };
    for (meta, expected) in [
        (json!({ "traceparent": PARENT }), Some("none none")),
        (json!({ "tracestate": "a=1", "baggage": "b=2", "traceparent": PARENT }), Some("a=1 b=2")),
        (json!({ "traceparent": PARENT, "tracestate": "", "baggage": 7 }), Some("none none")),
        (json!({ "traceparent": PARENT, "tracestate": "a=1\r\nb: 2", "baggage": "ä" }), Some("none none")),
        (json!({ "traceparent": PARENT, "baggage": "b".repeat(8193) }), Some("none none")),
        (json!({ "traceparent": "00-0-0-0", "tracestate": "a=1" }), None),
        (json!({ "traceparent": 7 }), None),
        (json!({ "tracestate": "a=1" }), None),
        (json!(null), None),
        (json!("x"), None),
    ] {
        assert_eq!(read(meta.clone()), expected.map(|rest| format!("{PARENT} {rest}")), "{meta}");
    }
    assert_eq!(TraceContext::of_params(&Node::Null), None);
}

/// Reports the context of its handlers.
struct Told(Arc<Mutex<Vec<String>>>);

impl Told {
    fn note(seen: &Mutex<Vec<String>>, what: &str) {
        let context = TraceContext::current();
        let parent = context.as_ref().map_or("none", TraceContext::traceparent);
        seen.lock().unwrap().push(format!("{what} {parent}"));
    }
}

impl Service for Told {
    fn request(&self, _: &str, _: Node<'_>, request: Request) -> Result<Task, Error> {
        Self::note(&self.0, "reader");
        let seen = Arc::clone(&self.0);
        Ok(Box::pin(async move {
            tokio::task::yield_now().await;
            Self::note(&seen, "handler");
            request.peer.notify("within", &json!({})).await.unwrap();
            let (seen, context) = (Arc::clone(&seen), TraceContext::current());
            let spawned = tokio::spawn(async move {
                Self::note(&seen, "spawned");
                if let Some(context) = context {
                    context.scope(async { Self::note(&seen, "scoped") }).await;
                }
            });
            spawned.await.unwrap();
            Ok(Reply::empty())
        }))
    }

    fn notification(&self, method: &str, _: Node<'_>, _: &Peer) -> Delivery {
        let seen = Arc::clone(&self.0);
        let job = Box::pin(async move { Self::note(&seen, "job") });
        if method == "lane" { Delivery::Lane { lane: "a".into(), job } } else { Delivery::Task(job) }
    }
}

async fn handled(wire: &mut Wire, params: &str) -> Vec<String> {
    wire.send(format!(r#"{{"jsonrpc":"2.0","id":1,"method":"any","params":{params}}}"#)).await;
    vec![wire.next().await, wire.next().await]
}

#[tokio::test]
async fn handlers_have_the_context_of_their_message_and_pass_it_on() {
    let seen = Arc::default();
    let options = Options::default().layer_in(Propagate::new()).layer_out(Propagate::new());
    let (mut wire, _peer, driver) = raw(Told(Arc::clone(&seen)), options);
    let driver = tokio::spawn(driver);
    let lines =
        handled(&mut wire, &format!(r#"{{"_meta":{{"traceparent":"{PARENT}","tracestate":"a=1"}}}}"#)).await;
    let meta = format!(r#"{{"_meta":{{"tracestate":"a=1","traceparent":"{PARENT}"}}}}"#);
    assert_eq!(lines[0], format!(r#"{{"jsonrpc":"2.0","method":"within","params":{meta}}}"#));
    let expected = [format!("reader {PARENT}"), format!("handler {PARENT}"), "spawned none".into()];
    let taken = std::mem::take(&mut *seen.lock().unwrap());
    assert_eq!(taken, [&expected[..], &[format!("scoped {PARENT}")]].concat());

    let lines = handled(&mut wire, r#"{"_meta":{"traceparent":"nonsense"}}"#).await;
    assert_eq!(lines[0], r#"{"jsonrpc":"2.0","method":"within","params":{}}"#);
    let taken = std::mem::take(&mut *seen.lock().unwrap());
    assert_eq!(taken, ["reader none", "handler none", "spawned none"]);

    for method in ["lane", "task"] {
        let params = format!(r#"{{"_meta":{{"traceparent":"{PARENT}"}}}}"#);
        wire.send(format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}}}"#)).await;
    }
    wire.finish().await;
    driver.await.unwrap();
    let job = format!("job {PARENT}");
    assert_eq!(*seen.lock().unwrap(), [job.clone(), job]);
}

#[tokio::test]
async fn what_is_sent_gets_the_context_of_the_provider() {
    let context = TraceContext::new(PARENT).unwrap().with_tracestate("a=1").with_baggage("b=2");
    let given = Arc::new(Mutex::new(Some(context)));
    let provider = Arc::clone(&given);
    let propagate = Propagate::with(move || provider.lock().unwrap().clone());
    let (mut wire, peer, driver) = raw(Lab::new().0, Options::default().layer_out(propagate));
    tokio::spawn(driver);
    let own = r#"{"_meta":{"traceparent":"own"}}"#;
    let all = format!(r#""_meta":{{"baggage":"b=2","tracestate":"a=1","traceparent":"{PARENT}"}}"#);
    for (params, expected) in [
        (json!({ "x": 1 }), format!(r#"{{{all},"x":1}}"#)),
        // A context that is there already stays as it is, in all its parts.
        (json!({ "_meta": { "traceparent": "own" } }), own.to_owned()),
        (json!([1]), "[1]".to_owned()),
    ] {
        peer.notify("tell", &params).await.unwrap();
        let line = wire.next().await;
        assert_eq!(line, format!(r#"{{"jsonrpc":"2.0","method":"tell","params":{expected}}}"#));
    }
    let asked = tokio::spawn({
        let peer = peer.clone();
        async move { peer.request::<_, Value>("ask", &json!({})).await }
    });
    assert!(wire.next().await.contains(&all));
    wire.send(r#"{"jsonrpc":"2.0","id":0,"result":1}"#).await;
    soon("the answer", asked).await.unwrap().unwrap();

    *given.lock().unwrap() = None;
    peer.notify("tell", &json!({})).await.unwrap();
    assert_eq!(wire.next().await, r#"{"jsonrpc":"2.0","method":"tell","params":{}}"#);
}
