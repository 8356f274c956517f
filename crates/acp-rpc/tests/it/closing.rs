//! Ends: everybody learns the reason, and nothing is left running.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use acp_json::Value;
use acp_rpc::{CallError, CloseReason, Options, Peer, Transport, connect};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::task::JoinHandle;

use crate::common::{Lab, raw, soon};

/// A short drain, for tests in which handlers do not stop by themselves.
fn brief() -> Options {
    Options::default().drain(Duration::from_millis(50))
}

fn ask(peer: &Peer, method: &'static str) -> JoinHandle<Result<Value, CallError>> {
    let peer = peer.clone();
    tokio::spawn(async move { peer.request(method, &()).await })
}

fn ask_in_lane(peer: &Peer) -> JoinHandle<Result<Value, CallError>> {
    let peer = peer.clone();
    tokio::spawn(async move { peer.request_in_lane("a".into(), "ask", &()).await })
}

async fn reason(call: JoinHandle<Result<Value, CallError>>) -> String {
    match soon("the call", call).await.unwrap() {
        Err(CallError::Closed(reason)) => reason.to_string(),
        other => panic!("not closed: {other:?}"),
    }
}

#[tokio::test]
async fn eof_fails_pending_calls_and_later_ones() {
    let (lab, mut events) = Lab::new();
    let (mut wire, peer, driver) = raw(lab, brief());
    let driver = tokio::spawn(driver);
    let (call, in_lane) = (ask(&peer, "ask"), ask_in_lane(&peer));
    wire.next().await;
    wire.next().await;
    assert!(!peer.is_closed());
    assert_eq!(wire.finish().await, Vec::<String>::new());
    assert_eq!(reason(call).await, "the peer closed it");
    assert_eq!(reason(in_lane).await, "the peer closed it");
    assert!(matches!(soon("the end", driver).await.unwrap(), CloseReason::Eof));
    assert!(peer.is_closed());
    assert!(matches!(peer.closed().await, CloseReason::Eof));
    assert_eq!(reason(ask(&peer, "late")).await, "the peer closed it");
    assert!(matches!(peer.notify("late", &()).await, Err(CallError::Closed(CloseReason::Eof))));
    assert!(matches!(peer.notify_now("late", &()), Err(CallError::Closed(CloseReason::Eof))));
    assert_eq!(events.recv().await.unwrap(), "closed: the peer closed it");
    assert!(events.try_recv().is_err(), "closed is said once");
}

#[tokio::test]
async fn requests_sent_before_eof_are_answered() {
    let (lab, _events) = Lab::new();
    let (mut wire, _peer, driver) = raw(lab, Options::default());
    let driver = tokio::spawn(driver);
    for id in 0..3 {
        wire.send(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"empty"}}"#)).await;
    }
    let answers: Vec<String> =
        (0..3).map(|id| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#)).collect();
    assert_eq!(wire.finish().await, answers);
    soon("the end", driver).await.unwrap();
}

#[tokio::test]
async fn at_eof_handlers_are_told_to_stop_and_then_stopped() {
    let (lab, mut events) = Lab::new();
    let (mut wire, _peer, driver) = raw(lab, brief());
    let driver = tokio::spawn(driver);
    wire.send(r#"{"jsonrpc":"2.0","id":1,"method":"hang"}"#).await;
    assert_eq!(events.recv().await.unwrap(), "started 1");
    wire.send(r#"{"jsonrpc":"2.0","id":2,"method":"stuck"}"#).await;
    assert_eq!(events.recv().await.unwrap(), "started 2");
    let lines = wire.finish().await;
    let cancelled = |id| {
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32800,"message":"the request was cancelled"}}}}"#
        )
    };
    // Both requests are answered: one by its handler, and the other by the library.
    assert_eq!(lines, [cancelled(1), cancelled(2)]);
    for expected in ["cancelled 1", "dropped 2", "closed: the peer closed it"] {
        assert_eq!(soon(expected, events.recv()).await.unwrap(), expected);
    }
    soon("the end", driver).await.unwrap();
}

