//! Output that waits for something else.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use acp_rpc::{CallError, CloseReason, FlushBarrier, Options};
use tokio::sync::Semaphore;
use tokio::task::yield_now;

use crate::common::{Lab, Wire, raw, soon};

/// Takes a permit each time, and counts the permits.
fn permits() -> (FlushBarrier, Arc<Semaphore>, Arc<AtomicUsize>) {
    let (permits, asked) = (Arc::new(Semaphore::new(0)), Arc::<AtomicUsize>::default());
    let (given, count) = (Arc::clone(&permits), Arc::clone(&asked));
    let barrier = FlushBarrier::new(move || {
        count.fetch_add(1, Ordering::SeqCst);
        let given = Arc::clone(&given);
        Some(Box::pin(async move { given.acquire().await.unwrap().forget() }))
    });
    (barrier, permits, asked)
}

/// Lets every task run until nothing moves any more, and checks that nothing came.
async fn nothing_comes(wire: &mut Wire) {
    let settled = async {
        for _ in 0..200 {
            yield_now().await;
        }
    };
    tokio::select! {
        biased;
        line = wire.next() => panic!("{line}"),
        () = settled => {}
    }
}

#[tokio::test]
async fn what_is_held_leaves_together_and_what_comes_later_is_held_anew() {
    let (lab, mut events) = Lab::new();
    let (barrier, permits, asked) = permits();
    let (mut wire, peer, driver) = raw(lab, Options::default().flush_barrier(barrier));
    tokio::spawn(driver);
    nothing_comes(&mut wire).await;
    assert_eq!(asked.load(Ordering::SeqCst), 0, "there was nothing to hold");

    peer.notify("one", &()).await.unwrap();
    peer.notify("two", &()).await.unwrap();
    nothing_comes(&mut wire).await;
    peer.notify("three", &()).await.unwrap();
    // Input still comes in.
    wire.send(r#"{"jsonrpc":"2.0","method":"note","params":"heard"}"#).await;
    assert_eq!(soon("the note", events.recv()).await.unwrap(), r#"note "heard""#);
    nothing_comes(&mut wire).await;

    permits.add_permits(1);
    assert_eq!(wire.next().await, r#"{"jsonrpc":"2.0","method":"one"}"#);
    assert_eq!(wire.next().await, r#"{"jsonrpc":"2.0","method":"two"}"#);
    nothing_comes(&mut wire).await;
    permits.add_permits(1);
    assert_eq!(wire.next().await, r#"{"jsonrpc":"2.0","method":"three"}"#);
    assert_eq!(asked.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn two_holds_wait_for_each_other_and_none_waits_for_nothing() {
    let (lab, _events) = Lab::new();
    let ((one, first, _), (other, second, _)) = (permits(), permits());
    let open = FlushBarrier::new(|| None);
    let (mut wire, peer, driver) =
        raw(lab, Options::default().flush_barrier(open.clone().and(one).and(other).and(open)));
    tokio::spawn(driver);
    peer.notify("held", &()).await.unwrap();
    second.add_permits(1);
    nothing_comes(&mut wire).await;
    first.add_permits(1);
    assert_eq!(wire.next().await, r#"{"jsonrpc":"2.0","method":"held"}"#);
}

#[tokio::test]
async fn an_end_waits_no_longer_than_it_does_for_a_peer_that_does_not_read() {
    let (lab, _events) = Lab::new();
    let (barrier, permits, _) = permits();
    let options = Options::default().drain(Duration::from_millis(50)).flush_barrier(barrier);
    let (wire, peer, driver) = raw(lab, options);
    let driver = tokio::spawn(driver);
    peer.notify("lost", &()).await.unwrap();
    peer.close();
    assert!(matches!(soon("the end", driver).await.unwrap(), CloseReason::Local));
    assert_eq!(wire.finish().await, Vec::<String>::new());
    assert!(matches!(peer.notify("late", &()).await, Err(CallError::Closed(_))));
    assert_eq!(permits.available_permits(), 0);
}
