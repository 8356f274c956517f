//! Slow readers: they make the agent wait, lose nothing, and do not stop each other for ever.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use acp_client::{Connect, Event, Session, Turn};
use serde_json::{Value, json};
use tokio::sync::{Semaphore, mpsc};

use crate::common::{Wire, connected, open, with_session};

/// Twice the size of all buffers: 24 MiB in 96 updates.
const COUNT: usize = 96;
const SIZE: usize = 256 * 1024;

fn plain(connect: Connect) -> Connect {
    connect
}

/// Sends the flood and the answer, and counts the messages that were sent.
fn flood(
    mut wire: Wire,
    sessions: &[(&'static str, Value)],
    sent: &Arc<AtomicUsize>,
) -> tokio::task::JoinHandle<Wire> {
    let (sessions, sent) = (sessions.to_vec(), Arc::clone(sent));
    tokio::spawn(async move {
        let block = "x".repeat(SIZE);
        for n in 0..COUNT {
            for (session, _) in &sessions {
                wire.text(session, &format!("{n} {block}")).await;
            }
            sent.fetch_add(1, Ordering::SeqCst);
        }
        for (_, request) in &sessions {
            wire.answer(request, json!({"stopReason": "end_turn"})).await;
        }
        wire
    })
}

fn is_number(event: &Event, number: usize) -> bool {
    event.text().is_some_and(|text| text.starts_with(&format!("{number} ")))
}

/// Lets all tasks run that can.
async fn settle(sent: &AtomicUsize) -> usize {
    loop {
        let before = sent.load(Ordering::SeqCst);
        for _ in 0..1000 {
            tokio::task::yield_now().await;
        }
        if sent.load(Ordering::SeqCst) == before {
            return before;
        }
    }
}

async fn prompt(session: &Session, wire: &mut Wire) -> (Turn, Value) {
    let (turn, request) = tokio::join!(session.prompt("go"), wire.expect("session/prompt"));
    (turn.expect("sent"), request)
}

#[tokio::test]
async fn a_turn_that_is_read_slowly_is_whole() {
    let (session, mut wire) = with_session(plain).await;
    let (mut turn, request) = prompt(&session, &mut wire).await;
    let sent = Arc::new(AtomicUsize::new(0));
    let agent = flood(wire, &[("s1", request)], &sent);
    for seen in 0..COUNT {
        // The agent gets as far as it can before each of the first ones is read.
        if seen < 4 {
            let ahead = settle(&sent).await - seen;
            assert!(ahead < COUNT * 3 / 4, "the agent has to wait: it is {ahead} updates ahead");
        }
        assert!(is_number(&turn.next().await.expect("it comes"), seen), "in order, without a gap");
    }
    assert!(turn.next().await.is_none());
    turn.finish().await.expect("ends well");
    agent.await.expect("the agent was not disturbed");
}

#[tokio::test]
async fn a_stream_of_updates_that_is_read_slowly_is_whole() {
    let (session, wire) = with_session(plain).await;
    let mut updates = session.updates();
    let sent = Arc::new(AtomicUsize::new(0));
    let agent = flood(wire, &[("s1", json!({"id": null}))], &sent);
    let ahead = settle(&sent).await;
    assert!(ahead < COUNT * 3 / 4, "the agent has to wait: it is {ahead} updates ahead");
    for seen in 0..COUNT {
        assert!(is_number(&updates.next().await.expect("it comes"), seen));
    }
    agent.await.expect("the agent was not disturbed");
}

#[tokio::test]
async fn a_handler_that_is_slow_slows_the_agent_and_sees_all() {
    let gate = Arc::new(Semaphore::new(0));
    let (tell, mut told) = mpsc::unbounded_channel();
    let open_gate = Arc::clone(&gate);
    let (session, mut wire) = with_session(move |connect| {
        connect.on_update(move |update| {
            let (gate, tell) = (Arc::clone(&gate), tell.clone());
            async move {
                gate.acquire().await.expect("open").forget();
                let _ = tell.send(Event::from(update.update));
            }
        })
    })
    .await;
    let (mut turn, request) = prompt(&session, &mut wire).await;
    let sent = Arc::new(AtomicUsize::new(0));
    let agent = flood(wire, &[("s1", request)], &sent);
    // The turn is read as fast as possible: the agent waits for the handler.
    let reading = tokio::spawn(async move {
        let mut seen = 0;
        while let Some(event) = turn.next().await {
            assert!(is_number(&event, seen));
            seen += 1;
        }
        turn.finish().await.expect("ends well");
        seen
    });
    let ahead = settle(&sent).await;
    assert!(ahead < COUNT * 3 / 4, "the agent has to wait: it is {ahead} updates ahead");
    open_gate.add_permits(COUNT);
    for seen in 0..COUNT {
        assert!(is_number(&told.recv().await.expect("it comes"), seen));
    }
    assert_eq!(reading.await.expect("ran"), COUNT);
    agent.await.expect("the agent was not disturbed");
}

#[tokio::test]
async fn sessions_that_are_read_at_different_speeds_are_all_whole() {
    let (agent, mut wire) = connected(plain, json!({})).await;
    let quick = open(&agent, &mut wire, json!({"sessionId": "s1"})).await;
    let slow = open(&agent, &mut wire, json!({"sessionId": "s2"})).await;
    let (mut quick_turn, quick_request) = prompt(&quick, &mut wire).await;
    let (mut slow_turn, slow_request) = prompt(&slow, &mut wire).await;
    let sent = Arc::new(AtomicUsize::new(0));
    let flooding = flood(wire, &[("s1", quick_request), ("s2", slow_request)], &sent);
    let quick = tokio::spawn(async move {
        for seen in 0..COUNT {
            assert!(is_number(&quick_turn.next().await.expect("it comes"), seen));
        }
        quick_turn.finish().await.expect("ends well");
    });
    for seen in 0..COUNT {
        if seen < 4 {
            assert!(settle(&sent).await < COUNT * 3 / 4, "the agent has to wait for the slow one");
        }
        assert!(is_number(&slow_turn.next().await.expect("it comes"), seen));
    }
    slow_turn.finish().await.expect("ends well");
    quick.await.expect("read");
    flooding.await.expect("the agent was not disturbed");
}

#[tokio::test]
async fn what_all_unread_sessions_keep_is_bounded_and_one_that_is_read_loses_nothing() {
    let (agent, mut wire) = connected(plain, json!({})).await;
    let mut unread = Vec::new();
    for n in 0..20 {
        unread.push(open(&agent, &mut wire, json!({"sessionId": format!("unread {n}")})).await);
    }
    let read = open(&agent, &mut wire, json!({"sessionId": "read"})).await;
    let (turn, request) = tokio::join!(read.prompt("go"), wire.expect("session/prompt"));
    let mut turn = turn.expect("sent");
    // Each is less than a session may keep alone, and together they are 70 MiB.
    let block = "x".repeat(512 * 1024);
    for session in &unread {
        for _ in 0..7 {
            wire.text(session.id().as_str(), &block).await;
        }
        wire.text("read", session.id().as_str()).await;
    }
    wire.answer(&request, json!({"stopReason": "end_turn"})).await;
    let mut heard = Vec::new();
    while let Some(event) = turn.next().await {
        heard.push(event.text().expect("nothing is missed").to_owned());
    }
    assert_eq!(heard, unread.iter().map(|session| session.id().to_string()).collect::<Vec<_>>());
    let mut kept = Vec::new();
    for session in &unread {
        kept.push(left(session, &mut wire).await);
    }
    // The sessions that were unread for longest have lost events, and report it.
    let mut whole = kept.iter().map(|(missed, texts)| (*missed, *texts)).skip_while(|(_, texts)| *texts == 0);
    let (missed, texts) = whole.next().expect("some keep something");
    assert_eq!(missed + texts, 7);
    assert!(whole.all(|kept| kept == (0, 7)), "{kept:?}");
    assert!(kept.iter().all(|(missed, texts)| missed + texts == 7), "{kept:?}");
    let sum: u64 = kept.iter().map(|(_, texts)| texts).sum();
    assert!((120..128).contains(&sum), "64 MiB are kept, in halves of one: {sum}");

    // Reading has made room.
    for session in &unread {
        for _ in 0..3 {
            wire.text(session.id().as_str(), &block).await;
        }
    }
    for session in &unread {
        assert_eq!(left(session, &mut wire).await, (0, 3));
    }
}

/// Returns the number of missed events of a session, and of those that are there.
async fn left(session: &Session, wire: &mut Wire) -> (u64, u64) {
    let (turn, request) = tokio::join!(session.prompt("go"), wire.expect("session/prompt"));
    wire.answer(&request, json!({"stopReason": "end_turn"})).await;
    let (mut turn, mut left) = (turn.expect("sent"), (0, 0));
    while let Some(event) = turn.next().await {
        match event {
            Event::Missed(missed) => left.0 += missed,
            _ => left.1 += 1,
        }
    }
    left
}
