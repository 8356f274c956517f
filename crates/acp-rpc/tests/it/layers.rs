//! Layers: the messages that they see, what they may do with them, in both directions, and their
//! order.

mod attachments;
mod limits;
mod relay;

use std::sync::{Arc, Mutex};

use acp_json::{Node, Value};
use acp_rpc::layer::{Concurrency, Exchange, Observe, Observed, Only, Outbound, Outgoing, Step, layer_fn};
use acp_rpc::{CallError, CloseReason, Delivery, Error, Fault, Options, Peer, Request, Service, Task};
use serde_json::json;

use crate::common::{Lab, raw, soon};

type Seen = Arc<Mutex<Vec<String>>>;

/// Notes everything that goes through it, by name, in both directions.
struct Named<S> {
    inner: S,
    name: &'static str,
    seen: Seen,
}

impl<S> Named<S> {
    fn note(&self, what: &str) {
        self.seen.lock().unwrap().push(format!("{} {what}", self.name));
    }
}

impl<S: Outbound> Outbound for Named<S> {
    fn send<'a>(&self, outgoing: Outgoing<'a>) -> Exchange<'a> {
        self.note(outgoing.method());
        let (name, seen) = (self.name, Arc::clone(&self.seen));
        let exchange = self.inner.send(outgoing);
        Box::pin(async move {
            let done = exchange.await;
            seen.lock().unwrap().push(format!("{name} ok={}", done.is_ok()));
            done
        })
    }
}

impl<S: Service> Service for Named<S> {
    fn request(&self, method: &str, params: Node<'_>, request: Request) -> Result<Task, Error> {
        self.note(method);
        if self.name == "guard" && method == "fail" {
            return Err(Error::new(-32000, "log in first"));
        }
        if self.name == "token" {
            let (cancel, seen) = (request.cancel.clone(), Arc::clone(&self.seen));
            tokio::spawn(async move {
                cancel.cancelled().await;
                seen.lock().unwrap().push("the token fired".to_owned());
            });
        }
        self.inner.request(method, params, request)
    }

    fn notification(&self, method: &str, params: Node<'_>, peer: &Peer) -> Delivery {
        self.note(method);
        self.inner.notification(method, params, peer)
    }

    fn fault(&self, fault: Fault<'_>) {
        self.note(&format!("fault: {fault}"));
        self.inner.fault(fault);
    }

    fn closed(&self, reason: &CloseReason) {
        self.note(&format!("closed: {reason}"));
        self.inner.closed(reason);
    }
}

fn named_in(options: Options, name: &'static str, seen: &Seen) -> Options {
    let seen = Arc::clone(seen);
    options.layer_in(layer_fn(move |inner: Arc<dyn Service>| Named { inner, name, seen: Arc::clone(&seen) }))
}

fn named_out(options: Options, name: &'static str, seen: &Seen) -> Options {
    let seen = Arc::clone(seen);
    options.layer_out(layer_fn(move |inner: Arc<dyn Outbound>| Named {
        inner,
        name,
        seen: Arc::clone(&seen),
    }))
}

fn take(seen: &Seen) -> Vec<String> {
    std::mem::take(&mut seen.lock().unwrap())
}

/// An observer that notes each step, without durations.
fn observer() -> (Seen, Observe) {
    let seen = Seen::default();
    let log = Arc::clone(&seen);
    let observe = Observe::new(move |event: &Observed<'_>| {
        let Step::Ended { outcome, sent, received, .. } = event.step else {
            assert!(event.to_string().ends_with(" started"));
            return;
        };
        let lane = event.lane.map(|lane| format!(" in {lane}")).unwrap_or_default();
        let id = event.id.map(|id| format!(" {id}")).unwrap_or_default();
        let text = format!(
            "{:?} {}{id}{lane}: {outcome} ({sent} out, {received} in)",
            event.direction, event.method
        );
        log.lock().unwrap().push(text);
    });
    (seen, observe)
}

fn call(peer: &Peer, method: &'static str) -> tokio::task::JoinHandle<Result<Value, CallError>> {
    let peer = peer.clone();
    tokio::spawn(async move { peer.request(method, &[1]).await })
}

