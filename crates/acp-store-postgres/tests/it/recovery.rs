//! Recovery to a point in time, with the settings of `docs/POSTGRES.md`.

use std::time::{Duration, Instant};

use acp_agent::store::{SessionStore as _, StoreError};
use acp_store_postgres::PostgresStore;

use crate::server::{Server, server_or_skip};
use crate::{id, info, quick, read, store, updates};

/// Waits until the server has archived what it has written so far.
fn archive(server: &Server) {
    let file = server.psql("postgres", "select pg_walfile_name(pg_switch_wal())").unwrap();
    let archived =
        format!("select coalesce(last_archived_wal >= '{}', false) from pg_stat_archiver", file.trim());
    let until = Instant::now() + Duration::from_secs(120);
    while server.psql("postgres", &archived).unwrap().trim() != "t" {
        assert!(Instant::now() < until, "nothing is archived");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_goes_back_to_a_point_in_time() {
    let mut server = server_or_skip!(Server::start());
    let archived = server.path().join("archive").display().to_string();
    server.configure(
        &format!(
            "wal_level = replica\narchive_mode = on\n\
             archive_command = 'mkdir -p {archived} && test ! -f {archived}/%f && cp %p {archived}/%f'",
        ),
        None,
    );
    let database = server.database();
    let before = store(&database).await;
    let mut log = before.create(info()).await.unwrap();
    log.append(updates(0..100)).await.unwrap();
    let mut restored = server.base_backup("backup", &[]);
    log.append(updates(100..200)).await.unwrap();
    let time = server.psql("postgres", "select clock_timestamp()").unwrap();
    // The mistake: everything is deleted.
    log.append(updates(200..300)).await.unwrap();
    log.close().await.unwrap();
    before.delete(&id()).await.unwrap();
    archive(&server);
    server.stop();

    restored.write_file("data/recovery.signal", "");
    restored.configure(
        &format!(
            "archive_mode = off\nrestore_command = 'cp {archived}/%f %p'\n\
             recovery_target_time = '{}'\nrecovery_target_action = promote",
            time.trim(),
        ),
        None,
    );
    let until = Instant::now() + Duration::from_secs(120);
    while restored.psql("postgres", "select pg_is_in_recovery()").unwrap().trim() != "f" {
        assert!(Instant::now() < until, "the recovery does not end");
        std::thread::sleep(Duration::from_millis(20));
    }
    let database = restored.own(&database);
    let after = PostgresStore::connect(&quick(&database)).await.unwrap();
    assert_eq!(read(&after, &id()).await, updates(0..200));
    // The lease of the log came back, too, and ends like any other.
    assert!(matches!(after.open(&id()).await.err(), Some(StoreError::Busy { until: Some(_), .. })));
    restored.psql(&database.name, "update acp_session set lease_until = now() where lease_until is not null");
    let mut log = after.open(&id()).await.unwrap();
    log.append(updates(200..203)).await.unwrap();
    log.close().await.unwrap();
    assert_eq!(read(&after, &id()).await, updates(0..203));
}
