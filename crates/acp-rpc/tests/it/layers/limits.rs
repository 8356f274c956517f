//! Layers that limit: timeouts, rates, requests at once, and limits for some methods.

use std::time::Duration;

use acp_rpc::layer::{Concurrency, Only, RateLimit, Timeout};
use acp_rpc::{CallError, Options};
use tokio::time::Instant;

use super::{Seen, call, named_in, take};
use crate::common::{Lab, raw, raw_with_capacity, soon};

#[tokio::test(start_paused = true)]
async fn a_timeout_ends_waits_in_both_directions() {
    let (lab, mut events) = Lab::new();
    let timeout = Timeout::new(Duration::from_secs(3));
    let seen = Seen::default();
    let options = named_in(Options::default().layer_in(timeout), "token", &seen).layer_out(timeout);
    let (mut wire, peer, driver) = raw(lab, options);
    tokio::spawn(driver);
    let answer = call(&peer, "ask");
    wire.next().await;
    let error = answer.await.unwrap().unwrap_err();
    assert!(matches!(error, CallError::TimedOut { method, .. } if method == "ask"));
    assert!(wire.next().await.contains("$/cancel_request"));

    wire.send(r#"{"jsonrpc":"2.0","id":1,"method":"stuck"}"#).await;
    assert_eq!(
        wire.next().await,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"`stuck` was stopped: it took longer than 3s"}}"#
    );
    assert_eq!(events.recv().await.unwrap(), "started 1");
    assert_eq!(events.recv().await.unwrap(), "dropped 1");
    assert_eq!(take(&seen), ["token stuck", "the token fired"]);
    wire.send(r#"{"jsonrpc":"2.0","id":1,"method":"empty"}"#).await;
    assert_eq!(wire.next().await, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
}

#[tokio::test(start_paused = true)]
async fn a_timeout_outside_holds_for_notifications_that_cannot_leave() {
    let (lab, _events) = Lab::new();
    let options = Options::default().outgoing_budget(10).layer_out(Timeout::new(Duration::from_secs(3)));
    let (_wire, peer, driver) = raw_with_capacity(lab, options, 16);
    tokio::spawn(driver);
    peer.notify("tell", &["x".repeat(100)]).await.unwrap();
    let error = peer.notify("tell", &()).await.unwrap_err();
    assert!(matches!(error, CallError::TimedOut { method, .. } if method == "tell"));
}

#[tokio::test(start_paused = true)]
async fn a_rate_limit_spreads_requests() {
    let (lab, _events) = Lab::new();
    let limit = RateLimit::new(2, Duration::from_secs(1));
    let options = Options::default().layer_in(limit).layer_out(RateLimit::new(2, Duration::from_secs(1)));
    let (mut wire, peer, driver) = raw(lab, options);
    tokio::spawn(driver);
    let started = Instant::now();
    let calls: Vec<_> = (0..5).map(|_| call(&peer, "ask")).collect();
    let mut times = Vec::new();
    for id in 0..5 {
        wire.next().await;
        times.push(started.elapsed().as_millis());
        wire.send(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":1}}"#)).await;
    }
    assert_eq!(times, [0, 0, 500, 1000, 1500]);
    for call in calls {
        call.await.unwrap().unwrap();
    }

    let started = Instant::now();
    for id in 0..5 {
        wire.send(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"empty"}}"#)).await;
    }
    // Notifications do not wait, and a cancelled request does not wait on.
    wire.send(r#"{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":4}}"#).await;
    let mut answers = Vec::new();
    for _ in 0..5 {
        let answer: serde_json::Value = serde_json::from_str(&wire.next().await).unwrap();
        answers.push((answer["id"].as_i64().unwrap(), started.elapsed().as_millis()));
    }
    assert_eq!(answers, [(0, 0), (1, 0), (4, 0), (2, 500), (3, 1000)]);
}

#[tokio::test]
async fn a_concurrency_limit_lets_so_many_through() {
    let (lab, mut events) = Lab::new();
    let options = Options::default().layer_in(Concurrency::new(2)).layer_out(Concurrency::new(1));
    let (mut wire, peer, driver) = raw(lab, options);
    tokio::spawn(driver);
    for id in 1..=4 {
        wire.send(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"hang"}}"#)).await;
    }
    for id in [1, 2] {
        assert_eq!(soon("a start", events.recv()).await.unwrap(), format!("started {id}"));
    }
    // The third request waits for a place, and is answered before its handler runs.
    wire.send(r#"{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":3}}"#).await;
    assert!(wire.next().await.contains(r#""id":3,"error":{"code":-32800"#));
    wire.send(r#"{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1}}"#).await;
    assert!(wire.next().await.contains(r#""id":1,"#));
    assert_eq!(soon("the end", events.recv()).await.unwrap(), "cancelled 1");
    assert_eq!(soon("a start", events.recv()).await.unwrap(), "started 4");

    let first = call(&peer, "ask");
    assert!(wire.next().await.contains(r#""id":0"#));
    let second = call(&peer, "ask");
    peer.notify("tell", &()).await.unwrap();
    assert!(wire.next().await.contains("tell"));
    wire.send(r#"{"jsonrpc":"2.0","id":0,"result":1}"#).await;
    assert!(wire.next().await.contains(r#""id":1"#));
    wire.send(r#"{"jsonrpc":"2.0","id":1,"result":1}"#).await;
    soon("the answer", first).await.unwrap().unwrap();
    soon("the answer", second).await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_layer_for_some_methods_leaves_others_alone() {
    let (lab, mut events) = Lab::new();
    let timeout = || Only::new(|method| method != "hang", Timeout::new(Duration::from_secs(1)));
    let (mut wire, peer, driver) = raw(lab, Options::default().layer_in(timeout()).layer_out(timeout()));
    tokio::spawn(driver);
    let patient = call(&peer, "hang");
    let hasty = call(&peer, "ask");
    wire.next().await;
    wire.next().await;
    assert!(matches!(hasty.await.unwrap(), Err(CallError::TimedOut { .. })));
    wire.next().await;
    wire.send(r#"{"jsonrpc":"2.0","id":7,"method":"hang"}"#).await;
    assert_eq!(events.recv().await.unwrap(), "started 7");
    tokio::time::advance(Duration::from_secs(60)).await;
    wire.send(r#"{"jsonrpc":"2.0","id":0,"result":1}"#).await;
    patient.await.unwrap().unwrap();
    wire.send(r#"{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":7}}"#).await;
    assert!(wire.next().await.contains("-32800"));
}
