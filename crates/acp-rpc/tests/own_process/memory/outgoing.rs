//! A peer that does not read.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use acp_rpc::Options;
use testkit::Meter;

use super::stage::{Stage, stands_still};
use super::{Case, MIB};

pub(crate) const CASES: &[Case] = &[
    ("200,000 updates to a peer that does not read", || Box::pin(updates())),
    ("large messages to a peer that does not read", || Box::pin(large_messages())),
    ("a slow reader does not keep what it has read", || Box::pin(trickle())),
    ("noise from a peer that does not read", || Box::pin(noise())),
    ("unknown methods from a peer that does not read", || Box::pin(unknown_methods())),
];

const BUDGET: usize = 16 * MIB;

async fn updates() {
    let mut stage = Stage::new(Options::default().outgoing_budget(BUDGET)).await;
    let meter = Meter::new().unwrap();
    let sent = Arc::new(AtomicUsize::new(0));
    let text = "x".repeat(150);
    for _ in 0..4 {
        let (peer, sent, text) = (stage.peer.clone(), Arc::clone(&sent), text.clone());
        tokio::spawn(async move {
            for _ in 0..50_000 {
                peer.notify("update", &[&text]).await.unwrap();
                sent.fetch_add(1, Ordering::Relaxed);
            }
        });
    }
    stands_still(&sent).await;
    assert!(sent.load(Ordering::Relaxed) < 200_000, "the senders must wait");
    meter.stayed_within(BUDGET).unwrap();
    // The answer waits in the queue of the senders.
    stage.serves().await;
}

async fn large_messages() {
    const MESSAGE: usize = 4 * MIB;
    let mut stage = Stage::new(Options::default().outgoing_budget(BUDGET)).await;
    let meter = Meter::new().unwrap();
    let sent = Arc::new(AtomicUsize::new(0));
    let text = Arc::new("x".repeat(MESSAGE));
    for _ in 0..40 {
        let (peer, sent, text) = (stage.peer.clone(), Arc::clone(&sent), Arc::clone(&text));
        tokio::spawn(async move {
            peer.notify("update", &[text.as_str()]).await.unwrap();
            sent.fetch_add(1, Ordering::Relaxed);
        });
    }
    stands_still(&sent).await;
    // The text itself, the budget, and the message that exceeded it.
    meter.stayed_within(MESSAGE + BUDGET + MESSAGE).unwrap();
    stage.serves().await;
    drop(text);
    meter.is_given_back().unwrap();
}

/// Reads a little now and then, so that the queue is always partly written: bytes that have left
/// take no memory.
async fn trickle() {
    let mut stage = Stage::new(Options::default().outgoing_budget(BUDGET)).await;
    let meter = Meter::new().unwrap();
    let sent = Arc::new(AtomicUsize::new(0));
    let (peer, counter, text) = (stage.peer.clone(), Arc::clone(&sent), "x".repeat(150));
    tokio::spawn(async move {
        for _ in 0..400_000 {
            peer.notify("update", &[&text]).await.unwrap();
            counter.fetch_add(1, Ordering::Relaxed);
        }
    });
    for _ in 0..10 {
        stands_still(&sent).await;
        stage.reads(2 * MIB).await;
    }
    meter.stayed_within(BUDGET).unwrap();
    stage.serves().await;
}

async fn noise() {
    let mut stage = Stage::new(Options::default().outgoing_budget(BUDGET)).await;
    let meter = Meter::new().unwrap();
    let taken = stage.flood((0..500_000).map(|_| "noise\n"));
    stands_still(&taken).await;
    assert!(taken.load(Ordering::Relaxed) < 500_000, "the peer must feel it");
    meter.stayed_within(BUDGET).unwrap();
    stage.recovers().await;
}

/// Each of these waits for room like the answer of a handler, so it counts as a request in flight.
async fn unknown_methods() {
    let options =
        Options::default().outgoing_budget(BUDGET / 4).max_in_flight(usize::MAX).in_flight_budget(BUDGET);
    let mut stage = Stage::new(options).await;
    let meter = Meter::new().unwrap();
    let request = |id| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"nothing\"}}\n");
    let taken = stage.flood((0..300_000).map(request));
    stands_still(&taken).await;
    meter.stayed_within(BUDGET + BUDGET / 4).unwrap();
    stage.recovers().await;
}
