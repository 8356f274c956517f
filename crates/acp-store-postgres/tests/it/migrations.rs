//! The tables, their versions, and the roles that use them.

use acp_agent::store::{SessionStore as _, StoreError};
use acp_store_postgres::{PostgresError, PostgresStore, migrate};

use crate::server::{Server, server_or_skip};
use crate::{id, info, quick, read, store, updates};

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
        assert_eq!(one.await.unwrap().unwrap(), 1);
    }
    assert_eq!(migrate(&options).await.unwrap(), 1);
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
            matches!(own(&error), PostgresError::NewerSchema { found: 8, oldest_program: 8, program: 1, .. });
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
