//! One writer: leases that end, processes that come back, and answers that are lost.

use std::time::{Duration, SystemTime};

use acp_agent::store::{SessionStore, StoreError};
use acp_store_postgres::PostgresStore;
use acp_types::v1::SessionInfo;

use crate::server::{Server, server_or_skip};
use crate::{connect, id, info, quick, read, store, updates};

/// Takes the lease away, as time does when a process is paused and cannot prolong it.
fn expire(server: &Server, database: &str) {
    let sql = "update acp_session set lease_until = now() - interval '1 hour' where lease_until is not null";
    server.psql(database, sql).unwrap();
}

/// Rule `rm-st-02`.
#[tokio::test]
async fn a_session_whose_process_is_gone_can_be_opened_when_its_lease_ends() {
    let server = server_or_skip!(Server::shared());
    let database = server.database();
    let dead = connect(&quick(&database).lease(Duration::from_secs(1))).await;
    let alive = PostgresStore::connect(&quick(&database)).await.unwrap();
    let mut log = dead.create(info()).await.unwrap();
    log.append(updates(0..2)).await.unwrap();
    // Neither closed nor dropped: the process is gone, and prolongs nothing.
    server.psql(&database.name, "update acp_session set holder = 'gone'").unwrap();
    let asked = SystemTime::now();
    let Err(StoreError::Busy { session, until: Some(until) }) = alive.open(&id()).await else {
        panic!("it is open")
    };
    assert_eq!(session, id());
    assert!(until >= asked && until <= SystemTime::now() + Duration::from_secs(1), "{until:?}");
    let mut log = loop {
        match alive.open(&id()).await {
            Err(StoreError::Busy { until: Some(until), .. }) => {
                tokio::time::sleep(until.duration_since(SystemTime::now()).unwrap_or_default()).await;
            }
            opened => break opened.unwrap(),
        }
    };
    log.append(updates(2..3)).await.unwrap();
    assert_eq!(read(&alive, &id()).await, updates(0..3));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn leases_are_prolonged_while_sessions_are_open() {
    let server = server_or_skip!(Server::shared());
    let database = server.database();
    let store = connect(&quick(&database).lease(Duration::from_secs(1))).await;
    let log = store.create(info()).await.unwrap();
    let other = store.create(SessionInfo::new("other", "/work")).await.unwrap();
    let leases = |session: &str| {
        let sql = format!("select lease_until from acp_session where session = '{session}'");
        server.psql(&database.name, &sql).unwrap()
    };
    for _ in 0..3 {
        for session in ["one", "other"] {
            let before = leases(session);
            while leases(session) == before {
                tokio::task::yield_now().await;
            }
        }
    }
    log.close().await.unwrap();
    assert_eq!(leases("one").trim(), "");
    other.close().await.unwrap();
}

/// A process that was paused comes back: to a session that another one has open, has closed, has
/// deleted, or has made anew (rule `rm-st-03`).
#[tokio::test]
async fn a_process_that_was_paused_cannot_write() {
    let server = server_or_skip!(Server::shared());
    for case in ["open", "closed", "deleted", "made anew"] {
        let database = server.database();
        let (paused, other) = (store(&database).await, store(&database).await);
        let mut log = paused.create(info()).await.unwrap();
        log.append(updates(0..2)).await.unwrap();
        expire(server, &database.name);
        let mut taken = other.open(&id()).await.unwrap();
        taken.append(updates(2..3)).await.unwrap();
        let mut expected = updates(0..3);
        match case {
            "open" => {}
            "closed" => taken.close().await.unwrap(),
            deleted => {
                taken.close().await.unwrap();
                other.delete(&id()).await.unwrap();
                expected.clear();
                if deleted == "made anew" {
                    // Its epoch begins anew, too.
                    other.create(info()).await.unwrap();
                }
            }
        }
        for _ in 0..2 {
            let error = log.append(updates(100..103)).await.unwrap_err();
            assert!(matches!(&error, StoreError::Changed { session } if *session == id()), "{case}: {error}");
            let error = log.set_title(Some("mine".to_owned())).await.unwrap_err();
            assert!(matches!(error, StoreError::Changed { .. }), "{case}: {error}");
        }
        log.close().await.unwrap();
        if case == "deleted" {
            assert!(matches!(other.read(&id()).await.err(), Some(StoreError::Unknown { .. })));
        } else {
            assert_eq!(read(&other, &id()).await, expected, "{case}");
        }
        if case == "open" {
            let log = paused.open(&id()).await;
            assert!(
                matches!(log.err(), Some(StoreError::Busy { .. })),
                "the paused one gave up another's lease"
            );
        }
    }
}

#[tokio::test]
async fn a_lease_that_has_ended_and_that_nobody_took_goes_on() {
    let server = server_or_skip!(Server::shared());
    let database = server.database();
    let store = store(&database).await;
    let mut log = store.create(info()).await.unwrap();
    log.append(updates(0..2)).await.unwrap();
    expire(server, &database.name);
    log.append(updates(2..4)).await.unwrap();
    assert_eq!(read(&store, &id()).await, updates(0..4));
}

/// A late statement of the log itself raises the epoch, as one does that was sent again.
#[tokio::test]
async fn a_log_whose_own_statement_came_late_goes_on() {
    let server = server_or_skip!(Server::shared());
    let database = server.database();
    let store = store(&database).await;
    let mut log = store.create(info()).await.unwrap();
    log.append(updates(0..2)).await.unwrap();
    server.psql(&database.name, "update acp_session set epoch = epoch + 1").unwrap();
    log.append(updates(2..4)).await.unwrap();
    log.append(updates(4..6)).await.unwrap();
    assert_eq!(read(&store, &id()).await, updates(0..6));
}