#[tokio::test]
async fn the_first_layer_is_the_outermost_in_both_directions() {
    let (lab, mut events) = Lab::new();
    let seen = Seen::default();
    let options = named_in(named_in(Options::default(), "first", &seen), "second", &seen);
    let options = named_out(named_out(options, "first", &seen), "second", &seen);
    let (mut wire, peer, driver) = raw(lab, options);
    let driver = tokio::spawn(driver);

    let answer = call(&peer, "ask");
    assert_eq!(wire.next().await, r#"{"jsonrpc":"2.0","id":0,"method":"ask","params":[1]}"#);
    wire.send(r#"{"jsonrpc":"2.0","id":0,"result":7}"#).await;
    assert_eq!(soon("the answer", answer).await.unwrap().unwrap().as_i64(), Some(7));
    assert_eq!(take(&seen), ["first ask", "second ask", "second ok=true", "first ok=true"]);

    peer.notify("tell", &[1]).await.unwrap();
    assert_eq!(wire.next().await, r#"{"jsonrpc":"2.0","method":"tell","params":[1]}"#);
    assert_eq!(take(&seen), ["first tell", "second tell", "second ok=true", "first ok=true"]);

    wire.send(r#"{"jsonrpc":"2.0","id":1,"method":"empty"}"#).await;
    assert_eq!(wire.next().await, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    wire.send(r#"{"jsonrpc":"2.0","method":"note","params":[3]}"#).await;
    assert_eq!(soon("the note", events.recv()).await.unwrap(), "note [3]");
    wire.send("noise").await;
    wire.next().await;
    wire.finish().await;
    soon("the end", driver).await.unwrap();
    let expected =
        ["empty", "note", "fault: a line of 5 bytes is not JSON (at byte 2)", "closed: the peer closed it"];
    let expected: Vec<String> =
        expected.iter().flat_map(|what| [format!("first {what}"), format!("second {what}")]).collect();
    assert_eq!(take(&seen), expected);
}

#[tokio::test]
async fn a_layer_refuses_requests_before_anybody_sees_them() {
    struct Closed;
    impl Outbound for Closed {
        fn send<'a>(&self, outgoing: Outgoing<'a>) -> Exchange<'a> {
            let method = outgoing.method().to_owned();
            Box::pin(async move { Err(CallError::Refused { method, reason: "not today".into() }) })
        }
    }
    let (lab, _events) = Lab::new();
    let seen = Seen::default();
    let options = named_in(Options::default(), "guard", &seen);
    let closed = Only::new(|method| method == "secret", layer_fn(|_: Arc<dyn Outbound>| Closed));
    let (mut wire, peer, driver) = raw(lab, options.layer_out(closed));
    tokio::spawn(driver);
    wire.send(r#"{"jsonrpc":"2.0","id":1,"method":"fail"}"#).await;
    assert_eq!(
        wire.next().await,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"log in first"}}"#
    );
    let refused = "`secret` was not sent: not today";
    assert_eq!(peer.request::<_, Value>("secret", &()).await.unwrap_err().to_string(), refused);
    assert_eq!(peer.notify("secret", &()).await.unwrap_err().to_string(), refused);
    let begun = peer.begin::<_, Value>(None, "secret", &()).await.map(drop);
    assert_eq!(begun.unwrap_err().to_string(), refused);
    // Nothing of the message has left.
    peer.notify("other", &()).await.unwrap();
    assert_eq!(wire.next().await, r#"{"jsonrpc":"2.0","method":"other"}"#);
}

#[tokio::test]
async fn a_layer_that_ends_a_request_itself_gives_no_result() {
    struct Swallow;
    impl Outbound for Swallow {
        fn send<'a>(&self, _: Outgoing<'a>) -> Exchange<'a> {
            Box::pin(async { Ok(()) })
        }
    }
    let (lab, _events) = Lab::new();
    let options = Options::default().layer_out(layer_fn(|_: Arc<dyn Outbound>| Swallow));
    let (_wire, peer, driver) = raw(lab, options);
    tokio::spawn(driver);
    let expected = "`ask` was not sent: a layer ended the request, but gave no reason";
    assert_eq!(peer.request::<_, Value>("ask", &()).await.unwrap_err().to_string(), expected);
    let begun = peer.begin::<_, Value>(None, "ask", &()).await.map(drop);
    assert_eq!(begun.unwrap_err().to_string(), expected);
    peer.notify("tell", &()).await.unwrap();
}

#[tokio::test]
async fn a_layer_adds_to_meta_and_looks_at_params() {
    struct Trace<S>(S, Seen);
    impl<S: Outbound> Outbound for Trace<S> {
        fn send<'a>(&self, mut outgoing: Outgoing<'a>) -> Exchange<'a> {
            let session = outgoing.param("sessionId");
            self.1.lock().unwrap().push(format!("{} {session:?}", outgoing.method()));
            outgoing.add_meta("traceparent", "00-1-2-01");
            self.0.send(outgoing)
        }
    }
    let (lab, _events) = Lab::new();
    let (seen, layer_seen) = {
        let seen = Seen::default();
        (Arc::clone(&seen), seen)
    };
    let options = Options::default()
        .layer_out(layer_fn(move |inner: Arc<dyn Outbound>| Trace(inner, Arc::clone(&layer_seen))));
    let (mut wire, peer, driver) = raw(lab, options);
    tokio::spawn(driver);
    let params = json!({"sessionId": "s1", "text": "a\n\"_meta\""});
    peer.notify("tell", &params).await.unwrap();
    let pending = peer.begin::<_, Value>(None, "ask", &params).await.unwrap();
    let asked = call(&peer, "ask");
    for (method, id) in [("tell", None), ("ask", Some(0))] {
        let sent: serde_json::Value = serde_json::from_str(&wire.next().await).unwrap();
        assert_eq!(sent["method"], method);
        assert_eq!(sent["id"].as_i64(), id);
        let mut expected = params.clone();
        expected["_meta"] = json!({"traceparent": "00-1-2-01"});
        assert_eq!(sent["params"], expected);
    }
    // Positional params have no `_meta`.
    assert_eq!(wire.next().await, r#"{"jsonrpc":"2.0","id":1,"method":"ask","params":[1]}"#);
    for id in [0, 1] {
        wire.send(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{id}}}"#)).await;
    }
    assert_eq!(soon("the answer", pending).await.unwrap().as_i64(), Some(0));
    assert_eq!(soon("the answer", asked).await.unwrap().unwrap().as_i64(), Some(1));
    let session = format!("{:?}", Some(Value::from("s1")));
    assert_eq!(take(&seen), [format!("tell {session}"), format!("ask {session}"), "ask None".to_owned()]);
}

