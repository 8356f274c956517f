//! Options at their extremes: each value works, or is refused if its row says so. No value panics,
//! and none makes anybody wait silently.
//!
//! `cargo test -p xtask` compares the names in these tables with the setters in the sources.

mod lines;

use std::time::Duration;

use acp_json::Value;
use acp_rpc::layer::{Concurrency, RateLimit, Timeout};
use acp_rpc::tap::Recorder;
use acp_rpc::{CallError, Options};

use crate::common::{Lab, raw, soon};

const SIZES: [usize; 3] = [0, 1, usize::MAX];
const TIMES: [Duration; 3] = [Duration::ZERO, Duration::from_nanos(1), Duration::MAX];

/// The outcome of a connection with an option at an extreme.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Outcome {
    Works,
    /// Both sides get an error.
    Refused,
    /// The other side is answered; calls of this side fail at once.
    Overdue,
}

use Outcome::{Overdue, Refused, Works};

/// Two requests come in, one goes out, and the connection ends.
async fn play(options: Options, expected: Outcome) -> Outcome {
    let (lab, _events) = Lab::new();
    let (mut wire, peer, driver) = raw(lab, options);
    let driver = tokio::spawn(driver);
    let mut answers = Vec::new();
    for id in [1, 2] {
        wire.send(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"echo","params":{{"a":[1,2,3]}}}}"#)).await;
        wire.send(r#"{"jsonrpc":"2.0","method":"unknown"}"#).await;
        answers.push(wire.next_of(&format!(r#""id":{id},"#)).await);
    }
    let mut call = tokio::spawn(async move { peer.request::<_, Value>("ask", &()).await });
    let result = tokio::select! {
        _ = wire.next_of(r#""ask""#) => {
            // Without any time the order is not defined.
            if expected != Overdue {
                wire.send(r#"{"jsonrpc":"2.0","id":0,"result":{}}"#).await;
            }
            soon("the result", call).await.unwrap()
        }
        // A call that was overdue at once was not sent.
        result = &mut call => result.unwrap(),
    };
    wire.shut_down().await;
    drop(wire);
    soon("the end", driver).await.unwrap();
    let are_results = answers.iter().all(|answer| answer.contains(r#""result":{"a":[1,2,3]}"#));
    let are_errors = answers.iter().all(|answer| answer.contains(r#""error""#));
    match result {
        Ok(_) if are_results => Works,
        Err(CallError::TimedOut { .. }) if are_results => Overdue,
        Err(_) if are_errors => Refused,
        // Messages that come in are refused, messages that go out are not.
        Ok(_) if are_errors => Refused,
        result => panic!("{answers:?}, {result:?}"),
    }
}

#[tokio::test]
async fn sizes_at_their_extremes() {
    type Set = fn(Options, usize) -> Options;
    let recorded =
        |options: Options, bytes| options.tap(Recorder::new(std::io::sink()).unwrap().budget(bytes).tap());
    let rows: [(&str, Set, [Outcome; 3]); 9] = [
        ("Options::max_line", Options::max_line, [Refused, Refused, Works]),
        ("Options::max_message", Options::max_message, [Refused, Refused, Works]),
        ("Options::outgoing_budget", Options::outgoing_budget, [Works; 3]),
        ("Options::incoming_budget", Options::incoming_budget, [Works; 3]),
        ("Options::incoming_ceiling", Options::incoming_ceiling, [Works; 3]),
        ("Options::max_in_flight", Options::max_in_flight, [Refused, Works, Works]),
        ("Options::in_flight_budget", Options::in_flight_budget, [Works; 3]),
        (
            "Concurrency::new",
            |options, most| options.layer_in(Concurrency::new(most)).layer_out(Concurrency::new(most)),
            [Works; 3],
        ),
        ("Recorder::budget", recorded, [Works; 3]),
    ];
    for (name, set, outcomes) in rows {
        for (size, outcome) in SIZES.into_iter().zip(outcomes) {
            assert_eq!(play(set(Options::default(), size), outcome).await, outcome, "{name}({size})");
        }
    }
    for size in SIZES {
        let all = Options::default().outgoing_budget(size).incoming_budget(size).incoming_ceiling(size);
        assert_eq!(play(all.in_flight_budget(size), Works).await, Works, "all budgets at {size}");
    }
}

#[tokio::test]
async fn times_at_their_extremes() {
    type Set = fn(Options, Duration) -> Options;
    let rows: [(&str, Set, [Outcome; 3]); 4] = [
        ("Options::drain", Options::drain, [Works; 3]),
        (
            "Options::request_timeout",
            |options, time| options.request_timeout(time),
            [Overdue, Overdue, Works],
        ),
        ("Timeout::new", |options, time| options.layer_out(Timeout::new(time)), [Overdue, Overdue, Works]),
        ("RateLimit::new", |options, time| options.layer_in(RateLimit::new(u32::MAX, time)), [Works; 3]),
    ];
    for (name, set, outcomes) in rows {
        for (time, outcome) in TIMES.into_iter().zip(outcomes) {
            assert_eq!(play(set(Options::default(), time), outcome).await, outcome, "{name}({time:?})");
        }
    }
}

#[tokio::test]
async fn what_is_to_last_for_ever_does() {
    let (lab, _events) = Lab::new();
    let limit = RateLimit::new(2, Duration::MAX);
    let options = Options::default().layer_in(limit).drain(Duration::ZERO);
    let (mut wire, peer, driver) = raw(lab, options);
    let driver = tokio::spawn(driver);
    for id in 1..=4 {
        wire.send(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"empty"}}"#)).await;
    }
    // Two requests are served at once, and the others never.
    for id in 1..=2 {
        assert_eq!(wire.next().await, format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#));
    }
    for id in 3..=4 {
        wire.send(format!(
            r#"{{"jsonrpc":"2.0","method":"$/cancel_request","params":{{"requestId":{id}}}}}"#
        ))
        .await;
        assert!(wire.next().await.contains(&format!(r#""id":{id},"error":{{"code":-32800"#)), "{id} waits");
    }
    peer.close();
    soon("the end", driver).await.unwrap();
    // "Peer::timeout"
    let (lab, _events) = Lab::new();
    let (mut wire, peer, driver) = raw(lab, Options::default());
    tokio::spawn(driver);
    let call = tokio::spawn(async move { peer.timeout(Duration::MAX).request::<_, Value>("ask", &()).await });
    wire.next().await;
    wire.send(r#"{"jsonrpc":"2.0","id":0,"result":1}"#).await;
    assert_eq!(soon("the result", call).await.unwrap().unwrap().as_i64(), Some(1));
}

#[cfg(all(unix, feature = "process"))]
#[tokio::test]
async fn programs_at_the_extremes_of_their_options() {
    use acp_rpc::{Command, Transport, connect};

    type Set = fn(Command, usize) -> Command;
    let rows: [(&str, Set); 2] = [
        ("Command::grace", |command, at| command.grace(TIMES[at])),
        ("Command::stderr_tail", |command, at| command.stderr_tail(SIZES[at])),
    ];
    for (name, set) in rows {
        for at in 0..3 {
            let command =
                Command::new("/bin/sh").arg("-c").arg("echo words >&2; read line; echo \"$line\"; exit 3");
            let (transport, child) = Transport::process(set(command, at)).unwrap();
            let (lab, mut events) = Lab::new();
            let (peer, driver) = connect(transport, lab, Options::default());
            let driver = tokio::spawn(driver);
            // It prints its input.
            let told = r#"{"a":1}"#;
            peer.notify("note", &acp_json::from_str::<Value>(told).unwrap()).await.unwrap();
            let expected = format!("note {told}");
            while soon("what it prints", events.recv()).await.unwrap() != expected {}
            let reason = soon("the end", driver).await.unwrap();
            // Without any grace it may be killed before its end is seen.
            if name != "Command::grace" || at == 2 {
                assert!(reason.to_string().contains('3'), "{name} at {at}: {reason}");
            }
            drop(child);
        }
    }
}
