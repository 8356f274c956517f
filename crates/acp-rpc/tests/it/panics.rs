//! Panics in code of a service: other code does not notice, the request is answered, and the panic
//! is reported.

use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use acp_json::{At, FromNode, Node, ReadError, Value};
use acp_rpc::{CallError, CloseReason, Delivery, Error, Fault, Options, Peer, Reply, Request, Service, Task};
use serde_core::{Serialize, Serializer};
use tokio::sync::mpsc;

use crate::common::{raw, soon};

/// Panics when it is dropped, unless that would end the process.
struct Fuse;

impl Drop for Fuse {
    fn drop(&mut self) {
        assert!(std::thread::panicking(), "the fuse");
    }
}

/// A future that is dropped after its end and not within, as those of `async` blocks are.
struct Fused<T> {
    outcome: Box<dyn Fn() -> Poll<T> + Send>,
    _fuse: Fuse,
}

impl<T> Future for Fused<T> {
    type Output = T;

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<T> {
        (self.outcome)()
    }
}

fn fused<T: 'static>(outcome: impl Fn() -> Poll<T> + Send + 'static) -> Pin<Box<Fused<T>>> {
    Box::pin(Fused { outcome: Box::new(outcome), _fuse: Fuse })
}

/// A result, or params.
enum Payload {
    Panics,
    Unwritable,
    Fused(#[allow(dead_code, reason = "it is there to be dropped")] Fuse),
}

impl Serialize for Payload {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Panics => panic!("the serialiser"),
            Self::Unwritable => Err(serde_core::ser::Error::custom("cannot be written")),
            Self::Fused(_) => serializer.serialize_str("written"),
        }
    }
}

/// A type that a result is read as.
#[derive(Debug)]
struct Unreadable;

impl FromNode for Unreadable {
    fn from_node(_: Node<'_>, _: &At<'_>) -> Result<Self, ReadError> {
        panic!("the reader of a result")
    }
}

/// Handles methods and notifications that are named after what panics.
#[derive(Clone)]
struct Bomb {
    faults: Arc<Mutex<Vec<String>>>,
    /// Reports handlers and jobs that have begun.
    begun: mpsc::UnboundedSender<()>,
    /// Makes the reports of faults and of the end panic too.
    is_touchy: bool,
}

impl Bomb {
    fn new() -> (Self, mpsc::UnboundedReceiver<()>) {
        let (begun, has_begun) = mpsc::unbounded_channel();
        (Self { faults: Arc::default(), begun, is_touchy: false }, has_begun)
    }

    fn faults(&self) -> Vec<String> {
        self.faults.lock().unwrap().clone()
    }
}

impl Service for Bomb {
    fn request(&self, method: &str, _: Node<'_>, _: Request) -> Result<Task, Error> {
        let begun = self.begun.clone();
        Ok(match method {
            "construction" => panic!("the construction"),
            "poll" => Box::pin(async { panic!("the poll") }),
            "captured state" => {
                let fuse = Fuse;
                Box::pin(async move {
                    let _fuse = fuse;
                    Ok(Reply::empty())
                })
            }
            "drop" => fused(|| Poll::Ready(Ok(Reply::empty()))),
            "poll and drop" => fused(|| panic!("the poll")),
            "drop of what was thrown" => Box::pin(async { std::panic::panic_any(Fuse) }),
            "serialiser" => Box::pin(async { Ok(Reply::new(Payload::Panics)) }),
            "drop of the result" => Box::pin(async { Ok(Reply::new(Payload::Fused(Fuse))) }),
            "after" => Box::pin(async { Ok(Reply::empty().after(|_| panic!("the hook"))) }),
            "drop of after" => Box::pin(async {
                let fuse = Fuse;
                Ok(Reply::new(Payload::Unwritable).after(move |_| drop(fuse)))
            }),
            "drop when stopped" => fused(move || {
                begun.send(()).unwrap_or_default();
                Poll::Pending
            }),
            _ => Box::pin(async { Ok(Reply::empty()) }),
        })
    }

    fn notification(&self, method: &str, _: Node<'_>, peer: &Peer) -> Delivery {
        let (peer, begun) = (peer.clone(), self.begun.clone());
        let lane = |job| Delivery::Lane { lane: "lane".into(), job };
        match method {
            "construction" => panic!("the construction"),
            "poll" => Delivery::Task(Box::pin(async { panic!("the poll") })),
            "drop" => Delivery::Task(fused(|| Poll::Ready(()))),
            "poll in a lane" => lane(Box::pin(async { panic!("the poll") })),
            "drop in a lane" => lane(fused(|| Poll::Ready(()))),
            "poll and drop in a lane" => lane(fused(|| panic!("the poll"))),
            "drop when stopped" => lane(fused(move || {
                begun.send(()).unwrap_or_default();
                Poll::Pending
            })),
            _ => lane(Box::pin(async move { peer.notify("next of the lane", &()).await.unwrap() })),
        }
    }