#[tokio::test]
async fn requests_and_notifications_are_observed_with_their_outcome() {
    let (lab, mut events) = Lab::new();
    lab.gate.add_permits(1);
    let (seen, observe) = observer();
    let options = Options::default().layer_in(observe.clone()).layer_out(observe);
    let (mut wire, peer, driver) = raw(lab, options);
    let driver = tokio::spawn(driver);

    for (method, answer) in
        [("echo", "result"), ("fail", "-32602"), ("panic", "-32603"), ("nowhere", "-32601")]
    {
        wire.send(format!(r#"{{"jsonrpc":"2.0","id":"{method}","method":"{method}","params":[1]}}"#)).await;
        assert!(wire.next().await.contains(answer));
    }
    wire.send(r#"{"jsonrpc":"2.0","id":"unwritable","method":"unwritable"}"#).await;
    wire.next().await;
    wire.send(r#"{"jsonrpc":"2.0","method":"unknown"}"#).await;
    wire.send(r#"{"jsonrpc":"2.0","method":"lane","params":{"lane":"a","text":"x"}}"#).await;
    assert_eq!(soon("the job", events.recv()).await.unwrap(), "x");
    let refused = call(&peer, "refused");
    wire.next().await;
    wire.send(r#"{"jsonrpc":"2.0","id":0,"error":{"code":-1,"message":"secret"}}"#).await;
    soon("the error", refused).await.unwrap().unwrap_err();
    let answered = {
        let peer = peer.clone();
        tokio::spawn(async move { peer.request_in_lane::<_, Value>("a".into(), "ask", &[1]).await })
    };
    wire.next().await;
    wire.send(r#"{"jsonrpc":"2.0","id":1,"result":{"a":1}}"#).await;
    soon("the answer", answered).await.unwrap().unwrap();
    let dropped = call(&peer, "dropped");
    wire.next().await;
    dropped.abort();
    assert!(wire.next().await.contains("$/cancel_request"));
    peer.notify("tell", &[1]).await.unwrap();
    wire.next().await;
    let unanswered = call(&peer, "unanswered");
    wire.next().await;
    wire.finish().await;
    soon("the end", driver).await.unwrap();
    soon("the error", unanswered).await.unwrap().unwrap_err();
    assert_eq!(
        take(&seen),
        [
            "In echo \"echo\": done (42 out, 58 in)",
            "In fail \"fail\": error -32602 (0 out, 58 in)",
            "In panic \"panic\": panicked (0 out, 60 in)",
            "In nowhere \"nowhere\": error -32601 (0 out, 64 in)",
            "In unwritable \"unwritable\": dropped (0 out, 57 in)",
            "In unknown: ignored (0 out, 36 in)",
            "In lane in a: done (0 out, 66 in)",
            "Out refused 0: error -1 (56 out, 63 in)",
            "Out ask 1 in a: done (52 out, 41 in)",
            "Out dropped 2: dropped (56 out, 0 in)",
            "Out tell: done (46 out, 0 in)",
            "Out unanswered 3: closed (59 out, 0 in)",
        ]
    );
}

#[tokio::test]
async fn a_panicking_observer_harms_nobody() {
    let (lab, _events) = Lab::new();
    let observe = Observe::new(|_| panic!("observer panic"));
    let options = Options::default().layer_in(observe.clone()).layer_out(observe);
    let (mut wire, peer, driver) = raw(lab.clone(), options);
    tokio::spawn(driver);
    wire.send(r#"{"jsonrpc":"2.0","id":1,"method":"panic"}"#).await;
    assert!(wire.next().await.contains("-32603"));
    wire.send(r#"{"jsonrpc":"2.0","id":1,"method":"empty"}"#).await;
    assert_eq!(wire.next().await, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    let answer = call(&peer, "ask");
    wire.next().await;
    wire.send(r#"{"jsonrpc":"2.0","id":0,"result":7}"#).await;
    soon("the answer", answer).await.unwrap().unwrap();
    assert_eq!(lab.faults(), ["the handler of `panic` panicked"]);
}

#[tokio::test]
async fn a_request_that_has_begun_goes_through_layers() {
    let (lab, _events) = Lab::new();
    let (seen, observe) = observer();
    let (mut wire, peer, driver) = raw(lab, Options::default().layer_out(observe));
    tokio::spawn(driver);
    let pending = peer.begin::<_, Value>(Some("a".into()), "ask", &[1]).await.unwrap();
    // It is on its way, so later messages come after it.
    peer.notify_now("tell", &()).unwrap();
    assert_eq!(wire.next().await, r#"{"jsonrpc":"2.0","id":0,"method":"ask","params":[1]}"#);
    assert_eq!(wire.next().await, r#"{"jsonrpc":"2.0","method":"tell"}"#);
    wire.send(r#"{"jsonrpc":"2.0","id":0,"result":7}"#).await;
    assert_eq!(soon("the answer", pending).await.unwrap().as_i64(), Some(7));
    drop(peer.begin::<_, Value>(None, "ask", &()).await.unwrap());
    assert_eq!(wire.next().await, r#"{"jsonrpc":"2.0","id":1,"method":"ask"}"#);
    assert!(wire.next().await.contains(r#"$/cancel_request","params":{"requestId":1}"#));
    assert_eq!(take(&seen), ["Out ask 0 in a: done (52 out, 35 in)", "Out ask 1: dropped (39 out, 0 in)"]);
}

#[tokio::test]
async fn a_wait_in_a_layer_is_given_up_like_others_when_no_more_can_be_read() {
    let (lab, mut events) = Lab::new();
    let options = Options::default().incoming_budget(1000).incoming_ceiling(20_000);
    let (mut wire, peer, driver) = raw(lab.clone(), options.layer_out(Concurrency::new(1)));
    tokio::spawn(driver);
    let first = peer.begin::<_, Value>(Some("b".into()), "ask", &()).await.unwrap();
    let second = call(&peer, "ask");
    let third = {
        let peer = peer.clone();
        tokio::spawn(async move { peer.begin::<_, Value>(None, "ask", &()).await.map(drop) })
    };
    for number in 0..200 {
        let params = format!(r#"{{"lane":"a","text":"{number}"}}"#);
        wire.send(format!(r#"{{"jsonrpc":"2.0","method":"lane","params":{params}}}"#)).await;
    }
    let error = soon("the end of a call", second).await.unwrap().unwrap_err();
    assert!(matches!(error, CallError::Overloaded { method } if method == "ask"));
    let error = soon("the end of a call", third).await.unwrap().unwrap_err();
    assert!(matches!(error, CallError::Overloaded { method } if method == "ask"));
    lab.gate.add_permits(200);
    for number in 0..200 {
        assert_eq!(soon("a job", events.recv()).await.unwrap(), number.to_string());
    }
    assert!(wire.next().await.contains("ask"));
    wire.send(r#"{"jsonrpc":"2.0","id":0,"result":1}"#).await;
    soon("the answer", first).await.unwrap();
}
