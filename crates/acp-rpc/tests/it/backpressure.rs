//! Budgets: queues are bounded, and a sender that fills one waits.

mod pipelined;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use acp_rpc::layer::Concurrency;
use acp_rpc::{CallError, Options, Transport, connect};
use tokio::task::yield_now;

use crate::common::{Lab, raw, raw_with_capacity, soon};

const PIPE: usize = 256;

/// Lets every task run until nothing moves any more: on one thread, a few rounds are plenty.
async fn settle() {
    for _ in 0..200 {
        yield_now().await;
    }
}

#[tokio::test]
async fn senders_wait_while_the_peer_does_not_read_and_go_on_in_order() {
    const BUDGET: usize = 4096;
    let (lab, _events) = Lab::new();
    let options = Options::default().outgoing_budget(BUDGET);
    let (mut wire, peer, driver) = raw_with_capacity(lab, options, PIPE);
    tokio::spawn(driver);
    let text = "x".repeat(200);
    let sent = Arc::new(AtomicUsize::new(0));
    let senders: Vec<_> = (0..500)
        .map(|number| {
            let (peer, text, sent) = (peer.clone(), text.clone(), Arc::clone(&sent));
            tokio::spawn(async move {
                peer.notify("update", &(number, text)).await.unwrap();
                sent.fetch_add(1, Ordering::Relaxed);
            })
        })
        .collect();
    settle().await;
    let line = r#"{"jsonrpc":"2.0","method":"update","params":[0,""]}"#.len() + text.len();
    let taken = sent.load(Ordering::Relaxed) * line;
    assert!(taken >= BUDGET, "{taken} bytes were taken");
    assert!(taken <= PIPE + BUDGET + 2 * (line + 4), "{taken} bytes were taken");
    for number in 0..500 {
        assert!(wire.next().await.contains(&format!(r#""params":[{number},"#)), "out of order at {number}");
    }
    for sender in senders {
        soon("a sender", sender).await.unwrap();
    }
}

#[tokio::test]
async fn requests_and_answers_of_handlers_wait_like_notifications() {
    let (lab, _events) = Lab::new();
    let options = Options::default().outgoing_budget(1000);
    let (mut wire, peer, driver) = raw_with_capacity(lab, options, PIPE);
    tokio::spawn(driver);
    let text = "x".repeat(400);
    for id in 0..20 {
        wire.send(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"echo","params":["{text}"]}}"#)).await;
    }
    settle().await;
    let request = tokio::spawn(async move { peer.request::<_, i64>("ask", &()).await });
    settle().await;
    for id in 0..20 {
        assert_eq!(wire.next().await, format!(r#"{{"jsonrpc":"2.0","id":{id},"result":["{text}"]}}"#));
    }
    assert_eq!(wire.next().await, r#"{"jsonrpc":"2.0","id":0,"method":"ask"}"#);
    wire.send(r#"{"jsonrpc":"2.0","id":0,"result":1}"#).await;
    assert_eq!(soon("the answer", request).await.unwrap().unwrap(), 1);
}

#[tokio::test]
async fn answers_that_have_waited_for_room_are_the_same() {
    let (lab, _events) = Lab::new();
    let options = Options::default().outgoing_budget(100);
    let (mut wire, peer, driver) = raw_with_capacity(lab.clone(), options, PIPE);
    tokio::spawn(driver);
    peer.notify("big", &["x".repeat(1000)]).await.unwrap();
    for (id, method) in ["unwritable", "fail", "panic", "echo", "after"].into_iter().enumerate() {
        wire.send(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":[{id}]}}"#)).await;
    }
    settle().await;
    assert!(wire.next().await.contains("big"));
    let expected = [
        r#""id":0,"error":{"code":-32603,"message":"the result cannot be written as JSON"}}"#,
        r#""id":1,"error":{"code":-32602,"message":"no good","data":[1]}}"#,
        r#""id":2,"error":{"code":-32603,"message":"#,
        r#""id":3,"result":[3]}"#,
        r#""id":4,"result":{}}"#,
        r#""method":"followed"}"#,
    ];
    for expected in expected {
        let line = wire.next().await;
        assert!(line.contains(expected), "{line} instead of {expected}");
    }
    assert_eq!(lab.faults().len(), 2, "{:?}", lab.faults());
}

#[tokio::test]
async fn a_sender_that_gives_up_lets_the_next_one_through() {
    let (lab, _events) = Lab::new();
    let options = Options::default().outgoing_budget(100);
    let (mut wire, peer, driver) = raw_with_capacity(lab, options, PIPE);
    tokio::spawn(driver);
    let big = "x".repeat(1000);
    peer.notify("big", &[&big]).await.unwrap();
    settle().await;
    let waiting = |text: &'static str| {
        let peer = peer.clone();
        tokio::spawn(async move { peer.notify("small", &[text]).await.unwrap() })
    };
    let (impatient, patient) = (waiting("impatient"), waiting("patient"));
    settle().await;
    impatient.abort();
    settle().await;
    assert!(wire.next().await.contains("big"));
    assert_eq!(wire.next().await, r#"{"jsonrpc":"2.0","method":"small","params":["patient"]}"#);
    patient.await.unwrap();
}

#[tokio::test]
async fn what_is_tried_leaves_at_once_or_not_at_all() {
    let (lab, _events) = Lab::new();
    let (mut wire, peer, driver) = raw_with_capacity(lab, Options::default().outgoing_budget(100), PIPE);
    let big = "x".repeat(1000);
    assert!(peer.try_notify("first", &[&big]).unwrap(), "one message fits, however large");
    assert!(!peer.try_notify("never", &()).unwrap(), "there is no room");
    let waiting = tokio::spawn({
        let peer = peer.clone();
        async move { peer.notify("second", &()).await }
    });
    settle().await;
    let driver = tokio::spawn(driver);
    assert!(wire.next().await.contains("first"));
    assert!(wire.next().await.contains("second"));
    soon("the one that waited", waiting).await.unwrap().unwrap();
    assert!(peer.try_notify("third", &()).unwrap());
    assert!(wire.next().await.contains("third"));
    peer.close();
    soon("the end", driver).await.unwrap();
    assert!(matches!(peer.try_notify("late", &()), Err(CallError::Closed(_))));

    let (lab, _events) = Lab::new();
    let (_wire, peer, _driver) = raw(lab, Options::default().layer_out(Concurrency::new(1)));
    assert!(!peer.try_notify("past layers", &()).unwrap());
}

#[tokio::test]
async fn a_message_larger_than_the_budget_is_sent() {
    let (lab, _events) = Lab::new();
    let options = Options::default().outgoing_budget(10);
    let (mut wire, peer, driver) = raw_with_capacity(lab, options, PIPE);
    tokio::spawn(driver);
    let big = "x".repeat(100_000);
    let sender = tokio::spawn(async move {
        peer.notify("one", &[&big]).await.unwrap();
        peer.notify("two", &[&big]).await.unwrap();
    });
    assert!(wire.next().await.len() > 100_000);
    assert!(wire.next().await.contains("two"));
    soon("the sender", sender).await.unwrap();
}

#[tokio::test]
async fn the_reader_pauses_while_it_cannot_refuse_what_it_reads() {
    const BUDGET: usize = 2000;
    let (lab, _events) = Lab::new();
    let options = Options::default().outgoing_budget(BUDGET);
    let (wire, _peer, driver) = raw_with_capacity(lab.clone(), options, PIPE);
    tokio::spawn(driver);
    let wire = Arc::new(tokio::sync::Mutex::new(wire));
    let flood = {
        let wire = Arc::clone(&wire);
        tokio::spawn(async move {
            let mut wire = wire.lock_owned().await;
            for _ in 0..1000 {
                wire.send("noise").await;
            }
        })
    };
    settle().await;
    // All refusals so far are in the output buffer or in the pipe, except for one line.
    let refused = lab.faults().len();
    assert!(refused > 0 && refused <= (BUDGET + PIPE) / 80 + 2, "{refused} lines were refused");
    assert!(!flood.is_finished(), "the peer must feel it");
    flood.abort();
    let _ = flood.await;
    let mut wire = wire.lock_owned().await;
    for _ in 0..refused {
        assert!(wire.next().await.contains("-32700"));
    }
    wire.send("").await;
    wire.send(r#"{"jsonrpc":"2.0","id":1,"method":"empty"}"#).await;
    while wire.next().await != r#"{"jsonrpc":"2.0","id":1,"result":{}}"# {}
}

fn note(number: usize) -> String {
    let filler = "x".repeat(100);
    format!(
        r#"{{"jsonrpc":"2.0","method":"lane","params":{{"lane":"a","text":"{number}","filler":"{filler}"}}}}"#
    )
}

#[tokio::test]
async fn the_reader_pauses_while_the_jobs_of_lanes_are_slow() {
    const BUDGET: usize = 2000;
    let (lab, mut events) = Lab::new();
    let options = Options::default().incoming_budget(BUDGET);
    let (mut wire, _peer, driver) = raw_with_capacity(lab.clone(), options, PIPE);
    tokio::spawn(driver);
    let sent = Arc::new(AtomicUsize::new(0));
    let flood = {
        let sent = Arc::clone(&sent);
        tokio::spawn(async move {
            for number in 0..500 {
                wire.send(note(number)).await;
                sent.fetch_add(1, Ordering::Relaxed);
            }
            wire
        })
    };
    settle().await;
    // A message weighs more than its line. Above the budget there are one message and the content
    // of the pipe.
    let bytes = sent.load(Ordering::Relaxed) * note(0).len();
    assert!((PIPE..BUDGET + PIPE).contains(&bytes), "{bytes} bytes were taken");
    assert!(!flood.is_finished());
    lab.gate.add_permits(500);
    for number in 0..500 {
        assert_eq!(soon("a job", events.recv()).await.unwrap(), number.to_string());
    }
    soon("the flood's end", flood).await.unwrap();
}

#[tokio::test]
async fn a_waiting_request_keeps_the_reader_going() {
    let (lab, _events) = Lab::new();
    let options = Options::default().incoming_budget(100);
    let (mut wire, peer, driver) = raw_with_capacity(lab, options, 64 * 1024);
    tokio::spawn(driver);
    for number in 0..10 {
        wire.send(note(number)).await;
    }
    settle().await;
    // The budget is full, and its jobs do not move. An answer and a cancel get through all the
    // same.
    let call = tokio::spawn(async move { peer.request::<_, i64>("ask", &()).await.unwrap() });
    assert_eq!(wire.next().await, r#"{"jsonrpc":"2.0","id":0,"method":"ask"}"#);
    wire.send(r#"{"jsonrpc":"2.0","id":0,"result":7}"#).await;
    assert_eq!(soon("the answer", call).await.unwrap(), 7);
}

#[tokio::test]
async fn a_request_that_waits_does_not_open_the_flood_gates_for_ever() {
    const BUDGET: usize = 2000;
    const CEILING: usize = 16_000;
    let (lab, mut events) = Lab::new();
    let options = Options::default().incoming_budget(BUDGET).incoming_ceiling(CEILING);
    let (mut wire, peer, driver) = raw_with_capacity(lab.clone(), options, PIPE);
    tokio::spawn(driver);
    let call = tokio::spawn(async move { peer.request::<_, i64>("ask", &()).await.unwrap_err() });
    assert_eq!(wire.next().await, r#"{"jsonrpc":"2.0","id":0,"method":"ask"}"#);
    let sent = Arc::new(AtomicUsize::new(0));
    let flood = {
        let sent = Arc::clone(&sent);
        tokio::spawn(async move {
            for number in 0..2000 {
                wire.send(note(number)).await;
                sent.fetch_add(1, Ordering::Relaxed);
            }
            wire
        })
    };
    let error = soon("the end of the call", call).await.unwrap();
    assert_eq!(
        error.to_string(),
        "`ask` failed, because too much came in before its answer: \
         handle messages sooner, or raise `incoming_ceiling`"
    );
    settle().await;
    let bytes = sent.load(Ordering::Relaxed) * note(0).len();
    assert!((BUDGET + PIPE..CEILING + PIPE).contains(&bytes), "{bytes} bytes were taken");
    assert!(!flood.is_finished());
    lab.gate.add_permits(2000);
    for number in 0..2000 {
        assert_eq!(soon("a job", events.recv()).await.unwrap(), number.to_string());
    }
    // The peer got the cancel, a late answer has no effect, and the connection serves.
    let mut wire = soon("the flood's end", flood).await.unwrap();
    assert_eq!(
        wire.next().await,
        r#"{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":0}}"#
    );
    wire.send(r#"{"jsonrpc":"2.0","id":0,"result":7}"#).await;
    wire.send(r#"{"jsonrpc":"2.0","id":1,"method":"empty"}"#).await;
    assert_eq!(wire.next().await, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    assert!(lab.faults().is_empty());
}

#[tokio::test]
async fn a_message_whose_values_take_too_much_memory_is_not_read() {
    let (lab, _events) = Lab::new();
    let options = Options::default().max_message(20_000);
    let (mut wire, peer, driver) = raw_with_capacity(lab.clone(), options, 64 * 1024);
    tokio::spawn(driver);
    let dense = format!("[{}]", ["[0]"; 500].join(","));
    let long = "x,[{".repeat(1000);
    let refusal = |id| {
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32600,"message":"the values of the message take more than 20000 bytes of memory"}}}}"#
        )
    };
    wire.send(format!(r#"{{"jsonrpc":"2.0","id":7,"method":"echo","params":{dense}}}"#)).await;
    assert_eq!(wire.next().await, refusal("7"));
    wire.send(&dense).await;
    assert_eq!(wire.next().await, refusal("null"));
    // Only the values count: a text may be long, and contain anything.
    wire.send(format!(r#"{{"jsonrpc":"2.0","id":8,"method":"echo","params":["{long}"]}}"#)).await;
    assert_eq!(wire.next().await, format!(r#"{{"jsonrpc":"2.0","id":8,"result":["{long}"]}}"#));
    wire.send(format!("[{dense}")).await;
    assert_eq!(wire.next().await, refusal("null"));
    wire.send(format!("[\"{long}\" {long}")).await;
    assert!(wire.next().await.contains("-32700"));
    // A caller does not wait for ever for such an answer.
    let call = tokio::spawn(async move { peer.request::<_, i64>("ask", &()).await.unwrap_err() });
    assert!(wire.next().await.contains("ask"));
    wire.send(format!(r#"{{"jsonrpc":"2.0","id":0,"result":{dense}}}"#)).await;
    let error = soon("the end of the call", call).await.unwrap().to_string();
    assert!(error.contains("its values take more memory than the limit"), "{error}");
    assert_eq!(
        lab.faults()[0],
        "a line was skipped, because its values would take more memory than the limit of 20000 bytes (2051 bytes long)"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_in_both_directions_with_full_queues_do_not_deadlock() {
    // Every job calls back and every queue is tiny, on both sides at once.
    let options = || Options::default().outgoing_budget(500).incoming_budget(500);
    let ((left, mut left_events), (right, mut right_events)) = (Lab::new(), Lab::new());
    let (near, far) = tokio::io::duplex(PIPE);
    let (here, driver) = connect(Transport::from_stream(near), left, options());
    let (there, other) = connect(Transport::from_stream(far), right, options());
    tokio::spawn(driver);
    tokio::spawn(other);
    for peer in [here, there] {
        tokio::spawn(async move {
            for _ in 0..500 {
                peer.notify("lane_that_calls", &["filler to fill the queues with, and some more"])
                    .await
                    .unwrap();
            }
        });
    }
    for _ in 0..500 {
        assert_eq!(soon("a job on the left", left_events.recv()).await.unwrap(), "2 1 bottom");
        assert_eq!(soon("a job on the right", right_events.recv()).await.unwrap(), "2 1 bottom");
    }
}
