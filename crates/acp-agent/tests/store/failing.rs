//! Stores that are slow, or fail.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use acp_agent::store::{Journal, Pending, Record, Records, SessionLog, SessionStore, StoreError};
use acp_agent::types::{ListSessionsRequest, ListSessionsResponse, SessionId, SessionInfo};
use acp_agent::{Client, NewSession, Opened, Result, Router, StopReason, Turn, op};
use serde_json::json;
use tokio::sync::Semaphore;

use crate::support::{Wire, check_error};
use crate::{agent, load, named};

/// A journal that writes only while there are permits, and not at all once it is broken. What it says about writing
/// ahead is up to the test.
#[derive(Clone)]
struct Slow {
    journal: Journal,
    ahead: bool,
    permits: Arc<Semaphore>,
    broken: Arc<AtomicBool>,
    committed: Arc<AtomicBool>,
}

impl Slow {
    fn new(journal: Journal) -> Self {
        let permits = Arc::new(Semaphore::new(Semaphore::MAX_PERMITS));
        Slow { journal, ahead: false, permits, broken: Arc::default(), committed: Arc::default() }
    }

    fn wrap(&self, log: Box<dyn SessionLog>) -> Box<dyn SessionLog> {
        Box::new(SlowLog { log, store: self.clone() })
    }
}

impl SessionStore for Slow {
    fn create(&self, session: SessionInfo) -> Pending<'_, Box<dyn SessionLog>> {
        Box::pin(async move { Ok(self.wrap(self.journal.create(session).await?)) })
    }

    fn open<'a>(&'a self, session: &'a SessionId) -> Pending<'a, Box<dyn SessionLog>> {
        Box::pin(async move { Ok(self.wrap(self.journal.open(session).await?)) })
    }

    fn read<'a>(&'a self, session: &'a SessionId) -> Pending<'a, Box<dyn Records>> {
        self.journal.read(session)
    }

    fn list<'a>(&'a self, request: &'a ListSessionsRequest) -> Pending<'a, ListSessionsResponse> {
        self.journal.list(request)
    }

    fn delete<'a>(&'a self, session: &'a SessionId) -> Pending<'a, ()> {
        self.journal.delete(session)
    }
}

struct SlowLog {
    log: Box<dyn SessionLog>,
    store: Slow,
}

impl SessionLog for SlowLog {
    fn info(&self) -> &SessionInfo {
        self.log.info()
    }

    fn writes_ahead(&self) -> bool {
        self.store.ahead
    }

    fn append(&mut self, records: Vec<Record>) -> Pending<'_, ()> {
        Box::pin(async move {
            self.store.permits.acquire().await.unwrap().forget();
            if self.store.broken.load(Ordering::SeqCst) {
                return Err(StoreError::other("the disk is full"));
            }
            self.log.append(records).await
        })
    }

    fn set_title(&mut self, title: Option<String>) -> Pending<'_, ()> {
        self.log.set_title(title)
    }

    fn commit(&mut self) -> Pending<'_, ()> {
        Box::pin(async move {
            // As long as a disk takes: who does not wait for it is far ahead.
            for _ in 0..200 {
                tokio::task::yield_now().await;
            }
            self.log.commit().await?;
            self.store.committed.store(true, Ordering::SeqCst);
            Ok(())
        })
    }
}

#[tokio::test]
async fn a_turn_is_durable_when_it_is_answered() {
    let folder = tempfile::tempdir().unwrap();
    let store = Slow::new(Journal::at(folder.path()));
    let (mut wire, session) = Wire::open(agent(store.clone()), json!({})).await;
    for _ in 0..20 {
        store.committed.store(false, Ordering::SeqCst);
        wire.turn(&session, "one\ntwo").await;
        assert!(store.committed.load(Ordering::SeqCst));
    }
    // What other processes read now is all of it.
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

/// Opens sessions for ever, once it has told that it does.
async fn stuck(_: &(), open: NewSession, client: Client) -> Result<Opened<()>> {
    if open.is_new() {
        return Ok(Opened::new(()));
    }
    client.notify("_opening", &json!({})).await?;
    std::future::pending().await
}

#[tokio::test]
async fn a_session_that_is_half_open_is_closed_with_the_connection() {
    let folder = tempfile::tempdir().unwrap();
    let store = Slow::new(Journal::at(folder.path()));
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
    // Somebody else can open it.
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
    let store = Slow::new(Journal::at(folder.path()));
    let agent = Router::new("much", "1", ()).on::<op::Prompt, _>(much).store(store.clone());
    let mut wire = Wire::serve_through(Arc::new(agent), 64 * 1024 * 1024);
    wire.initialize(json!({})).await;
    let session = wire.new_session().await;
    store.permits.forget_permits(Semaphore::MAX_PERMITS);
    let prompt = wire.prompt(&session, "go").await;
    // The pipe has room for all of it, the store for no more than 1 MiB and one: eleven of them come.
    for _ in 0..11 {
        wire.update().await;
    }
    wire.notify("session/cancel", json!({"sessionId": session})).await;
    // The cancel is heard before this is answered. The turn was waiting for the store: nothing more comes of it.
    assert_eq!(wire.call("session/list", json!({})).await["result"]["sessions"][0]["sessionId"], session);
    store.permits.add_permits(1000);
    let answer = wire.recv().await;
    assert_eq!((&answer["id"], &answer["result"]["stopReason"]), (&json!(prompt), &json!("cancelled")));
    assert_eq!(load(&mut wire, &session).await.len(), 12);
    wire.close().await;
}

#[tokio::test]
async fn updates_leave_when_a_store_that_writes_ahead_has_them() {
    let folder = tempfile::tempdir().unwrap();
    let store = Slow { ahead: true, ..Slow::new(Journal::at(folder.path())) };
    let (mut wire, session) = Wire::open(agent(store.clone()), json!({})).await;
    store.permits.forget_permits(Semaphore::MAX_PERMITS);
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
    store.permits.add_permits(1000);
    assert_eq!((wire.said().await, wire.said().await), ("one".to_owned(), "two".to_owned()));
    assert_eq!(wire.answer_to(prompt).await["result"]["stopReason"], "end_turn");
    wire.close().await;
}

#[tokio::test]
async fn a_store_that_fails_fails_the_turn_and_keeps_what_it_has() {
    for ahead in [false, true] {
        check_failing(ahead).await;
    }
}

async fn check_failing(ahead: bool) {
    let folder = tempfile::tempdir().unwrap();
    let store = Slow { ahead, ..Slow::new(Journal::at(folder.path())) };
    let (mut wire, session) = Wire::open(agent(store.clone()), json!({})).await;
    wire.turn(&session, "one").await;
    store.broken.store(true, Ordering::SeqCst);
    for _ in 0..2 {
        let (updates, answer) = wire.turn(&session, "two").await;
        assert_eq!(updates.len(), 1);
        check_error(&answer, -32603, &["the disk is full"]);
    }
    // It stays that way also when the disk has room again: records are missing.
    store.broken.store(false, Ordering::SeqCst);
    check_error(&wire.turn(&session, "three").await.1, -32603, &["the disk is full"]);
    let close = wire.call("session/close", json!({"sessionId": session})).await;
    check_error(&close, -32603, &["the disk is full"]);
    // Opened again it goes on behind the last record that it has.
    assert_eq!(load(&mut wire, &session).await.len(), 2);
    wire.turn(&session, "four").await;
    assert_eq!(load(&mut wire, &session).await.len(), 4);
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
