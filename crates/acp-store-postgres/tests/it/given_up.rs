//! Calls whose futures are dropped before they end.

use std::time::Duration;

use acp_agent::store::{Record, RecordKind, SessionLog, SessionStore, StoreError};
use acp_types::v1::{SessionId, SessionInfo};

use crate::server::{Server, server_or_skip};
use crate::{connect, id, info, quick, read, store, updates};

/// Drops a future after so many turns of the runtime, unless it ends before.
async fn given_up<F: Future>(future: F, turns: usize) -> Option<F::Output> {
    let enough = async {
        for _ in 0..turns {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        biased;
        () = enough => None,
        output = future => Some(output),
    }
}

/// Opens a session that is about to be closed. The test fails if that never comes.
async fn open_soon(store: &dyn SessionStore, session: &SessionId, case: &str) -> Box<dyn SessionLog> {
    let opening = async {
        loop {
            match store.open(session).await {
                Err(StoreError::Busy { .. }) => tokio::time::sleep(Duration::from_millis(10)).await,
                outcome => return outcome.unwrap(),
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(30), opening).await.expect(case)
}

/// Leases last so long that only giving them up ends them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_whose_closing_or_opening_is_given_up_can_be_opened() {
    let server = server_or_skip!(Server::shared());
    let store = connect(&quick(&server.database()).lease(Duration::MAX)).await;
    store.create(info()).await.unwrap().close().await.unwrap();
    for turns in [0, 1, 2, 5, 20, 100] {
        let log = open_soon(&store, &id(), "closing").await;
        given_up(log.close(), turns).await;
        drop(open_soon(&store, &id(), "closing").await);
        let log = open_soon(&store, &id(), "dropped").await;
        log.close().await.unwrap();
        given_up(store.open(&id()), turns).await;
    }
}

/// Records of a call that nobody has waited for are stored once, a beginning of them, or not at
/// all, and the state is that of the records.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_log_goes_on_after_calls_that_were_given_up() {
    let server = server_or_skip!(Server::shared());
    let database = server.database();
    let store = store(&database).await;
    let mut log = store.create(info()).await.unwrap();
    let (mut expected, mut number) = (Vec::new(), 0);
    for turns in [0, 1, 2, 3, 5, 8, 20, 50, 100, 200, 400] {
        number += 10;
        let state = Record::new(RecordKind::Saved, number.to_string()).unwrap();
        let lost = [updates(number..number + 5), vec![state]].concat();
        given_up(log.append(lost.clone()), turns).await;
        given_up(log.set_title(Some(format!("title {number}"))), turns).await;
        given_up(log.append(Vec::new()), turns).await;
        log.append(updates(number + 5..number + 6)).await.unwrap();
        let found = read(&store, &id()).await;
        if found.len() > expected.len() + 1 {
            expected.extend(lost);
        }
        expected.extend(updates(number + 5..number + 6));
        assert_eq!(found, expected, "after {turns}");
        let last = expected.iter().rfind(|record| record.kind() == RecordKind::Saved);
        assert_eq!(log.state().await.unwrap().unwrap(), last.into_iter().cloned().collect::<Vec<_>>());
    }
    let info = log.info().clone();
    log.close().await.unwrap();
    let log = store.open(&id()).await.unwrap();
    assert_eq!(*log.info(), info);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_read_goes_on_after_a_call_that_was_given_up() {
    let server = server_or_skip!(Server::shared());
    let store = store(&server.database()).await;
    let text = format!("\"{}\"", "x".repeat(500_000));
    let records: Vec<_> = (0..12).map(|_| Record::new(RecordKind::Update, text.as_str()).unwrap()).collect();
    let mut log = store.create(info()).await.unwrap();
    log.append(records.clone()).await.unwrap();
    let mut reading = store.read(&id()).await.unwrap();
    let mut found = Vec::new();
    loop {
        for turns in 0..3 {
            found.extend(given_up(reading.next(), turns).await.into_iter().flat_map(Result::unwrap));
        }
        match reading.next().await.unwrap() {
            batch if batch.is_empty() => break,
            batch => found.extend(batch),
        }
    }
    assert_eq!(found, records);
    // A read that has failed does not pass for one that has come to its end.
    let mut reading = store.read(&id()).await.unwrap();
    reading.next().await.unwrap();
    log.close().await.unwrap();
    store.delete(&id()).await.unwrap();
    while reading.next().await.is_ok_and(|batch| !batch.is_empty()) {}
    assert!(reading.next().await.is_err());
}

/// A session whose row stays locked does not keep others from being given up.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lease_that_cannot_be_given_up_does_not_hold_up_the_others() {
    let server = server_or_skip!(Server::shared());
    let database = server.database();
    let options = quick(&database).lease(Duration::MAX).attempt(Duration::from_millis(300));
    let store = connect(&options).await;
    let mut clients = Vec::new();
    for session in ["a", "b", "c"] {
        let log = store.create(SessionInfo::new(session, "/work")).await.unwrap();
        let (client, connection) =
            tokio_postgres::connect(&database.url(), tokio_postgres::NoTls).await.unwrap();
        tokio::spawn(connection);
        let lock = format!("begin; update acp_session set folder = folder where session = '{session}'");
        client.batch_execute(&lock).await.unwrap();
        clients.push(client);
        log.close().await.unwrap();
    }
    for (client, session) in clients.iter().zip(["a", "b", "c"]).skip(1) {
        client.batch_execute("commit").await.unwrap();
        drop(open_soon(&store, &session.into(), session).await);
    }
}

/// A program may end the runtime in which it has opened the first session.
#[test]
fn leases_are_prolonged_in_the_next_runtime() {
    let server = server_or_skip!(Server::shared());
    let database = server.database();
    let runtime =
        || tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let first = runtime();
    let store = first.block_on(connect(&quick(&database).lease(Duration::from_secs(1))));
    let open = first.block_on(store.create(info())).unwrap();
    drop(first);
    runtime().block_on(async {
        let log = store.create(SessionInfo::new("other", "/work")).await.unwrap();
        let until = || {
            let sql = "select lease_until from acp_session where session = 'other'";
            server.psql(&database.name, sql).unwrap()
        };
        let before = until();
        let prolonging = async {
            while until() == before {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(30), prolonging).await.unwrap();
        log.close().await.unwrap();
    });
    drop(open);
}