#[tokio::test]
async fn close_sends_what_is_queued_and_tells_everybody() {
    let (lab, mut events) = Lab::new();
    let (mut wire, peer, driver) = raw(lab, brief());
    let driver = tokio::spawn(driver);
    wire.send(r#"{"jsonrpc":"2.0","id":1,"method":"hang"}"#).await;
    assert_eq!(events.recv().await.unwrap(), "started 1");
    let call = ask(&peer, "ask");
    assert!(wire.next().await.contains("ask"));
    peer.notify("goodbye", &()).await.unwrap();
    peer.close();
    assert_eq!(wire.next().await, r#"{"jsonrpc":"2.0","method":"goodbye"}"#);
    assert!(wire.next().await.contains(r#""id":1,"error":{"code":-32800"#));
    assert_eq!(wire.line().await, None);
    assert_eq!(reason(call).await, "it was closed on this side");
    assert!(matches!(soon("the end", driver).await.unwrap(), CloseReason::Local));
}

#[tokio::test]
async fn close_does_not_wait_for_a_peer_that_does_not_read() {
    let (lab, _events) = Lab::new();
    let (_wire, peer, driver) = crate::common::raw_with_capacity(lab, brief(), 16);
    let driver = tokio::spawn(driver);
    peer.notify("never read", &vec![0; 100]).await.unwrap();
    peer.close();
    assert!(matches!(soon("the end", driver).await.unwrap(), CloseReason::Local));
}

#[tokio::test]
async fn a_dropped_driver_leaves_nobody_waiting() {
    let (lab, mut events) = Lab::new();
    let (mut wire, peer, driver) = raw(lab, Options::default());
    let driver = tokio::spawn(driver);
    wire.send(r#"{"jsonrpc":"2.0","id":1,"method":"stuck"}"#).await;
    assert_eq!(events.recv().await.unwrap(), "started 1");
    let (call, in_lane) = (ask(&peer, "ask"), ask_in_lane(&peer));
    wire.next().await;
    wire.next().await;
    driver.abort();
    assert_eq!(reason(call).await, "it was closed on this side");
    assert_eq!(reason(in_lane).await, "it was closed on this side");
    assert!(peer.is_closed());
    let mut seen = vec![events.recv().await.unwrap(), events.recv().await.unwrap()];
    seen.sort();
    assert_eq!(seen, ["closed: it was closed on this side", "dropped 1"]);
}

#[tokio::test]
async fn a_driver_that_never_ran_leaves_nobody_waiting() {
    let (lab, mut events) = Lab::new();
    let (_wire, peer, driver) = raw(lab, Options::default());
    let call = ask(&peer, "ask");
    tokio::task::yield_now().await;
    drop(driver);
    assert_eq!(reason(call).await, "it was closed on this side");
    assert_eq!(events.recv().await.unwrap(), "closed: it was closed on this side");
}

#[tokio::test]
async fn a_connection_outlives_its_handles() {
    let (lab, _events) = Lab::new();
    let (mut wire, peer, driver) = raw(lab, Options::default());
    drop(peer);
    let driver = tokio::spawn(driver);
    wire.send(r#"{"jsonrpc":"2.0","id":1,"method":"empty"}"#).await;
    assert_eq!(wire.next().await, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    wire.finish().await;
    assert!(matches!(soon("the end", driver).await.unwrap(), CloseReason::Eof));
}

#[tokio::test]
async fn a_handler_that_calls_after_eof_may_still_notify_and_answer() {
    // The peer has closed its side, and reads on.
    let (lab, _events) = Lab::new();
    let (mut wire, _peer, driver) = raw(lab, Options::default());
    let driver = tokio::spawn(driver);
    wire.send(r#"{"jsonrpc":"2.0","method":"slow","params":[1]}"#).await;
    wire.send(r#"{"jsonrpc":"2.0","id":1,"method":"nest","params":1}"#).await;
    wire.shut_down().await;
    let mut lines = wire.rest().await;
    lines.sort();
    assert_eq!(lines.len(), 2, "its call is not sent, as nobody can answer it any more: {lines:?}");
    assert!(lines[0].contains(r#""id":1,"error":{"code":-32603"#), "{lines:?}");
    assert_eq!(lines[1], r#"{"jsonrpc":"2.0","method":"done","params":[1]}"#);
    soon("the end", driver).await.unwrap();
}

#[tokio::test]
async fn the_reason_stays_what_it_was() {
    // A handler that was told to stop cannot write its answer any more.
    let (lab, mut events) = Lab::new();
    let (mut wire, peer, driver) = raw(lab, brief());
    let driver = tokio::spawn(driver);
    wire.send(r#"{"jsonrpc":"2.0","id":1,"method":"hang"}"#).await;
    assert_eq!(events.recv().await.unwrap(), "started 1");
    drop(wire);
    assert!(matches!(soon("the end", driver).await.unwrap(), CloseReason::Eof));
    assert!(matches!(peer.closed().await, CloseReason::Eof));
}

#[tokio::test]
async fn a_sender_that_never_stops_does_not_hold_up_the_end() {
    for closes in [true, false] {
        let (lab, _events) = Lab::new();
        let (mut wire, peer, driver) = raw(lab, brief());
        let driver = tokio::spawn(driver);
        let sender = peer.clone();
        let sending = tokio::spawn(async move {
            loop {
                if let Err(error) = sender.notify("chatter", &()).await {
                    return error;
                }
            }
        });
        wire.next().await;
        if closes {
            peer.close();
        } else {
            wire.shut_down().await;
        }
        // All accepted messages arrive, and each is whole.
        let lines = soon("the end of the stream", wire.rest()).await;
        assert!(lines.iter().all(|line| line == r#"{"jsonrpc":"2.0","method":"chatter"}"#));
        soon("the end", driver).await.unwrap();
        assert!(matches!(soon("the sender", sending).await.unwrap(), CallError::Closed(_)));
    }
}

#[tokio::test]
async fn handlers_have_time_to_answer_and_no_more() {
    // `hang` answers when it is told to stop; `stuck` never does. A peer that closes waits for
    // both, but not longer than it must.
    let (lab, mut events) = Lab::new();
    let (mut wire, peer, driver) = raw(lab, brief());
    let driver = tokio::spawn(driver);
    for (id, method) in [(1, "stuck"), (2, "hang"), (3, "hang")] {
        wire.send(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}"}}"#)).await;
        assert_eq!(events.recv().await.unwrap(), format!("started {id}"));
    }
    peer.close();
    let answered = wire.rest().await;
    let mut ids: Vec<&str> = answered.iter().map(|line| &line[17..23]).collect();
    ids[..2].sort_unstable();
    assert_eq!(ids, [r#""id":2"#, r#""id":3"#, r#""id":1"#], "{answered:?}");
    soon("the end", driver).await.unwrap();
}

/// Shows the reason as logs do.
#[tokio::test]
async fn every_way_in_which_a_request_fails_has_a_name() {
    let table: [(&str, &str, &str); 4] = [
        ("an error", r#""error":{"code":7,"message":"no"}"#, "no (code 7)"),
        ("cancelled", r#""error":{"code":-32800,"message":"stopped"}"#, "stopped (code -32800)"),
        ("no response", r#""x":1"#, "is not a valid response: it has neither a `result` nor an `error`"),
        (
            "too long",
            r#""result":"................................................................""#,
            "it is longer than the limit",
        ),
    ];
    for (what, answer, expected) in table {
        let (lab, _events) = Lab::new();
        let (mut wire, peer, driver) = raw(lab, brief().max_line(80));
        tokio::spawn(driver);
        let call = ask(&peer, "ask");
        wire.next().await;
        wire.send(format!(r#"{{"jsonrpc":"2.0","id":0,{answer}}}"#)).await;
        let error = soon("the answer", call).await.unwrap().unwrap_err();
        assert!(error.to_string().contains(expected), "{what}: {error}");
        assert_eq!(error.is_cancelled(), what == "cancelled");
    }
    let (lab, _events) = Lab::new();
    let (_wire, peer, driver) = raw(lab, brief());
    tokio::spawn(driver);
    let call = peer.timeout(Duration::ZERO).request::<_, Value>("ask", &()).await;
    assert!(matches!(call, Err(CallError::TimedOut { .. })), "{call:?}");
}

#[tokio::test]
async fn last_answers_are_read_when_writing_fails() {
    // The peer answers, and has already stopped reading.
    let (near, far) = tokio::io::duplex(1024);
    let (lab, _events) = Lab::new();
    let (reader, _) = tokio::io::split(near);
    let (peer, driver) = connect(Transport::new(reader, Broken), lab, Options::default());
    let call = ask(&peer, "ask");
    // On one thread: now the request is in the output buffer.
    tokio::task::yield_now().await;
    let driver = tokio::spawn(driver);
    let mut wire = crate::common::Wire::new(far);
    wire.send(r#"{"jsonrpc":"2.0","id":0,"result":"said before"}"#).await;
    drop(wire);
    let result = soon("the answer", call).await.unwrap().unwrap();
    assert_eq!(result.as_str(), Some("said before"));
    let CloseReason::Io(error) = soon("the end", driver).await.unwrap() else { panic!("an I/O error") };
    assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
}

#[tokio::test]
async fn a_read_error_is_the_reason() {
    let (lab, _events) = Lab::new();
    let (_near, far) = tokio::io::duplex(1024);
    let (_, writer) = tokio::io::split(far);
    let (peer, driver) = connect(Transport::new(Broken, writer), lab, brief());
    let call = ask(&peer, "ask");
    let CloseReason::Io(error) = soon("the end", driver).await else { panic!("an I/O error") };
    assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    assert_eq!(reason(call).await, error.to_string());
}

/// A stream whose operations all fail.
struct Broken;

impl AsyncRead for Broken {
    fn poll_read(self: Pin<&mut Self>, _: &mut Context<'_>, _: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()))
    }
}

impl AsyncWrite for Broken {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, _: &[u8]) -> Poll<io::Result<usize>> {
        Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

#[tokio::test]
async fn a_job_that_does_not_end_keeps_nobody_from_hearing_of_the_end_and_loses_nothing() {
    let (lab, mut events) = Lab::new();
    let (mut wire, peer, driver) = raw(lab.clone(), brief().incoming_budget(1));
    let driver = tokio::spawn(driver);
    let peer_of_lane = peer.clone();
    let in_lane =
        tokio::spawn(async move { peer_of_lane.request_in_lane::<_, Value>("b".into(), "ask", &()).await });
    wire.next().await;
    for text in ["one", "two"] {
        wire.send(format!(r#"{{"jsonrpc":"2.0","method":"lane","params":{{"lane":"a","text":"{text}"}}}}"#))
            .await;
    }
    // The first job fills the budget and waits for a permit, so the reader pauses. Then the peer
    // leaves.
    drop(wire);
    while peer.notify("are you there", &()).await.is_ok() {
        tokio::task::yield_now().await;
    }
    assert_eq!(reason(in_lane).await, "broken pipe");
    assert!(peer.is_closed());
    lab.gate.add_permits(2);
    for text in ["one", "two"] {
        assert_eq!(soon("a job", events.recv()).await.unwrap(), text);
    }
    assert!(matches!(soon("the end", driver).await.unwrap(), CloseReason::Io(_)));
}
