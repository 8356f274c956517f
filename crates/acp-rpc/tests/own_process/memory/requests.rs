//! Requests in flight, and answers to no request.

use std::sync::atomic::Ordering;

use acp_rpc::Options;
use testkit::Meter;

use super::stage::{Stage, stands_still};
use super::{Case, MIB};

pub(crate) const CASES: &[Case] = &[
    ("100,000 small requests in flight", || Box::pin(in_flight("[]"))),
    ("100,000 requests in flight with many values", || Box::pin(in_flight(VALUES))),
    ("100,000 answers to nothing", || Box::pin(unknown_answers())),
    ("results that a peer does not read", || Box::pin(results())),
];

const BUDGET: usize = 16 * MIB;
const COUNT: usize = 100_000;
const VALUES: &str = r#"{"a":[[0],[1],[2]],"b":{"c":"d"},"e":["f","g"]}"#;

async fn in_flight(params: &'static str) {
    let options = Options::default().max_in_flight(usize::MAX).in_flight_budget(BUDGET);
    let mut stage = Stage::new(options).await;
    let meter = Meter::new().unwrap();
    let request =
        move |id| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"hang\",\"params\":{params}}}\n");
    stage.flood((0..COUNT).map(request));
    let (seen, reading) = stage.read();
    stands_still(&seen).await;
    let refused = seen.load(Ordering::Relaxed);
    assert!(refused > 0 && refused < COUNT, "{refused} were refused");
    meter.stayed_within(BUDGET).unwrap();
    stage.open_gate();
    stands_still(&seen).await;
    assert_eq!(seen.load(Ordering::Relaxed), COUNT, "every request is answered");
    stage.pings();
    reading.await.unwrap();
}

/// The requests are so long that few of them are read at once; each result is as long as four of
/// them.
async fn results() {
    const LENGTH: usize = 32 * 1024;
    let options = Options::default().outgoing_budget(BUDGET / 4).in_flight_budget(BUDGET);
    let mut stage = Stage::new(options).await;
    let meter = Meter::new().unwrap();
    let params = "x".repeat(LENGTH);
    let request = move |id| {
        format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"four\",\"params\":\"{params}\"}}\n")
    };
    let taken = stage.flood((0..2000).map(request));
    stands_still(&taken).await;
    // They wait for room, and the reader with them.
    let taken = taken.load(Ordering::Relaxed);
    assert!(taken < 200, "{taken} requests were taken");
    meter.stayed_within(BUDGET / 4 + BUDGET).unwrap();
    stage.recovers().await;
}

async fn unknown_answers() {
    let mut stage = Stage::new(Options::default()).await;
    let meter = Meter::new().unwrap();
    stage.flood((0..COUNT).map(|id| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{VALUES}}}\n")));
    stage.recovers().await;
    meter.stayed_below(0).unwrap();
}
