//! The tables, their versions, and the roles that use them.

use std::time::Duration;

use acp_agent::store::{Record, RecordKind, SessionStore as _, StoreError};
use acp_store_postgres::{PostgresError, PostgresStore, migrate};

use crate::server::{Database, Server, server_or_skip};
use crate::{id, info, quick, read, store, updates};

/// The version of the tables that this program makes.
const VERSION: u32 = 2;

/// Returns the error of the database's own.
fn own(error: &StoreError) -> &PostgresError {
    match error {
        StoreError::Other(error) => error.downcast_ref().unwrap_or_else(|| panic!("{error}")),
        error => panic!("{error}"),
    }
}

#[tokio::test]
async fn a_database_without_tables_is_refused() {
    let server = server_or_skip!(Server::shared());
    let error = PostgresStore::connect(&quick(&server.database())).await.unwrap_err();
    assert!(matches!(own(&error), PostgresError::NotMigrated), "{error}");
    assert!(error.to_string().contains("migrate"), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn processes_that_migrate_at_once_make_the_tables_once() {
    let server = server_or_skip!(Server::shared());
    let options = quick(&server.database());
    let all: Vec<_> = (0..6)
        .map(|_| {
            let options = options.clone();
            tokio::spawn(async move { migrate(&options).await })
        })
        .collect();
    for one in all {
        assert_eq!(one.await.unwrap().unwrap(), VERSION);
    }
    assert_eq!(migrate(&options).await.unwrap(), VERSION);
    PostgresStore::connect(&options).await.unwrap();
}

/// The role of the agents cannot change the tables, and needs no right to.
#[tokio::test]
async fn a_role_of_its_own_migrates() {
    let server = server_or_skip!(Server::shared());
    let database = server.database();
    let name = &database.name;
    let sql = format!(
        "create role owner_{name} login; create role agent_{name} login; \
         revoke create on schema public from public; grant create, usage on schema public to owner_{name}"
    );
    server.psql(name, &sql).unwrap();
    let owner = quick(&database.as_user(&format!("owner_{name}")));
    let agent = quick(&database.as_user(&format!("agent_{name}")));
    let error = migrate(&agent).await.unwrap_err();
    assert!(matches!(own(&error), PostgresError::Database(_)), "{error}");
    migrate(&owner).await.unwrap();
    let grants = format!(
        "grant select on acp_schema to agent_{name}; \
         grant select, insert, update, delete on acp_session, acp_batch to agent_{name}"
    );
    server.psql(name, &grants).unwrap();
    let store = PostgresStore::connect(&agent).await.unwrap();
    let mut log = store.create(info()).await.unwrap();
    log.append(updates(0..3)).await.unwrap();
    log.close().await.unwrap();
    assert_eq!(read(&store, &id()).await, updates(0..3));
    store.delete(&id()).await.unwrap();
}

#[tokio::test]
async fn tables_of_a_later_version_are_used_if_they_say_so_and_refused_otherwise() {
    let server = server_or_skip!(Server::shared());
    let database = server.database();
    let old = store(&database).await;
    let mut log = old.create(info()).await.unwrap();
    log.append(updates(0..2)).await.unwrap();
    // A later program adds columns and tables while this one runs.
    let sql = "alter table acp_session add column note text not null default ''; \
               alter table acp_batch add column checksum bigint; create table acp_more (n int); \
               update acp_schema set version = 7";
    server.psql(&database.name, sql).unwrap();
    log.append(updates(2..4)).await.unwrap();
    log.close().await.unwrap();
    let options = quick(&database);
    let store = PostgresStore::connect(&options).await.unwrap();
    assert_eq!(read(&store, &id()).await, updates(0..4));
    // An older program that migrates leaves them as they are.
    assert_eq!(migrate(&options).await.unwrap(), 7);

    server.psql(&database.name, "update acp_schema set version = 8, oldest_program = 8").unwrap();
    for refused in [PostgresStore::connect(&options).await.map(drop), migrate(&options).await.map(drop)] {
        let error = refused.unwrap_err();
        let is_newer =
            matches!(own(&error), PostgresError::NewerSchema { found: 8, oldest_program: 8, program: 2, .. });
        assert!(is_newer, "{error}");
        assert!(error.to_string().contains("update this program"), "{error}");
    }
}

#[tokio::test]
async fn a_database_that_does_not_wait_for_its_disk_is_refused() {
    let server = server_or_skip!(Server::shared());
    let database = server.database();
    store(&database).await;
    server
        .psql("postgres", &format!("alter database {} set synchronous_commit = off", database.name))
        .unwrap();
    let error = PostgresStore::connect(&quick(&database)).await.unwrap_err();
    assert!(matches!(own(&error), PostgresError::NotDurable { .. }), "{error}");
    assert!(error.to_string().contains("synchronous_commit"), "{error}");
}

/// Returns how the server compresses records: nothing for its default.
fn compression(server: &Server, database: &Database) -> String {
    let sql = "select attcompression from pg_attribute where attrelid = 'acp_batch'::regclass and attname = 'records'";
    server.psql(&database.name, sql).unwrap().trim().to_owned()
}

/// Makes the tables of the first version, as the first program made them.
fn first_tables(server: &Server, database: &Database) {
    let sql = include_str!("../../migrations/0001_sessions.sql");
    let versions = "create table acp_schema (version int not null, oldest_program int not null); \
                    insert into acp_schema values (1, 1);";
    server.psql(&database.name, &format!("{sql}{versions}")).unwrap();
}

#[tokio::test]
async fn tables_of_the_first_version_are_used_before_and_after_they_are_migrated() {
    let server = server_or_skip!(Server::shared());
    let database = server.database();
    first_tables(server, &database);
    let options = quick(&database);
    let before = PostgresStore::connect(&options).await.unwrap();
    let mut log = before.create(info()).await.unwrap();
    let long = || vec![Record::new(RecordKind::Update, format!("\"{}\"", "a word ".repeat(20_000))).unwrap()];
    log.append(long()).await.unwrap();
    assert_eq!(migrate(&options).await.unwrap(), VERSION);
    assert_eq!(compression(server, &database), "l");
    log.append(long()).await.unwrap();
    log.close().await.unwrap();
    assert_eq!(read(&before, &id()).await, [long(), long()].concat());
    let kinds = "select distinct pg_column_compression(records) from acp_batch order by 1";
    assert_eq!(server.psql(&database.name, kinds).unwrap().trim(), "lz4\npglz");
}

#[tokio::test]
async fn a_server_without_the_compression_goes_on_without_it() {
    let server = server_or_skip!(Server::shared());
    let database = server.database();
    first_tables(server, &database);
    let refuse = |code: &str| {
        let sql = format!(
            "create or replace function refuse() returns event_trigger language plpgsql as \
             $$ begin raise exception 'not here' using errcode = '{code}'; end $$"
        );
        server.psql(&database.name, &sql).unwrap();
    };
    refuse("53100");
    let trigger = "create event trigger refuse on ddl_command_start when tag in ('ALTER TABLE') execute function refuse()";
    server.psql(&database.name, trigger).unwrap();
    // The disk is full. Nothing is changed, and the program does not do without it.
    let error = migrate(&quick(&database).patience(Duration::from_millis(50))).await.unwrap_err();
    assert!(matches!(error, StoreError::Unavailable { .. }), "{error}");
    assert_eq!(server.psql(&database.name, "select version from acp_schema").unwrap().trim(), "1");

    refuse("0A000");
    assert_eq!(migrate(&quick(&database)).await.unwrap(), VERSION);
    assert_eq!(compression(server, &database), "");
    let store = store(&database).await;
    let mut log = store.create(info()).await.unwrap();
    log.append(updates(0..3)).await.unwrap();
    log.close().await.unwrap();
    assert_eq!(read(&store, &id()).await, updates(0..3));
}

/// A dump of the tables holds a lock of its own for as long as it takes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_migration_that_has_to_wait_does_not_stop_the_agents() {
    let server = server_or_skip!(Server::shared());
    let database = server.database();
    first_tables(server, &database);
    let options = quick(&database);
    let store = PostgresStore::connect(&options).await.unwrap();
    let mut log = store.create(info()).await.unwrap();
    let (dump, connection) = tokio_postgres::connect(&database.url(), tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    dump.batch_execute("begin; lock table acp_batch in access share mode").await.unwrap();
    let migration = tokio::spawn(async move { migrate(&options).await });
    let waiting = "select count(*) from pg_locks where not granted and mode = 'AccessExclusiveLock' \
                   and relation = 'acp_batch'::regclass";
    while dump.query_one(waiting, &[]).await.unwrap().get::<_, i64>(0) == 0 {
        assert!(!migration.is_finished(), "it does not wait");
    }
    // This waits behind the migration until that gives up.
    log.append(updates(0..20)).await.unwrap();
    assert!(!migration.is_finished());
    dump.batch_execute("commit").await.unwrap();
    assert_eq!(migration.await.unwrap().unwrap(), VERSION);
    log.close().await.unwrap();
    assert_eq!(read(&store, &id()).await, updates(0..20));
}