    fn fault(&self, fault: Fault<'_>) {
        self.faults.lock().unwrap().push(fault.to_string());
        assert!(!self.is_touchy, "the listener");
    }

    fn closed(&self, _: &CloseReason) {
        assert!(!self.is_touchy, "the listener");
    }
}

fn request(method: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}"}}"#)
}

fn notification(method: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"{method}"}}"#)
}

const EMPTY: &str = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
const WRITTEN: &str = r#"{"jsonrpc":"2.0","id":1,"result":"written"}"#;
const FAILED: &str =
    r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"the handler failed unexpectedly"}}"#;
const UNWRITABLE: &str =
    r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"the result cannot be written as JSON"}}"#;

#[tokio::test]
async fn a_request_is_answered_whatever_of_it_panics() {
    let table = [
        ("construction", FAILED, 1),
        ("poll", FAILED, 1),
        // Its result is dropped with it.
        ("captured state", FAILED, 1),
        ("drop", EMPTY, 1),
        ("poll and drop", FAILED, 2),
        ("drop of what was thrown", FAILED, 1),
        ("serialiser", FAILED, 1),
        ("drop of the result", WRITTEN, 1),
        ("after", EMPTY, 1),
    ];
    for is_touchy in [false, true] {
        for (method, answer, count) in table {
            let (mut bomb, _begun) = Bomb::new();
            bomb.is_touchy = is_touchy;
            let (mut wire, _peer, driver) = raw(bomb.clone(), Options::default());
            let driver = tokio::spawn(driver);
            wire.send(request(method)).await;
            assert_eq!(wire.next().await, answer, "{method}");
            wire.send(request("none")).await;
            assert_eq!(wire.next().await, EMPTY, "{method}: served after");
            assert_eq!(wire.finish().await, Vec::<String>::new(), "{method}");
            assert!(matches!(soon("the end", driver).await.unwrap(), CloseReason::Eof));
            assert_eq!(bomb.faults(), vec![format!("the handler of `{method}` panicked"); count]);
        }
    }
}

#[tokio::test]
async fn a_hook_that_is_not_run_may_panic_as_well() {
    let (bomb, _begun) = Bomb::new();
    let (mut wire, _peer, driver) = raw(bomb.clone(), Options::default());
    tokio::spawn(driver);
    wire.send(request("drop of after")).await;
    assert_eq!(wire.next().await, UNWRITABLE);
    assert_eq!(
        bomb.faults(),
        [
            "the result of `drop of after` cannot be written as JSON: cannot be written",
            "the handler of `drop of after` panicked"
        ]
    );
}

#[tokio::test]
async fn a_notification_that_panics_stops_neither_its_lane_nor_the_others() {
    let table = [
        ("construction", "the handler of `construction`", 1),
        ("poll", "the handler of `poll`", 1),
        ("drop", "the handler of `drop`", 1),
        ("poll in a lane", "a job of lane `lane`", 1),
        ("drop in a lane", "a job of lane `lane`", 1),
        ("poll and drop in a lane", "a job of lane `lane`", 2),
    ];
    for is_touchy in [false, true] {
        for (method, origin, count) in table {
            let (mut bomb, _begun) = Bomb::new();
            bomb.is_touchy = is_touchy;
            let (mut wire, _peer, driver) = raw(bomb.clone(), Options::default());
            let driver = tokio::spawn(driver);
            wire.send(notification(method)).await;
            wire.send(notification("none")).await;
            assert_eq!(wire.next().await, notification("next of the lane"), "{method}");
            assert_eq!(wire.finish().await, Vec::<String>::new(), "{method}");
            soon("the end", driver).await.unwrap();
            assert_eq!(bomb.faults(), vec![format!("{origin} panicked"); count], "{method}");
        }
    }
}

