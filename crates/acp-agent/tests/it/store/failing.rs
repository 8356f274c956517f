//! Stores that are slow, or fail.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use acp_agent::store::{Journal, SessionStore};
use acp_agent::types::{SessionId, SessionMode, SessionModeState};
use acp_agent::{Client, NewSession, Opened, Result, Router, StopReason, Turn, op};
use serde_json::json;

use crate::store::wrapped::{Slow, Wrapped};
use crate::store::{agent, load, named, texts};
use crate::support::{Wire, check_error};

#[tokio::test]
async fn a_turn_is_durable_when_it_is_answered() {
    let folder = tempfile::tempdir().unwrap();
    let store = Slow::around(Journal::at(folder.path()), false);
    let (mut wire, session) = Wire::open(agent(store.clone()), json!({})).await;
    for _ in 0..20 {
        store.committed.store(false, Ordering::SeqCst);
        wire.turn(&session, "one\ntwo").await;
        assert!(store.committed.load(Ordering::SeqCst));
    }
    // Another process can read the whole session now.
    let mut records = Journal::at(folder.path()).read(&SessionId::from(session)).await.unwrap();
    let mut count = 0;
    loop {
        match records.next().await.unwrap().len() {
            0 => break,
            more => count += more,
        }
    }
    assert_eq!(count, 60);
    wire.close().await;
}

/// Reports that it opens a session, and never returns.
async fn stuck(_: &(), open: NewSession, client: Client) -> Result<Opened<()>> {
    if open.is_new() {
        return Ok(Opened::new(()));
    }
    client.ext_notify("_opening", &json!({})).await?;
    std::future::pending().await
}

#[tokio::test]
async fn a_session_that_is_half_open_is_closed_with_the_connection() {
    let folder = tempfile::tempdir().unwrap();
    let store = Slow::around(Journal::at(folder.path()), false);
    let agent = Router::new("stuck", "1", ())
        .on::<op::NewSession, _>(stuck)
        .on::<op::Prompt, _>(much)
        .store(store.clone());
    let agent = Arc::new(agent);
    let mut wire = Wire::serve_through(Arc::clone(&agent), 1024 * 1024);
    wire.initialize(json!({})).await;
    let session = wire.new_session().await;
    wire.close().await;
    assert!(store.committed.swap(false, Ordering::SeqCst), "an open one");

    let mut wire = Wire::serve_through(agent, 1024 * 1024);
    wire.initialize(json!({})).await;
    wire.request("session/resume", named("session/resume", &session)).await;
    assert_eq!(wire.recv().await["method"], "_opening");
    wire.close().await;
    assert!(store.committed.load(Ordering::SeqCst), "a half open one");
    // Another connection can open it.
    Journal::at(folder.path()).open(&SessionId::from(session)).await.unwrap();
}

/// Says 100 KiB, a hundred times.
async fn much(_: &(), turn: Turn) -> Result<StopReason> {
    for _ in 0..100 {
        turn.say("x".repeat(100 * 1024)).await?;
    }
    Ok(StopReason::EndTurn)
}

#[tokio::test]
async fn a_turn_waits_for_a_store_that_is_behind() {
    let folder = tempfile::tempdir().unwrap();
    let store = Slow::around(Journal::at(folder.path()), false);
    let agent = Router::new("much", "1", ()).on::<op::Prompt, _>(much).store(store.clone());
    let mut wire = Wire::serve_through(Arc::new(agent), 64 * 1024 * 1024);
    wire.initialize(json!({})).await;
    let session = wire.new_session().await;
    store.stop();
    let prompt = wire.prompt(&session, "go").await;
    // The pipe has room for all updates. The store takes no more than 1 MiB and one update, so that
    // eleven come.
    for _ in 0..11 {
        wire.update().await;
    }
    wire.notify("session/cancel", json!({"sessionId": session})).await;
    // The agent has read the cancel before it answers this request. The turn was waiting for the
    // store, and says nothing more.
    assert_eq!(wire.call("session/list", json!({})).await["result"]["sessions"][0]["sessionId"], session);
    store.go_on(false);
    let answer = wire.recv().await;
    assert_eq!((&answer["id"], &answer["result"]["stopReason"]), (&json!(prompt), &json!("cancelled")));
    assert_eq!(load(&mut wire, &session).await.len(), 12);
    wire.close().await;
}

