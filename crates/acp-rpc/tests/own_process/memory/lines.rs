//! Lines that are too long, and messages that are too heavy.

use std::iter::once;

use acp_rpc::Options;
use testkit::Meter;

use super::stage::{Stage, stands_still};
use super::{Case, MIB};

pub(crate) const CASES: &[Case] = &[
    ("a line of 1 GiB", || Box::pin(gibibyte())),
    ("a line just below the limit", || Box::pin(just_below())),
    ("a long line whose values are too heavy", || Box::pin(too_heavy())),
    ("what long lines were kept in, once there are no more", || Box::pin(idle())),
    ("a heavy message within its limit", || Box::pin(heavy())),
];

const MAX_LINE: usize = 64 * MIB;

fn text(start: &'static str, mebibytes: usize) -> impl Iterator<Item = String> + Send {
    once(start.to_owned()).chain((0..16 * mebibytes).map(|_| "x".repeat(MIB / 16)))
}

async fn gibibyte() {
    let mut stage = Stage::new(Options::default().max_line(MAX_LINE)).await;
    let meter = Meter::new().unwrap();
    let line = text("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"hang\",\"params\":\"", 1024);
    let taken = stage.flood(line.chain(once("\"}\n".to_owned())));
    let (seen, reading) = stage.read();
    stage.pings();
    reading.await.unwrap();
    assert_eq!(taken.load(std::sync::atomic::Ordering::Relaxed), 2 + 16 * 1024);
    assert_eq!(seen.load(std::sync::atomic::Ordering::Relaxed), 2, "a refusal and the ping's answer");
    meter.stayed_within(MAX_LINE).unwrap();
    meter.is_given_back().unwrap();
}

async fn just_below() {
    let mut stage = Stage::new(Options::default().max_line(MAX_LINE)).await;
    let meter = Meter::new().unwrap();
    let line = text("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":\"", 60);
    // The beginning of the next line comes with the end of this one, and must not keep its buffer.
    stage.flood(line.chain(["\"}\n{".to_owned(), "}\n".to_owned()]));
    stage.recovers().await;
    meter.stayed_within(MAX_LINE).unwrap();
    meter.is_given_back().unwrap();
}

/// A long line leaves its buffer to the next one, but not for ever.
async fn idle() {
    const LENGTH: usize = 3 * MIB;
    let mut stage = Stage::new(Options::default()).await;
    let meter = Meter::new().unwrap();
    let params = "x".repeat(LENGTH);
    stage.flood(once(format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":\"{params}\"}}\n"
    )));
    drop(params);
    stage.recovers().await;
    tokio::time::pause();
    tokio::time::sleep(std::time::Duration::from_secs(10)).await;
    meter.is_given_back().unwrap();
}

async fn too_heavy() {
    let mut stage = Stage::new(Options::default().max_line(MAX_LINE).max_message(MAX_LINE)).await;
    let meter = Meter::new().unwrap();
    let line = once("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"hang\",\"params\":[".to_owned());
    let line = line.chain((0..6 * 60).map(|_| "[[0]],".repeat(MIB / 36)));
    stage.flood(line.chain(once("0]}\n".to_owned())));
    stage.recovers().await;
    meter.stayed_below(MAX_LINE).unwrap();
}

async fn heavy() {
    const MAX_MESSAGE: usize = 128 * MIB;
    let mut stage = Stage::new(Options::default().max_line(MAX_LINE).max_message(MAX_MESSAGE)).await;
    let meter = Meter::new().unwrap();
    let line = once("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"hang\",\"params\":[".to_owned());
    let line = line.chain((0..12).map(|_| "[[0]],".repeat(MIB / 36)));
    let taken = stage.flood(line.chain(once("0]}\n".to_owned())));
    stands_still(&taken).await;
    meter.stayed_within(2 * MIB + MAX_MESSAGE).unwrap();
    stage.recovers().await;
}