#[tokio::test]
async fn a_listener_that_panics_ends_nothing() {
    let (mut bomb, _begun) = Bomb::new();
    bomb.is_touchy = true;
    let (mut wire, _peer, driver) = raw(bomb.clone(), Options::default());
    let driver = tokio::spawn(driver);
    let reported = ["noise", "[]", r#"{"jsonrpc":"2.0","id":5,"result":1}"#];
    for line in reported {
        wire.send(line).await;
    }
    wire.send(request("none")).await;
    let lines = wire.finish().await;
    assert_eq!(lines.last().map(String::as_str), Some(EMPTY));
    assert!(matches!(soon("the end", driver).await.unwrap(), CloseReason::Eof));
    assert_eq!(bomb.faults().len(), reported.len());
}

#[tokio::test]
async fn what_is_stopped_at_the_end_may_panic() {
    for is_dropped in [false, true] {
        let (bomb, mut begun) = Bomb::new();
        let options = Options::default().drain(Duration::ZERO);
        let (mut wire, peer, driver) = raw(bomb.clone(), options);
        let driver = tokio::spawn(driver);
        wire.send(request("drop when stopped")).await;
        // The second and the third wait for the first.
        for _ in 0..3 {
            wire.send(notification("drop when stopped")).await;
        }
        wire.send(r#"{"jsonrpc":"2.0","id":2,"method":"none"}"#).await;
        wire.next().await;
        for _ in 0..2 {
            soon("a handler", begun.recv()).await.unwrap();
        }
        if is_dropped {
            driver.abort();
            assert!(soon("the end", driver).await.unwrap_err().is_cancelled());
        } else {
            peer.close();
            assert!(matches!(soon("the end", driver).await.unwrap(), CloseReason::Local));
        }
        assert!(peer.is_closed());
        // All values that could report have been dropped.
        let Bomb { faults, begun: sender, .. } = bomb;
        drop(sender);
        assert!(soon("the end of the handlers", begun.recv()).await.is_none());
        let mut faults = faults.lock().unwrap().clone();
        faults.sort();
        let (job, handler) = ("a job of lane `lane` panicked", "the handler of `drop when stopped` panicked");
        assert_eq!(faults, [job, job, job, handler], "dropped: {is_dropped}");
    }
}

#[tokio::test]
async fn a_result_that_cannot_be_read_fails_its_call_alone() {
    let (bomb, _begun) = Bomb::new();
    let (mut wire, peer, driver) = raw(bomb.clone(), Options::default());
    tokio::spawn(driver);
    let ask = |peer: Peer| async move { peer.request::<_, Unreadable>("ask", &()).await };
    let call = tokio::spawn(ask(peer.clone()));
    wire.next().await;
    wire.send(r#"{"jsonrpc":"2.0","id":0,"result":1}"#).await;
    let error = soon("the answer", call).await.unwrap().unwrap_err();
    assert!(matches!(error, CallError::Malformed { .. }), "{error:?}");
    assert_eq!(bomb.faults(), ["the reader of a result panicked"]);
    wire.send(request("none")).await;
    assert_eq!(wire.next().await, EMPTY);
}

#[tokio::test]
async fn whatever_takes_a_result_may_panic() {
    // The drop comes with the answer, after a job of a lane, when the call is given up, and at each
    // kind of end.
    let begin = async |peer: &Peer, lane: Option<&str>| {
        let fuse = Fuse;
        let then = move |_: Result<Value, CallError>| drop(fuse);
        peer.begin_then(lane.map(Into::into), "ask", &(), then).await.unwrap();
    };
    let taken = "the reader of a result panicked";
    let (bomb, _begun) = Bomb::new();
    let (mut wire, peer, driver) = raw(bomb.clone(), Options::default());
    let driver = tokio::spawn(driver);
    begin(&peer, None).await;
    wire.next().await;
    wire.send(r#"{"jsonrpc":"2.0","id":0,"result":1}"#).await;
    wire.send(request("none")).await;
    assert_eq!(wire.next().await, EMPTY);
    assert_eq!(bomb.faults(), [taken]);

    begin(&peer, Some("lane")).await;
    wire.next().await;
    wire.send(notification("none")).await;
    wire.send(r#"{"jsonrpc":"2.0","id":1,"result":1}"#).await;
    wire.send(notification("none")).await;
    for _ in 0..2 {
        assert_eq!(wire.next().await, notification("next of the lane"));
    }
    assert_eq!(bomb.faults().len(), 2, "{:?}", bomb.faults());

    begin(&peer, None).await;
    begin(&peer, Some("lane")).await;
    for _ in 0..2 {
        assert!(wire.next().await.contains("ask"));
    }
    wire.shut_down().await;
    assert!(matches!(soon("the end", driver).await.unwrap(), CloseReason::Eof));
    assert_eq!(bomb.faults()[2..], [taken; 2]);

    let (bomb, _begun) = Bomb::new();
    let (_wire, peer, driver) = raw(bomb.clone(), Options::default());
    begin(&peer, Some("lane")).await;
    drop(driver);
    assert!(peer.is_closed());
    assert_eq!(bomb.faults(), [taken]);

    let (bomb, _begun) = Bomb::new();
    let (mut wire, peer, driver) =
        raw(bomb.clone(), Options::default().incoming_ceiling(1).incoming_budget(1));
    tokio::spawn(driver);
    begin(&peer, None).await;
    assert!(wire.next().await.contains("ask"));
    wire.send(notification("drop when stopped")).await;
    assert!(wire.next().await.contains("$/cancel_request"));
    assert_eq!(bomb.faults(), [taken]);
}

#[tokio::test]
async fn params_that_panic_do_so_in_the_caller_alone() {
    let (bomb, _begun) = Bomb::new();
    let (mut wire, peer, driver) = raw(bomb, Options::default());
    tokio::spawn(driver);
    for is_request in [false, true] {
        let peer = peer.clone();
        let caller = tokio::spawn(async move {
            match is_request {
                true => drop(peer.request::<_, Value>("ask", &Payload::Panics).await),
                false => drop(peer.notify("tell", &Payload::Panics).await),
            }
        });
        assert!(soon("the caller", caller).await.unwrap_err().is_panic());
    }
    // The output contains no partial message, and the permit is free again.
    peer.notify("whole", &()).await.unwrap();
    assert_eq!(wire.next().await, notification("whole"));
}
