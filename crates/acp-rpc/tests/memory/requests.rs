//! Requests in flight, and answers to none.

use std::sync::atomic::Ordering;

use acp_rpc::Options;

use crate::Case;
use crate::meter::{MIB, Meter};
use crate::stage::{Stage, stands_still};

pub(crate) const CASES: &[Case] = &[
    ("100,000 small requests in flight", || Box::pin(in_flight("[]"))),
    ("100,000 requests in flight with many values", || Box::pin(in_flight(VALUES))),
    ("100,000 answers to nothing", || Box::pin(unknown_answers())),
];

const BUDGET: usize = 16 * MIB;
const COUNT: usize = 100_000;
const VALUES: &str = r#"{"a":[[0],[1],[2]],"b":{"c":"d"},"e":["f","g"]}"#;

async fn in_flight(params: &'static str) {
    let options = Options::default().max_in_flight(usize::MAX).in_flight_budget(BUDGET);
    let mut stage = Stage::new(options).await;
    let meter = Meter::new();
    let request =
        move |id| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"hang\",\"params\":{params}}}\n");
    stage.flood((0..COUNT).map(request));
    let (seen, reading) = stage.read();
    stands_still(&seen).await;
    let refused = seen.load(Ordering::Relaxed);
    assert!(refused > 0 && refused < COUNT, "{refused} were refused");
    meter.stayed_within(BUDGET);
    stage.open_gate();
    stands_still(&seen).await;
    assert_eq!(seen.load(Ordering::Relaxed), COUNT, "every request is answered");
    stage.pings();
    reading.await.unwrap();
}

async fn unknown_answers() {
    let mut stage = Stage::new(Options::default()).await;
    let meter = Meter::new();
    stage.flood((0..COUNT).map(|id| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{VALUES}}}\n")));
    stage.recovers().await;
    meter.stayed_below(0);
}
