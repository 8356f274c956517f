//! The outcome of calls: results, typed errors, and the effects of giving up.

use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Wake, Waker};

use acp_json::Value;
use acp_rpc::layer::Concurrency;
use acp_rpc::{CallError, CancellationToken, Error, Options, Peer, Pending};
use tokio::sync::mpsc;

use crate::common::{Lab, raw, soon};

#[tokio::test]
async fn each_kind_of_answer_is_told_apart() {
    let table: Vec<(&str, Result<i64, &str>)> = vec![
        (r#""result":5"#, Ok(5)),
        (r#""error":{"code":400,"message":"{\"x\":1}","data":[1]}"#, Err(r#"{"x":1} (code 400)"#)),
        (r#""result":"x""#, Err("the result of `ask` cannot be read: ")),
        (
            r#""result":5,"error":{"code":1,"message":"m"}"#,
            Err("the answer to `ask` is not a valid response: it has both a `result` and an `error`"),
        ),
        // JavaScript's form of text that was cut in the middle of a character.
        (
            r#""result":"\ud83d""#,
            Err("the result of `ask` cannot be read: expected a 64-bit integer, found a string"),
        ),
        (r#""result":1e400"#, Err("the result of `ask` cannot be read: the number does not fit a 64-bit")),
        (r#""result":01"#, Err("the answer to `ask` is not a valid response: it is not valid JSON")),
        (r#""result":5,"error":null"#, Ok(5)),
        (r#""result":null,"error":{"code":1,"message":"m"}"#, Err("m (code 1)")),
        (r#""error":[]"#, Err("the answer to `ask` is not a valid response: its `error` is not an object")),
    ];
    let (lab, _events) = Lab::new();
    let (mut wire, peer, driver) = raw(lab, Options::default());
    tokio::spawn(driver);
    for (id, (answer, expected)) in table.into_iter().enumerate() {
        let peer = peer.clone();
        let call = tokio::spawn(async move { peer.request::<_, i64>("ask", &[1, 2]).await });
        let sent = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ask","params":[1,2]}}"#);
        assert_eq!(wire.next().await, sent);
        wire.send(format!(r#"{{"jsonrpc":"2.0","id":{id},{answer}}}"#)).await;
        match (soon("the answer", call).await.unwrap(), expected) {
            (Ok(result), Ok(expected)) => assert_eq!(result, expected),
            (Err(error), Err(expected)) => {
                assert!(error.to_string().starts_with(expected), "{error}");
            }
            (got, expected) => panic!("{got:?} instead of {expected:?}"),
        }
    }
}

#[tokio::test]
async fn error_data_of_any_type_is_kept() {
    let (lab, _events) = Lab::new();
    let (mut wire, peer, driver) = raw(lab, Options::default());
    tokio::spawn(driver);
    for (id, data) in [r#"{"a":[1,null]}"#, r#""text""#, "[1.5]", "7", "false"].iter().enumerate() {
        let peer = peer.clone();
        let call = tokio::spawn(async move { peer.request::<_, Value>("ask", &()).await });
        wire.next().await;
        wire.send(format!(
            r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-1,"message":"m","data":{data}}}}}"#
        ))
        .await;
        let Err(CallError::Remote(error)) = soon("the answer", call).await.unwrap() else {
            panic!("expected an error of the peer");
        };
        assert_eq!(error, Error::new(-1, "m").with_data(error.data.clone().unwrap()));
        assert_eq!(error.data.unwrap().to_string(), *data);
    }
}

#[tokio::test]
async fn a_dropped_request_cancels_and_its_late_answer_is_no_fault() {
    let (lab, _events) = Lab::new();
    let (mut wire, peer, driver) = raw(lab.clone(), Options::default());
    tokio::spawn(driver);
    let call = {
        let peer = peer.clone();
        tokio::spawn(async move { peer.request::<_, Value>("ask", &()).await })
    };
    assert_eq!(wire.next().await, r#"{"jsonrpc":"2.0","id":0,"method":"ask"}"#);
    call.abort();
    let cancel = r#"{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":0}}"#;
    assert_eq!(wire.next().await, cancel);
    wire.send(r#"{"jsonrpc":"2.0","id":0,"error":{"code":-32800,"message":"cancelled"}}"#).await;
    wire.send(r#"{"jsonrpc":"2.0","id":1,"method":"empty"}"#).await;
    assert_eq!(wire.next().await, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    assert_eq!(lab.faults(), Vec::<String>::new());
}

#[tokio::test]
async fn an_answered_request_cancels_nothing_when_dropped() {
    let (lab, _events) = Lab::new();
    let (mut wire, peer, driver) = raw(lab, Options::default());
    tokio::spawn(driver);
    let call = tokio::spawn({
        let peer = peer.clone();
        async move { peer.request::<_, i64>("ask", &()).await.unwrap() }
    });
    wire.next().await;
    wire.send(r#"{"jsonrpc":"2.0","id":0,"result":1}"#).await;
    assert_eq!(soon("the answer", call).await.unwrap(), 1);
    peer.notify("next", &()).await.unwrap();
    assert_eq!(wire.next().await, r#"{"jsonrpc":"2.0","method":"next"}"#);
}

#[tokio::test]
async fn params_that_cannot_be_written_fail_and_leave_nothing_behind() {
    struct Bad;
    impl serde_core::Serialize for Bad {
        fn serialize<S: serde_core::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut seq = serializer.serialize_seq(None)?;
            serde_core::ser::SerializeSeq::serialize_element(&mut seq, "half")?;
            Err(serde_core::ser::Error::custom("no more"))
        }
    }
    let (lab, _events) = Lab::new();
    let (mut wire, peer, driver) = raw(lab, Options::default());
    tokio::spawn(driver);
    let error = peer.request::<_, Value>("ask", &Bad).await.unwrap_err();
    assert_eq!(error.to_string(), "the params of `ask` cannot be written as JSON: no more");
    let error = peer.notify("tell", &Bad).await.unwrap_err();
    assert!(matches!(error, CallError::Encode { method, .. } if method == "tell"));
    peer.notify("tell", &["whole"]).await.unwrap();
    assert_eq!(wire.next().await, r#"{"jsonrpc":"2.0","method":"tell","params":["whole"]}"#);
}

#[tokio::test]
async fn raw_json_is_sent_in_one_line() {
    let (lab, _events) = Lab::new();
    let (mut wire, peer, driver) = raw(lab, Options::default());
    tokio::spawn(driver);
    let pretty: Box<serde_json::value::RawValue> = serde_json::from_str("{\n  \"a\": [\n1]\n}").unwrap();
    peer.notify("tell", &pretty).await.unwrap();
    assert_eq!(wire.next().await, r#"{"jsonrpc":"2.0","method":"tell","params":{   "a": [ 1] }}"#);
}

#[tokio::test]
async fn newlines_in_text_do_not_end_the_line() {
    let (lab, _events) = Lab::new();
    let (mut wire, peer, driver) = raw(lab, Options::default());
    tokio::spawn(driver);
    peer.notify("tell", &["a\nb\u{2028}"]).await.unwrap();
    assert_eq!(wire.next().await, "{\"jsonrpc\":\"2.0\",\"method\":\"tell\",\"params\":[\"a\\nb\u{2028}\"]}");
}

#[tokio::test]
async fn a_result_whose_reader_panics_fails_its_call_only() {
    #[derive(Debug)]
    struct Bomb;
    impl acp_json::FromNode for Bomb {
        fn from_node(_: acp_json::Node<'_>, _: &acp_json::At<'_>) -> Result<Self, acp_json::ReadError> {
            panic!("reader panic")
        }
    }
    let (lab, _events) = Lab::new();
    let (mut wire, peer, driver) = raw(lab.clone(), Options::default());
    tokio::spawn(driver);
    let call = tokio::spawn({
        let peer = peer.clone();
        async move { peer.request::<_, Bomb>("ask", &()).await.unwrap_err() }
    });
    wire.next().await;
    wire.send(r#"{"jsonrpc":"2.0","id":0,"result":1}"#).await;
    let error = soon("the error", call).await.unwrap();
    assert_eq!(
        error.to_string(),
        "the answer to `ask` is not a valid response: reading it failed unexpectedly"
    );
    assert_eq!(lab.faults(), ["the reader of a result panicked"]);
    wire.send(r#"{"jsonrpc":"2.0","id":1,"method":"empty"}"#).await;
    assert_eq!(wire.next().await, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
}

#[tokio::test]
async fn an_answer_that_cannot_be_read_fails_its_call() {
    let filler = "x".repeat(1000);
    let (long, not_json) = ("it is longer than the limit", "it is not valid JSON");
    let table = [
        (format!(r#"{{"jsonrpc":"2.0","id":0,"result":"{filler}"}}"#), long),
        (format!(r#"{{"jsonrpc":"2.0","result":[{{"id":1}},"{filler}"],"id":0}}"#), long),
        (format!(r#"{{"error":{{"id":1,"message":"{filler}"}},"id":0}}"#), long),
        (r#"{"jsonrpc":"2.0","id":0,"result":01}"#.to_owned(), not_json),
        (r#"{"jsonrpc":"2.0","result":[01,{"id":1}],"id":0}"#.to_owned(), not_json),
        (r#"{"jsonrpc":"2.0","id":0,"result":{"a"#.to_owned(), not_json),
        (format!(r#"{{"result":{}0{},"id":0}}"#, "[".repeat(200), "]".repeat(200)), not_json),
    ];
    for (answer, problem) in table {
        let (lab, _events) = Lab::new();
        let (mut wire, peer, driver) = raw(lab, Options::default().max_line(500));
        tokio::spawn(driver);
        let ask = |peer: Peer| async move { peer.request::<_, Value>("ask", &()).await };
        let (call, other) = (tokio::spawn(ask(peer.clone())), tokio::spawn(ask(peer)));
        wire.next().await;
        wire.next().await;
        wire.send(&answer).await;
        let error = soon("the error", call).await.unwrap().unwrap_err();
        assert_eq!(error.to_string(), format!("the answer to `ask` is not a valid response: {problem}"));
        // An id inside of the message does not name another call.
        wire.send(r#"{"jsonrpc":"2.0","id":1,"result":"\ud83d"}"#).await;
        let repaired = soon("the other answer", other).await.unwrap().unwrap();
        assert_eq!(repaired.as_str(), Some("\u{fffd}"), "{answer}");
    }
}

#[tokio::test]
async fn a_request_that_has_begun_is_on_the_wire_before_what_is_sent_after_it() {
    let (lab, _events) = Lab::new();
    let (mut wire, peer, driver) = raw(lab, Options::default());
    tokio::spawn(driver);
    let pending = peer.begin::<_, Value>(None, "ask", &()).await.unwrap();
    peer.notify_now("tell", &()).unwrap();
    assert_eq!(wire.next().await, r#"{"jsonrpc":"2.0","id":0,"method":"ask"}"#);
    assert_eq!(wire.next().await, r#"{"jsonrpc":"2.0","method":"tell"}"#);
    wire.send(r#"{"jsonrpc":"2.0","id":0,"result":7}"#).await;
    assert_eq!(soon("the answer", pending).await.unwrap().as_u64(), Some(7));

    drop(peer.begin::<_, Value>(None, "ask", &()).await.unwrap());
    assert_eq!(wire.next().await, r#"{"jsonrpc":"2.0","id":1,"method":"ask"}"#);
    assert_eq!(
        wire.next().await,
        r#"{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1}}"#
    );
}

/// Says in words how a request ended whose result nobody awaits.
fn pass_on(sender: &mpsc::UnboundedSender<String>) -> impl FnOnce(Result<i64, CallError>) + Send + 'static {
    let sender = sender.clone();
    move |result| {
        let text = result.map_or_else(|error| error.to_string(), |number| number.to_string());
        sender.send(text).unwrap();
    }
}

#[tokio::test]
async fn a_result_can_be_passed_on_without_anybody_who_awaits_it() {
    for layered in [false, true] {
        let (lab, _events) = Lab::new();
        let options = Options::default();
        let options = if layered { options.layer_out(Concurrency::new(9)) } else { options };
        let (mut wire, peer, driver) = raw(lab.clone(), options);
        let driver = tokio::spawn(driver);
        let (sender, mut receiver) = mpsc::unbounded_channel();
        let table = [
            (r#""result":7"#, "7"),
            (r#""error":{"code":1,"message":"no"}"#, "no (code 1)"),
            (
                r#""result":"text""#,
                "the result of `ask` cannot be read: expected a 64-bit integer, found a string",
            ),
        ];
        for (id, (answer, expected)) in table.into_iter().enumerate() {
            peer.begin_then(None, "ask", &[1], pass_on(&sender)).await.unwrap();
            let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ask","params":[1]}}"#);
            assert_eq!(wire.next().await, line);
            wire.send(format!(r#"{{"jsonrpc":"2.0","id":{id},{answer}}}"#)).await;
            assert_eq!(soon("the result", receiver.recv()).await.unwrap(), expected);
        }
        // The answer comes after the jobs of the lane.
        peer.begin_then(Some("a".into()), "ask", &(), pass_on(&sender)).await.unwrap();
        wire.next().await;
        wire.send(r#"{"jsonrpc":"2.0","method":"lane","params":{"lane":"a","text":"job"}}"#).await;
        wire.send(r#"{"jsonrpc":"2.0","id":3,"result":8}"#).await;
        wire.send(r#"{"jsonrpc":"2.0","id":1,"method":"empty"}"#).await;
        assert_eq!(wire.next().await, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
        assert!(receiver.try_recv().is_err(), "the job is not done");
        lab.gate.add_permits(1);
        assert_eq!(soon("the result", receiver.recv()).await.unwrap(), "8");
        // A request that cannot be sent has no result. One that is open at the end has an error.
        peer.begin_then(None, "ask", &(), pass_on(&sender)).await.unwrap();
        assert!(wire.next().await.contains("ask"));
        wire.finish().await;
        let closed = "the connection is closed, so connect again: the peer closed it";
        assert_eq!(soon("the result", receiver.recv()).await.unwrap(), closed);
        soon("the end", driver).await.unwrap();
        let late = peer.begin_then(None, "ask", &(), pass_on(&sender)).await;
        assert!(matches!(late, Err(CallError::Closed(_))), "{late:?}");
        drop(sender);
        assert_eq!(soon("the last sender", receiver.recv()).await, None);
    }
}

/// Holds a request of this side, and gives it up when dropped.
type Owner = Arc<Mutex<Option<Pending<Value>>>>;

/// Gives the request up when it is woken.
struct Waking(Owner);

impl Wake for Waking {
    fn wake(self: Arc<Self>) {
        let pending = self.0.lock().unwrap().take();
        drop(pending);
    }
}

/// A connection on which one request waits. `Owner` owns the request.
async fn owning(options: Options) -> (crate::common::Wire, Peer, Owner) {
    let (lab, _events) = Lab::new();
    let (mut wire, peer, driver) = raw(lab, options);
    tokio::spawn(driver);
    let pending = peer.begin::<_, Value>(None, "ask", &()).await.unwrap();
    wire.next().await;
    (wire, peer, Arc::new(Mutex::new(Some(pending))))
}

async fn then_is_dropped_as_its_params_cannot_be_written() {
    let (mut wire, peer, owner) = owning(Options::default()).await;
    let then = move |_: Result<Value, CallError>| drop(owner);
    let error = peer.begin_then(None, "ask", &crate::common::Unwritable, then).await.unwrap_err();
    assert!(matches!(error, CallError::Encode { .. }), "{error:?}");
    assert!(wire.next().await.contains("cancel_request"));
}

async fn then_is_dropped_as_the_connection_has_ended() {
    let (mut wire, peer, owner) = owning(Options::default().drain(crate::common::GUARD)).await;
    // Its handler keeps the output open.
    wire.send(r#"{"jsonrpc":"2.0","id":1,"method":"stuck"}"#).await;
    wire.shut_down().await;
    soon("the end", peer.closed()).await;
    let then = move |_: Result<Value, CallError>| drop(owner);
    let error = peer.begin_then(None, "ask", &(), then).await.unwrap_err();
    assert!(matches!(error, CallError::Closed(_)), "{error:?}");
}

/// Code that waits for the token of a handler is woken by a message of the peer.
async fn a_waker_is_called_as_the_peer_cancels() {
    struct Waits(Arc<Mutex<Option<CancellationToken>>>, Arc<tokio::sync::Notify>);
    impl acp_rpc::Service for Waits {
        fn request(
            &self,
            _: &str,
            _: acp_json::Node<'_>,
            request: acp_rpc::Request,
        ) -> Result<acp_rpc::Task, Error> {
            *self.0.lock().unwrap() = Some(request.cancel);
            self.1.notify_one();
            Ok(Box::pin(std::future::pending()))
        }

        fn notification(&self, _: &str, _: acp_json::Node<'_>, _: &Peer) -> acp_rpc::Delivery {
            acp_rpc::Delivery::Ignore
        }
    }
    let (token, started) = (Arc::default(), Arc::<tokio::sync::Notify>::default());
    let service = Waits(Arc::clone(&token), Arc::clone(&started));
    let (near, far) = tokio::io::duplex(64 * 1024);
    let (peer, driver) = acp_rpc::connect(acp_rpc::Transport::from_stream(near), service, Options::default());
    let mut wire = crate::common::Wire::new(far);
    tokio::spawn(driver);
    let pending = peer.begin::<_, Value>(None, "ask", &()).await.unwrap();
    wire.next().await;
    wire.send(r#"{"jsonrpc":"2.0","id":1,"method":"m"}"#).await;
    soon("the handler", started.notified()).await;
    let token = token.lock().unwrap().take().unwrap();
    let waker = Waker::from(Arc::new(Waking(Arc::new(Mutex::new(Some(pending))))));
    let mut cancelled = Box::pin(token.cancelled_owned());
    assert!(cancelled.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
    wire.send(r#"{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1}}"#).await;
    assert!(wire.next().await.contains(r#""requestId":0"#));
}

#[test]
fn what_others_hold_is_dropped_and_woken_while_nothing_is_locked() {
    type Case = (&'static str, fn() -> Pin<Box<dyn Future<Output = ()>>>);
    let cases: [Case; 3] = [
        ("unwritable params", || Box::pin(then_is_dropped_as_its_params_cannot_be_written())),
        ("the end", || Box::pin(then_is_dropped_as_the_connection_has_ended())),
        ("a waker", || Box::pin(a_waker_is_called_as_the_peer_cancels())),
    ];
    for (what, case) in cases {
        // Runs in a thread of its own, because a thread that waits for its own lock waits for ever.
        let (done, is_done) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(case());
            // The driver is dropped first, with everything that is still in it.
            drop(runtime);
            done.send(()).unwrap();
        });
        is_done.recv_timeout(crate::common::GUARD).expect(what);
    }
}
