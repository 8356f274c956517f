//! Taps: both directions, in order, without payload unless asked for.

use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use acp_rpc::tap::Redaction;
use acp_rpc::{Kind, Noise, Options, Tap, Traffic};
use serde_json::value::RawValue;

use crate::common::{Lab, raw};

type Seen = Arc<Mutex<Vec<String>>>;

fn watcher() -> (Seen, impl Fn(Traffic<'_>) + Send + Sync + 'static) {
    let seen = Seen::default();
    let log = Arc::clone(&seen);
    (seen, move |traffic: Traffic<'_>| log.lock().unwrap().push(traffic.to_string()))
}

async fn conversation(tap: Tap) {
    let (lab, _events) = Lab::new();
    let (mut wire, peer, driver) = raw(lab, Options::default().tap(tap).max_line(100));
    let driver = tokio::spawn(driver);
    wire.send(r#"{"jsonrpc":"2.0","id":1,"method":"echo","params":["secret"]}"#).await;
    wire.next().await;
    wire.send("secret banner").await;
    wire.next().await;
    wire.send(format!(r#"{{"jsonrpc":"2.0","id":"big","method":"echo","params":["{}"]}}"#, "x".repeat(100)))
        .await;
    wire.next().await;
    peer.notify("tell", &["secret"]).await.unwrap();
    wire.next().await;
    wire.finish().await;
    driver.await.unwrap();
}

#[tokio::test]
async fn what_messages_carry_is_withheld() {
    let (seen, watch) = watcher();
    conversation(Tap::new(watch)).await;
    assert_eq!(
        *seen.lock().unwrap(),
        [
            "<- request echo id 1 (60 bytes)",
            "-> result id 1 (44 bytes)",
            "<- not JSON (13 bytes)",
            "-> error -32700 (90 bytes)",
            "<- oversized line id \"big\" (158 bytes)",
            "-> error -32600 id \"big\" (114 bytes)",
            "-> notification tell (53 bytes)",
        ]
    );
}

#[tokio::test]
async fn two_taps_see_the_same_lines_and_each_its_own_part() {
    let ((heads, head), (lines, line), (others, other)) = (watcher(), watcher(), watcher());
    conversation(Tap::new(head).and(Tap::raw(line)).and(Tap::new(other))).await;
    let (heads, lines) = (heads.lock().unwrap(), lines.lock().unwrap());
    assert_eq!((heads.len(), &*heads), (7, &*others.lock().unwrap()));
    assert!(heads.iter().all(|seen| !seen.contains("secret")));
    assert!(lines.iter().zip(&*heads).all(|(line, head)| line.starts_with(head.as_str())));
    assert!(lines[0].contains("secret"));
}

#[tokio::test]
async fn a_raw_tap_shows_lines() {
    let (seen, watch) = watcher();
    conversation(Tap::raw(watch)).await;
    let seen = seen.lock().unwrap();
    assert_eq!(
        seen[0],
        r#"<- request echo id 1 (60 bytes) {"jsonrpc":"2.0","id":1,"method":"echo","params":["secret"]}"#
    );
    assert_eq!(seen[2], "<- not JSON (13 bytes) secret banner");
}

#[tokio::test]
async fn a_redacted_tap_shows_lines_without_secrets() {
    let (seen, watch) = watcher();
    let started = SystemTime::now();
    conversation(Tap::redacted(Redaction::default().name("params"), move |traffic| {
        assert!(traffic.time >= started);
        watch(traffic);
    }))
    .await;
    let seen = seen.lock().unwrap();
    assert_eq!(
        seen[0],
        r#"<- request echo id 1 (60 bytes) {"jsonrpc":"2.0","id":1,"method":"echo","params":["[redacted]"]}"#
    );
    assert_eq!(seen[2], "<- not JSON (13 bytes)");
}

#[tokio::test]
async fn a_line_with_broken_text_is_shown_as_it_came_and_as_the_message_it_is_read_as() {
    let line = |text: &[u8]| {
        [br#"{"jsonrpc":"2.0","id":1,"method":"echo","params":[""#, text, br#"",{"token":"x"}]}"#].concat()
    };
    for text in [&br"\ud83d"[..], b"\xff"] {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let keep = Arc::clone(&seen);
        let tap = Tap::raw(move |traffic: Traffic<'_>| {
            keep.lock().unwrap().push((traffic.kind, traffic.line.unwrap().to_vec()));
        });
        let (redacted, watch) = watcher();
        let redacting = Tap::redacted(Redaction::default(), watch);
        for tap in [tap, redacting] {
            let (lab, _events) = Lab::new();
            let (mut wire, peer, driver) = raw(lab, Options::default().tap(tap).noise(Noise::Skip));
            tokio::spawn(driver);
            wire.send(line(text)).await;
            wire.next().await;
            // Text of another program that this side passes on leaves unchanged.
            peer.notify_now("tell", &RawValue::from_string(r#""\ud83d""#.to_owned()).unwrap()).unwrap();
            assert_eq!(wire.next().await, r#"{"jsonrpc":"2.0","method":"tell","params":"\ud83d"}"#);
        }
        let seen = seen.lock().unwrap();
        assert_eq!(seen[0], (Kind::Request, line(text)));
        assert_eq!(seen[2].0, Kind::Notification);
        assert!(seen[2].1.ends_with(br#""\ud83d"}"#));
        let redacted = redacted.lock().unwrap();
        assert!(redacted[0].ends_with("[\"\u{fffd}\",{\"token\":\"[redacted]\"}]}"), "{}", redacted[0]);
        assert!(redacted[2].starts_with("-> notification tell"), "{}", redacted[2]);
    }
}

#[tokio::test]
async fn a_line_whose_values_are_too_large_is_not_read_for_the_tap_either() {
    let (seen, watch) = watcher();
    let (lab, _events) = Lab::new();
    let (mut wire, _peer, driver) = raw(lab, Options::default().tap(Tap::raw(watch)).max_message(2000));
    tokio::spawn(driver);
    let params = "[],".repeat(100);
    wire.send(format!(r#"{{"jsonrpc":"2.0","id":1,"method":"echo","params":[{params}[]]}}"#)).await;
    assert!(wire.next().await.contains("-32600"));
    assert_eq!(seen.lock().unwrap()[0], "<- oversized line id 1 (354 bytes)");
}

#[tokio::test]
async fn a_panicking_tap_is_a_fault_and_no_more() {
    let (lab, _events) = Lab::new();
    let tap = Tap::new(|_| panic!("tap panic"));
    let (mut wire, _peer, driver) = raw(lab.clone(), Options::default().tap(tap));
    tokio::spawn(driver);
    wire.send(r#"{"jsonrpc":"2.0","id":1,"method":"empty"}"#).await;
    assert_eq!(wire.next().await, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    assert_eq!(lab.faults(), ["the tap panicked", "the tap panicked"]);
}