#[tokio::test]
async fn updates_leave_when_a_store_that_writes_ahead_has_them() {
    let folder = tempfile::tempdir().unwrap();
    let store = Slow::around(Journal::at(folder.path()), true);
    let (mut wire, session) = Wire::open(agent(store.clone()), json!({})).await;
    store.stop();
    let prompt = wire.prompt(&session, "one\ntwo").await;
    let settled = async {
        for _ in 0..1000 {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        biased;
        early = wire.recv() => panic!("{early}"),
        () = settled => {}
    }
    store.go_on(false);
    assert_eq!((wire.said().await, wire.said().await), ("one".to_owned(), "two".to_owned()));
    assert_eq!(wire.answer_to(prompt).await["result"]["stopReason"], "end_turn");
    wire.close().await;
}

/// Says the lines of its prompt, and waits at `ask` for the client. Counts its runs.
async fn told(runs: &Arc<AtomicUsize>, turn: Turn) -> Result<StopReason> {
    runs.fetch_add(1, Ordering::SeqCst);
    for line in turn.text().lines() {
        match line {
            "ask" => {
                // Reading the history waits until the earlier updates are written, or lost.
                let _ = turn.history().await;
                turn.ext_request::<()>("_go", &json!({})).await?;
            }
            line => turn.say(line).await?,
        }
    }
    Ok(StopReason::EndTurn)
}

fn told_agent(store: Wrapped<Slow>, runs: &Arc<AtomicUsize>) -> Router<Arc<AtomicUsize>> {
    Router::new("told", "1", Arc::clone(runs)).on::<op::Prompt, _>(told).store(store)
}

/// Runs the checks on both runtimes, with stores that write ahead and with others.
macro_rules! on_both {
    ($($check:ident as $name:ident;)*) => {$(
        mod $name {
            #[tokio::test]
            async fn on_one_thread() {
                super::$check(false).await;
                super::$check(true).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn on_several_threads() {
                super::$check(false).await;
                super::$check(true).await;
            }
        }
    )*};
}

on_both! {
    check_refusing as a_prompt_is_refused_while_the_store_cannot_write;
    check_breaking as a_turn_that_cannot_be_kept_fails_and_the_next_ones_are_kept;
    check_cancelled as a_cancelled_turn_is_answered_so_while_the_store_cannot_write;
}

async fn check_refusing(ahead: bool) {
    let folder = tempfile::tempdir().unwrap();
    let store = Slow::around(Journal::at(folder.path()), ahead);
    let runs = Arc::default();
    let (mut wire, session) = Wire::open(told_agent(store.clone(), &runs), json!({})).await;
    for round in 1..=2 {
        store.broken.store(true, Ordering::SeqCst);
        if !ahead {
            // The library notices a broken store only when a write fails.
            check_error(&wire.turn(&session, "two").await.1, -32603, &["the disk is full"]);
            runs.fetch_sub(1, Ordering::SeqCst);
        }
        for _ in 0..2 {
            let (updates, answer) = wire.turn(&session, "two").await;
            assert!(updates.is_empty(), "{updates:?}");
            check_error(&answer, -32603, &["the disk is full"]);
            // The stored part can be loaded meanwhile.
            assert_eq!(load(&mut wire, &session).await.len(), 2 * (round - 1));
            let resumed = wire.call("session/resume", named("session/resume", &session)).await;
            assert!(resumed.get("result").is_some(), "{resumed}");
        }
        store.broken.store(false, Ordering::SeqCst);
        assert_eq!(wire.turn(&session, "one").await.1["result"]["stopReason"], "end_turn");
        assert_eq!(runs.load(Ordering::SeqCst), round);
        assert_eq!(load(&mut wire, &session).await.len(), 2 * round);
    }
    // The title comes from the first prompt that was kept.
    let list = wire.call("session/list", json!({})).await;
    assert_eq!(list["result"]["sessions"][0]["title"], "one");
    assert!(wire.call("session/close", json!({"sessionId": session})).await.get("result").is_some());
    wire.close().await;
}

async fn check_breaking(ahead: bool) {
    let folder = tempfile::tempdir().unwrap();
    let store = Slow::around(Journal::at(folder.path()), ahead);
    let runs = Arc::default();
    let (mut wire, session) = Wire::open(told_agent(store.clone(), &runs), json!({})).await;
    for _ in 0..2 {
        let prompt = wire.prompt(&session, "kept\nask\nlost\nask\nafter it").await;
        assert_eq!(wire.said().await, "kept");
        let asked = wire.asked("_go").await;
        store.broken.store(true, Ordering::SeqCst);
        wire.answer(&asked, json!(null)).await;
        assert_eq!(wire.said().await, "lost");
        let asked = wire.asked("_go").await;
        // The store works again. But records after the lost ones are not written.
        store.broken.store(false, Ordering::SeqCst);
        wire.answer(&asked, json!(null)).await;
        assert_eq!(wire.said().await, "after it");
        check_error(&wire.answer_to(prompt).await, -32603, &["the disk is full"]);
        assert_eq!(wire.turn(&session, "next").await.1["result"]["stopReason"], "end_turn");
    }
    let loaded = load(&mut wire, &session).await;
    let (asked, next) = (("user", "kept\nask\nlost\nask\nafter it"), ("user", "next"));
    let expected = [asked, ("agent", "kept"), next, ("agent", "next")];
    assert_eq!(texts(&loaded), [expected, expected].concat());
    wire.close().await;
}

async fn check_cancelled(ahead: bool) {
    let folder = tempfile::tempdir().unwrap();
    let store = Slow::around(Journal::at(folder.path()), ahead);
    let runs = Arc::default();
    let (mut wire, session) = Wire::open(told_agent(store.clone(), &runs), json!({})).await;
    for by_request in [false, true] {
        store.broken.store(false, Ordering::SeqCst);
        let prompt = wire.prompt(&session, "ask\nlost\nask\nnever").await;
        let asked = wire.asked("_go").await;
        store.broken.store(true, Ordering::SeqCst);
        wire.answer(&asked, json!(null)).await;
        assert_eq!(wire.said().await, "lost");
        wire.asked("_go").await;
        if by_request {
            wire.notify("$/cancel_request", json!({"requestId": prompt})).await;
        } else {
            wire.cancel(&session).await;
        }
        // The question is withdrawn.
        assert_eq!(wire.recv().await["method"], "$/cancel_request");
        assert_eq!(wire.stopped(prompt).await, "cancelled");
    }
    store.broken.store(false, Ordering::SeqCst);
    wire.turn(&session, "kept").await;

    if ahead {
        // A turn that is cancelled before the store fails to write its prompt.
        let before = runs.load(Ordering::SeqCst);
        store.stop();
        let prompt = wire.prompt(&session, "never").await;
        wire.cancel(&session).await;
        // When the agent reads this, it has read the cancel. The answer waits for the store, too.
        let list = wire.request("session/list", json!({})).await;
        store.listed.acquire().await.unwrap().forget();
        store.go_on(true);
        let mut answers = [wire.recv().await, wire.recv().await];
        answers.sort_by_key(|answer| answer["id"].as_u64());
        assert_eq!((&answers[0]["id"], &answers[1]["id"]), (&json!(prompt), &json!(list)));
        assert_eq!(answers[0]["result"]["stopReason"], "cancelled", "{}", answers[0]);
        assert_eq!(runs.load(Ordering::SeqCst), before);
    }
    wire.close().await;
}

#[tokio::test]
async fn a_session_that_cannot_be_kept_is_not_opened() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let mut wire = Wire::connect(agent(Journal::at(file.path().join("below"))), json!({})).await;
    let params = json!({"cwd": "/work", "mcpServers": []});
    wire.refused("session/new", params, -32603, &["sessions", "folder"]).await;
    wire.close().await;
}

/// Has modes, which the store keeps before the session is open.
async fn with_modes(_: &(), _: NewSession) -> Result<Opened<()>> {
    Ok(Opened::new(()).modes(SessionModeState::new("ask", [SessionMode::new("ask", "Ask")])))
}

#[tokio::test]
async fn a_session_whose_settings_cannot_be_kept_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let store = Slow::around(Journal::at(folder.path()), false);
    let agent = agent(store.clone()).on::<op::NewSession, _>(with_modes);
    let mut wire = Wire::connect(agent, json!({})).await;
    store.broken.store(true, Ordering::SeqCst);
    let params = json!({"cwd": "/work", "mcpServers": []});
    wire.refused("session/new", params, -32603, &["the disk is full"]).await;
    store.broken.store(false, Ordering::SeqCst);
    let list = wire.call("session/list", json!({})).await;
    assert_eq!(list["result"]["sessions"], json!([]), "{list}");
    let session = wire.new_session().await;
    let list = wire.call("session/list", json!({})).await;
    assert_eq!(list["result"]["sessions"][0]["sessionId"], session, "{list}");
    wire.close().await;
}

#[tokio::test]
async fn directories_that_could_not_be_stored_are_stored_when_they_are_named_again() {
    let folder = tempfile::tempdir().unwrap();
    let store = Slow::around(Journal::at(folder.path()), false);
    let agent = agent(store.clone()).additional_directories();
    let (mut wire, session) = Wire::open(agent, json!({})).await;
    let mut params = named("session/resume", &session);
    params["additionalDirectories"] = json!(["/more"]);
    store.broken.store(true, Ordering::SeqCst);
    wire.refused("session/resume", params.clone(), -32603, &["the disk is full"]).await;
    store.broken.store(false, Ordering::SeqCst);
    assert!(wire.call("session/resume", params).await.get("result").is_some());
    let list = wire.call("session/list", json!({})).await;
    assert_eq!(list["result"]["sessions"][0]["additionalDirectories"], json!(["/more"]), "{list}");
    wire.close().await;
}
