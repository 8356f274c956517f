//! Requests that take too long: the caller gets an error, the peer a cancel, and nothing is left
//! behind.

use std::time::Duration;

use acp_json::Value;
use acp_rpc::{CallError, Options, Peer};
use tokio::time::Instant;

use crate::common::{Lab, raw, raw_with_capacity};

const AFTER: Duration = Duration::from_secs(5);

fn timed_out(result: Result<Value, CallError>) {
    let error = result.expect_err("an answer is not expected");
    assert_eq!(error.to_string(), "`ask` was not answered within 5s: try again, or allow it more time");
    assert!(matches!(error, CallError::TimedOut { method, after: AFTER } if method == "ask"));
}

async fn ask(peer: Peer, lane: bool) -> Result<Value, CallError> {
    match lane {
        false => peer.request("ask", &()).await,
        true => peer.request_in_lane("a".into(), "ask", &()).await,
    }
}

#[tokio::test(start_paused = true)]
async fn an_overdue_request_fails_and_is_cancelled_and_its_late_answer_is_no_fault() {
    for (options, per_call, lane) in [
        (Options::default().request_timeout(AFTER), false, false),
        (Options::default().request_timeout(AFTER), false, true),
        (Options::default(), true, false),
        (Options::default().request_timeout(Duration::from_secs(1)), true, true),
    ] {
        let (lab, _events) = Lab::new();
        let (mut wire, peer, driver) = raw(lab.clone(), options);
        tokio::spawn(driver);
        let caller = if per_call { peer.timeout(AFTER) } else { peer };
        let started = Instant::now();
        let call = tokio::spawn(ask(caller, lane));
        assert_eq!(wire.next().await, r#"{"jsonrpc":"2.0","id":0,"method":"ask"}"#);
        timed_out(call.await.unwrap());
        assert_eq!(started.elapsed(), AFTER);
        let cancel = r#"{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":0}}"#;
        assert_eq!(wire.next().await, cancel);
        wire.send(r#"{"jsonrpc":"2.0","id":0,"result":1}"#).await;
        wire.send(r#"{"jsonrpc":"2.0","id":1,"method":"empty"}"#).await;
        assert_eq!(wire.next().await, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
        assert_eq!(lab.faults(), Vec::<String>::new());
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_in_time_is_an_answer_and_none_can_be_waited_for_for_ever() {
    let (lab, _events) = Lab::new();
    let (mut wire, peer, driver) = raw(lab, Options::default().request_timeout(AFTER));
    tokio::spawn(driver);
    let in_time = tokio::spawn(ask(peer.clone(), false));
    wire.next().await;
    tokio::time::advance(AFTER - Duration::from_millis(1)).await;
    wire.send(r#"{"jsonrpc":"2.0","id":0,"result":1}"#).await;
    assert_eq!(in_time.await.unwrap().unwrap().as_i64(), Some(1));

    let patient = tokio::spawn(ask(peer.timeout(None), false));
    wire.next().await;
    tokio::time::advance(AFTER * 1000).await;
    wire.send(r#"{"jsonrpc":"2.0","id":1,"result":2}"#).await;
    assert_eq!(patient.await.unwrap().unwrap().as_i64(), Some(2));
}

#[tokio::test(start_paused = true)]
async fn the_wait_for_room_counts_and_what_was_not_sent_is_not_cancelled() {
    let (lab, _events) = Lab::new();
    let (mut wire, peer, driver) = raw_with_capacity(lab, Options::default().outgoing_budget(100), 64);
    tokio::spawn(driver);
    let long = "x".repeat(1000);
    peer.notify("tell", &[&long]).await.unwrap();
    timed_out(ask(peer.timeout(AFTER), false).await);
    timed_out(peer.timeout(AFTER).begin::<_, Value>(None, "ask", &()).await.map(|_| Value::from(1)));
    let rest = tokio::spawn(async move { (wire.next().await, wire.next().await) });
    let last = peer.notify("last", &()).await;
    last.unwrap();
    let (first, second) = rest.await.unwrap();
    assert!(first.contains(&long));
    assert_eq!(second, r#"{"jsonrpc":"2.0","method":"last"}"#);
}

#[tokio::test(start_paused = true)]
async fn the_wait_for_jobs_of_a_lane_counts() {
    let (lab, mut events) = Lab::new();
    let (mut wire, peer, driver) = raw(lab.clone(), Options::default());
    tokio::spawn(driver);
    let call = tokio::spawn(ask(peer.timeout(AFTER), true));
    wire.next().await;
    // The job waits for the gate, so the answer has arrived after it and is not delivered.
    wire.send(r#"{"jsonrpc":"2.0","method":"lane","params":{"lane":"a","text":"job"}}"#).await;
    wire.send(r#"{"jsonrpc":"2.0","id":0,"result":1}"#).await;
    timed_out(call.await.unwrap());
    // It had been answered, so there is nothing to cancel.
    peer.notify("next", &()).await.unwrap();
    assert_eq!(wire.next().await, r#"{"jsonrpc":"2.0","method":"next"}"#);
    lab.gate.add_permits(1);
    assert_eq!(events.recv().await.unwrap(), "job");
}

#[tokio::test(start_paused = true)]
async fn a_request_that_has_begun_keeps_its_time() {
    let (lab, _events) = Lab::new();
    let (mut wire, peer, driver) = raw(lab, Options::default().request_timeout(AFTER));
    tokio::spawn(driver);
    let started = Instant::now();
    let pending = peer.begin::<_, Value>(None, "ask", &()).await.unwrap();
    wire.next().await;
    tokio::time::advance(Duration::from_secs(3)).await;
    timed_out(pending.await);
    assert_eq!(started.elapsed(), AFTER);
    assert!(wire.next().await.contains("$/cancel_request"));
}
