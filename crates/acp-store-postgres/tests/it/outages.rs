//! A database that is away, slow, read-only, or out of connections.

use std::sync::Arc;
use std::time::Duration;

use acp_agent::store::{Record, RecordKind, SessionLog, SessionStore, StoreError};
use acp_store_postgres::{Options, PostgresStore};
use tokio::sync::oneshot;

use crate::server::{Database, Server, server_or_skip};
use crate::{connect, id, info, quick, read, store, updates};

/// Options whose operations give up soon.
fn impatient(database: &Database) -> Options {
    quick(database).patience(Duration::from_millis(500)).attempt(Duration::from_millis(300))
}

fn is_unavailable<T>(outcome: Result<T, StoreError>) {
    match outcome {
        Err(StoreError::Unavailable { .. }) => {}
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("it is available"),
    }
}

/// Every operation fails with the typed error, and the log goes on afterwards. The state is the
/// last record of its kind, whatever became of the changes whose answers were lost.
async fn check_outage(
    store: &PostgresStore,
    mut log: Box<dyn SessionLog>,
    begin: impl FnOnce(),
    end: impl FnOnce(),
) {
    let first = [updates(0..3), saved("first")].concat();
    let lost = [saved("lost"), updates(3..6)].concat();
    let later = [updates(6..9), saved("later"), updates(9..10)].concat();
    log.append(first.clone()).await.unwrap();
    begin();
    is_unavailable(log.append(lost.clone()).await);
    is_unavailable(log.append(lost.clone()).await);
    is_unavailable(log.set_title(Some("title".to_owned())).await);
    end();
    // The failed call may have been carried out, and none of it twice.
    let mut log = patient(log, updates(10..11)).await;
    let found = read(store, &id()).await;
    let (with, without) = ([&first[..], &lost].concat(), first);
    let made = if found.contains(&lost[0]) { with } else { without };
    assert_eq!(found, [made, updates(10..11)].concat());
    check_state(&mut log, &found).await;
    log.append(later).await.unwrap();
    let found = read(store, &id()).await;
    check_state(&mut log, &found).await;
    log.set_title(Some("title".to_owned())).await.unwrap();
    log.close().await.unwrap();
    let mut log = store.open(&id()).await.unwrap();
    assert_eq!(log.info().title.as_deref(), Some("title"));
    check_state(&mut log, &found).await;
}

fn saved(text: &str) -> Vec<Record> {
    vec![Record::new(RecordKind::Saved, format!("{text:?}")).unwrap()]
}

async fn check_state(log: &mut Box<dyn SessionLog>, records: &[Record]) {
    let last = records.iter().rfind(|record| record.kind() == RecordKind::Saved);
    let state = log.state().await.unwrap().unwrap();
    assert_eq!(state.iter().collect::<Vec<_>>(), last.into_iter().collect::<Vec<_>>());
}

/// Adds records as soon as the database is there again.
async fn patient(mut log: Box<dyn SessionLog>, records: Vec<Record>) -> Box<dyn SessionLog> {
    loop {
        match log.append(records.clone()).await {
            Err(StoreError::Unavailable { .. }) => {}
            outcome => {
                outcome.unwrap();
                return log;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_stopped() {
    let mut server = server_or_skip!(Server::start());
    let store = connect(&impatient(&server.database())).await;
    let log = store.create(info()).await.unwrap();
    let server = std::cell::RefCell::new(&mut server);
    check_outage(&store, log, || server.borrow_mut().stop(), || server.borrow_mut().run()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_read_only() {
    let server = server_or_skip!(Server::shared());
    let database = server.database();
    let store = connect(&impatient(&database)).await;
    let log = store.create(info()).await.unwrap();
    let set = |value: &str| {
        let name = &database.name;
        let sql = format!("alter database {name} set default_transaction_read_only = {value}");
        server.psql("postgres", &sql).unwrap();
        let sql = format!("select pg_terminate_backend(pid) from pg_stat_activity where datname = '{name}'");
        server.psql("postgres", &sql).unwrap();
    };
    check_outage(&store, log, || set("on"), || set("off")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_out_of_connections() {
    let server = server_or_skip!(Server::shared());
    let database = server.database();
    drop(store(&database).await);
    let name = &database.name;
    let grants =
        format!("create role few_{name} login; grant all on all tables in schema public to few_{name}");
    server.psql(name, &grants).unwrap();
    let options = impatient(&database.as_user(&format!("few_{name}")));
    let store = PostgresStore::connect(&options).await.unwrap();
    let log = store.create(info()).await.unwrap();
    let limit = |count: i32| {
        server.psql("postgres", &format!("alter role few_{name} connection limit {count}")).unwrap();
        let sql =
            format!("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'few_{name}'");
        server.psql("postgres", &sql).unwrap();
    };
    check_outage(&store, log, || limit(0), || limit(-1)).await;
}

/// Another transaction holds the row for longer than an operation waits.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_slow() {
    let server = server_or_skip!(Server::shared());
    let database = server.database();
    let store = connect(&impatient(&database)).await;
    let log = store.create(info()).await.unwrap();
    let (client, connection) = tokio_postgres::connect(&database.url(), tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    let client = Arc::new(client);
    let run = |sql: &'static str| {
        let client = Arc::clone(&client);
        tokio::task::block_in_place(|| {
            tokio::runtime::Handle::current().block_on(async { client.batch_execute(sql).await.unwrap() });
        });
    };
    check_outage(&store, log, || run("begin; lock table acp_session in exclusive mode"), || run("commit"))
        .await;
}

/// An operation waits for a database that comes back in time, and then succeeds.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_operation_waits_for_the_database() {
    let mut server = server_or_skip!(Server::start());
    let database = server.database();
    let store = connect(&quick(&database).patience(Duration::from_secs(120))).await;
    let mut log = store.create(info()).await.unwrap();
    server.kill();
    let (sender, sent) = oneshot::channel();
    let appending = tokio::spawn(async move {
        sender.send(()).unwrap();
        log.append(updates(0..3)).await.map(|()| log)
    });
    sent.await.unwrap();
    server.run();
    appending.await.unwrap().unwrap().close().await.unwrap();
    assert_eq!(read(&store, &id()).await, updates(0..3));
}

/// Sessions share connections, and one that waits for a lock does not hold up the others.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn other_sessions_are_not_disturbed() {
    let server = server_or_skip!(Server::shared());
    let database = server.database();
    let store = connect(&impatient(&database).connections(3)).await;
    let mut stuck = store.create(info()).await.unwrap();
    let mut other = store.create(acp_types::v1::SessionInfo::new("other", "/work")).await.unwrap();
    let (client, connection) = tokio_postgres::connect(&database.url(), tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    client
        .batch_execute("begin; update acp_session set folder = folder where session = 'one'")
        .await
        .unwrap();
    let stuck = tokio::spawn(async move {
        is_unavailable(stuck.append(updates(0..1)).await);
        stuck
    });
    for number in 0..20 {
        other.append(updates(number..number + 1)).await.unwrap();
    }
    let mut stuck = stuck.await.unwrap();
    client.batch_execute("commit").await.unwrap();
    stuck.append(updates(1..2)).await.unwrap();
    assert_eq!(read(&store, &"other".into()).await, updates(0..20));
}
