//! Two sides that wait for each other with full queues: findings of a simulation, each as small as
//! possible.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use acp_json::Node;
use acp_rpc::{CallError, Delivery, Error, Options, Peer, Reply, Request, Service, Task, Transport, connect};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;

use crate::common::{raw_with_capacity, soon};

/// The bytes that the pipe takes in each direction: very few.
const PIPE: usize = 100;
const FILLER: &str = "filler to fill the queues with, and then some more of it, until they are full";

/// At their end, the jobs of its lane notify the peer, and then the test.
struct Teller {
    done: UnboundedSender<Result<(), CallError>>,
}

impl Service for Teller {
    fn request(&self, _: &str, _: Node<'_>, request: Request) -> Result<Task, Error> {
        Ok(Box::pin(async move {
            request.cancel.cancelled().await;
            Ok(Reply::empty())
        }))
    }

    fn notification(&self, method: &str, _: Node<'_>, peer: &Peer) -> Delivery {
        let (peer, done) = (peer.clone(), self.done.clone());
        match method {
            "work" => Delivery::Lane {
                lane: "work".into(),
                job: Box::pin(async move {
                    let sent = peer.notify("sent", &[FILLER]).await;
                    let _ = done.send(sent);
                }),
            },
            _ => Delivery::Ignore,
        }
    }
}

fn pair(options: &Options) -> ([Peer; 2], [UnboundedReceiver<Result<(), CallError>>; 2]) {
    let (near, far) = tokio::io::duplex(PIPE);
    let ((left, left_done), (right, right_done)) = (unbounded_channel(), unbounded_channel());
    let (here, driver) = connect(Transport::from_stream(near), Teller { done: left }, options.clone());
    let (there, other) = connect(Transport::from_stream(far), Teller { done: right }, options.clone());
    tokio::spawn(driver);
    tokio::spawn(other);
    ([here, there], [left_done, right_done])
}

fn work_for_both(peers: &[Peer; 2], jobs: usize) {
    for peer in peers.clone() {
        tokio::spawn(async move {
            for _ in 0..jobs {
                let _ = peer.notify("work", &[FILLER]).await;
            }
        });
    }
}

#[tokio::test]
async fn jobs_of_lanes_may_notify_in_both_directions_with_full_queues() {
    let options = Options::default().outgoing_budget(500).incoming_budget(500);
    let (peers, mut done) = pair(&options);
    work_for_both(&peers, 300);
    for _ in 0..300 {
        for done in &mut done {
            soon("a job", done.recv()).await.unwrap().unwrap();
        }
    }
}

#[tokio::test]
async fn at_the_ceiling_a_job_that_waits_for_room_is_given_up() {
    let (done, mut outcomes) = unbounded_channel();
    let options = Options::default().outgoing_budget(500).incoming_budget(500).incoming_ceiling(5000);
    let (mut wire, peer, driver) = raw_with_capacity(Teller { done }, options, PIPE);
    tokio::spawn(driver);
    // The peer does not read. The message of the first job finds no room, while more messages come
    // in.
    peer.notify_now("full", &"x".repeat(1000)).unwrap();
    let flood = tokio::spawn(async move {
        for _ in 0..100 {
            wire.send(r#"{"jsonrpc":"2.0","method":"work"}"#).await;
        }
        wire
    });
    let sent = soon("the first job", outcomes.recv()).await.unwrap();
    assert!(matches!(sent, Err(CallError::Overloaded { method }) if method == "sent"));
    // Then the reader goes on. When the peer reads, everything goes on.
    let mut wire = soon("the end of the flood", flood).await.unwrap();
    assert!(wire.next().await.contains("full"));
    while !matches!(soon("a job", outcomes.recv()).await.unwrap(), Ok(())) {}
    assert!(wire.next().await.contains("sent"));
}

#[tokio::test]
async fn requests_refused_on_both_sides_do_not_stop_either_reader() {
    // One request is accepted and stays open. The reader refuses all others.
    let options = Options::default().outgoing_budget(500).max_in_flight(1);
    let (peers, _done) = pair(&options);
    let refused = Arc::new(AtomicUsize::new(0));
    let mut calls = JoinSet::new();
    for peer in peers.clone() {
        let mut first = Box::pin(peer.begin::<_, i64>(None, "first", &())).await.map(Box::new).unwrap();
        for _ in 0..200 {
            let (peer, refused) = (peer.clone(), Arc::clone(&refused));
            calls.spawn(async move {
                let error = peer.request::<_, i64>("more", &[FILLER]).await.unwrap_err();
                assert_eq!(error.remote().map(|error| error.code), Some(Error::INTERNAL_ERROR));
                refused.fetch_add(1, Ordering::Relaxed);
            });
        }
        calls.spawn(async move {
            let _ = (&mut first).await;
        });
    }
    while refused.load(Ordering::Relaxed) < 400 {
        soon("a refusal", calls.join_next()).await.unwrap().unwrap();
    }
}
