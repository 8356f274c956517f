//! Deletions: in pieces, by the clock of the database, and after one that was stopped.

use std::time::Duration;

use acp_agent::store::{Record, RecordKind, SessionStore, StoreError};
use acp_types::v1::{ListSessionsRequest, SessionId, SessionInfo};

use crate::server::{Database, Server, server_or_skip};
use crate::{id, info, read, store, updates};

/// Adds records that need so many rows.
async fn keep(store: &dyn SessionStore, id: &str, rows: usize) {
    let mut log = store.create(SessionInfo::new(id, "/work")).await.unwrap();
    for _ in 0..rows.div_ceil(50) {
        let text = format!("\"{}\"", "x".repeat(40 * 1024));
        let records = (0..50).map(|_| Record::new(RecordKind::Update, text.as_str()).unwrap()).collect();
        log.append(records).await.unwrap();
    }
    log.close().await.unwrap();
}

fn count(server: &Server, database: &Database, sql: &str) -> i64 {
    server.psql(&database.name, sql).unwrap().trim().parse().unwrap()
}

async fn listed(store: &dyn SessionStore) -> Vec<SessionId> {
    let page = store.list(&ListSessionsRequest::new()).await.unwrap();
    page.sessions.into_iter().map(|session| session.session_id).collect()
}

/// Rule `rm-st-07`. A trigger counts the rows of each statement, and the transactions.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_session_is_deleted_in_several_transactions() {
    let server = server_or_skip!(Server::shared());
    let database = server.database();
    let store = store(&database).await;
    keep(&store, "one", 600).await;
    keep(&store, "other", 50).await;
    server
        .psql(
            &database.name,
            "create table piece (xid bigint, rows bigint);
             create function note() returns trigger language plpgsql as $$ begin
                 insert into piece select txid_current(), count(*) from gone; return null; end $$;
             create trigger note after delete on acp_batch referencing old table as gone
                 for each statement execute function note()",
        )
        .unwrap();
    store.delete(&id()).await.unwrap();
    assert!(count(server, &database, "select count(distinct xid) from piece where rows > 0") >= 4);
    assert!(count(server, &database, "select max(rows) from piece") <= 128);
    assert!(count(server, &database, "select sum(rows) from piece") >= 600);
    assert_eq!(count(server, &database, "select count(*) from acp_batch where session = 'one'"), 0);
    assert_eq!(listed(&store).await, ["other"]);
}

/// Fails deletions of records from the second piece on, as a database does that goes away.
const STOP: &str = "create sequence pieces;
    create function stop() returns trigger language plpgsql as $$ begin
        if nextval('pieces') > 1 then raise exception 'stopped'; end if; return null; end $$;
    create trigger stop after delete on acp_batch for each statement execute function stop()";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_deletion_that_was_stopped_is_finished_later() {
    let server = server_or_skip!(Server::shared());
    for way in ["delete", "retention", "create"] {
        let database = server.database();
        let store = store(&database).await;
        keep(&store, "one", 400).await;
        server.psql(&database.name, STOP).unwrap();
        assert!(matches!(store.delete(&id()).await, Err(StoreError::Other(_))), "{way}");
        let left = count(server, &database, "select count(*) from acp_batch");
        assert!(left > 0 && left < 400, "{way}: {left}");
        // It is gone for everybody from the start.
        assert!(listed(&store).await.is_empty(), "{way}");
        assert!(matches!(store.open(&id()).await.err(), Some(StoreError::Unknown { .. })), "{way}");
        assert!(matches!(store.read(&id()).await.err(), Some(StoreError::Unknown { .. })), "{way}");
        server.psql(&database.name, "drop trigger stop on acp_batch").unwrap();
        match way {
            "delete" => store.delete(&id()).await.unwrap(),
            "retention" => {
                assert_eq!(store.delete_unused_for(Duration::from_secs(86_400)).await.unwrap(), 1);
            }
            _ => {
                let mut log = store.create(info()).await.unwrap();
                log.append(updates(0..3)).await.unwrap();
                log.close().await.unwrap();
                assert_eq!(read(&store, &id()).await, updates(0..3));
                continue;
            }
        }
        assert_eq!(count(server, &database, "select count(*) from acp_batch"), 0, "{way}");
        assert_eq!(count(server, &database, "select count(*) from acp_session"), 0, "{way}");
    }
}

/// The clock of this machine is not asked: the times of the sessions are set by the database, and
/// compared with its time.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_age_is_measured_by_the_clock_of_the_database() {
    let server = server_or_skip!(Server::shared());
    let database = server.database();
    let store = store(&database).await;
    let ann = store.for_principal("ann").unwrap();
    for session in ["young", "old"] {
        keep(&*ann, session, 1).await;
        keep(&store, session, 1).await;
    }
    // A database whose clock is a day ahead has written `old` an hour ago, and `young` just now.
    let ahead = "create function ahead() returns timestamptz language sql stable as \
                 'select pg_catalog.now() + interval ''1 day''';
        create schema early; alter function ahead() set schema early; alter function early.ahead() rename to now;
        update acp_session set updated = pg_catalog.now() + interval '1 day' \
            - case session when 'old' then interval '1 hour' else interval '0' end";
    server.psql(&database.name, ahead).unwrap();
    let url = format!("{} options='-c search_path=early,public,pg_catalog'", database.url());
    let options = acp_store_postgres::Options::new(&url).unwrap();
    let store = acp_store_postgres::PostgresStore::connect(&options).await.unwrap();
    let ann = store.for_principal("ann").unwrap();
    assert_eq!(ann.delete_unused_for(Duration::from_secs(2 * 3600)).await.unwrap(), 0);
    assert_eq!(ann.delete_unused_for(Duration::from_secs(1800)).await.unwrap(), 1);
    assert_eq!(listed(&*ann).await, ["young"]);
    assert_eq!(listed(&store).await.len(), 2);
    assert_eq!(ann.delete_unused_for(Duration::MAX).await.unwrap(), 0);
}

/// The rest of it does not pass for the whole.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_that_is_deleted_while_it_is_read_is_an_error() {
    let server = server_or_skip!(Server::shared());
    let store = store(&server.database()).await;
    keep(&store, "one", 600).await;
    // Its last changes have no records.
    let mut log = store.open(&id()).await.unwrap();
    log.set_title(Some("long".to_owned())).await.unwrap();
    log.close().await.unwrap();
    assert_eq!(read(&store, &id()).await.len(), 600);

    let mut records = store.read(&id()).await.unwrap();
    assert!(!records.next().await.unwrap().is_empty());
    store.delete(&id()).await.unwrap();
    let outcome = loop {
        match records.next().await {
            Ok(batch) if !batch.is_empty() => {}
            outcome => break outcome,
        }
    };
    assert!(matches!(outcome, Err(StoreError::Unknown { session }) if session == id()));
}

/// A row that this program cannot read costs its session, and no others.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_damaged_session_does_not_hide_the_others() {
    let server = server_or_skip!(Server::shared());
    let database = server.database();
    let store = store(&database).await;
    for session in ["a", "b", "c"] {
        keep(&store, session, 1).await;
    }
    server.psql(&database.name, "update acp_session set info = '{\"cwd\"' where session = 'b'").unwrap();
    assert_eq!(listed(&store).await, ["c", "a"]);
    assert!(matches!(store.open(&"b".into()).await.err(), Some(StoreError::Other(_))));
    // The lease that it could not use is given up a little later.
    while matches!(store.delete(&"b".into()).await, Err(StoreError::Busy { .. })) {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(matches!(store.delete(&"b".into()).await, Err(StoreError::Unknown { .. })));
}
