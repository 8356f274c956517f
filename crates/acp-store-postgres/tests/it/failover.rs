//! A failover: two servers with synchronous replication, of which the standby is promoted.

use std::time::{Duration, Instant};

use acp_agent::store::{SessionStore as _, StoreError};
use acp_store_postgres::{Options, PostgresStore, migrate};

use crate::server::{Server, server_or_skip};
use crate::{id, info, read, updates};

/// Nothing that was acknowledged is lost, and the log goes on with the new primary.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_standby_that_is_promoted_has_every_acknowledged_record() {
    let mut primary = server_or_skip!(Server::start());
    let database = primary.database();
    let mut standby = primary.standby("standby");
    primary.psql("postgres", "alter system set synchronous_standby_names = 'standby'").unwrap();
    primary.psql("postgres", "select pg_reload_conf()").unwrap();
    let until = Instant::now() + Duration::from_secs(120);
    let synchronous = "select count(*) from pg_stat_replication where sync_state = 'sync'";
    while primary.psql("postgres", synchronous).as_deref().map(str::trim) != Some("1") {
        assert!(Instant::now() < until, "the standby does not follow");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let options = Options::new(&database.url_of(&[&primary, &standby])).unwrap();
    let options = options.attempt(Duration::from_secs(1)).patience(Duration::from_secs(300));
    migrate(&options).await.unwrap();
    let store = PostgresStore::connect(&options).await.unwrap();
    let mut log = store.create(info()).await.unwrap();
    let (acknowledge, mut acknowledged) = tokio::sync::watch::channel(0);
    let writing = tokio::spawn(async move {
        let mut number = 0;
        while number < 400 {
            log.append(updates(number..number + 2)).await?;
            number += 2;
            let _ = acknowledge.send(number);
        }
        log.close().await?;
        Ok::<_, StoreError>(number)
    });
    acknowledged.wait_for(|number| *number >= 50).await.unwrap();
    // The old primary first: two primaries would both take records.
    primary.kill();
    let before = *acknowledged.borrow();
    standby.promote();
    let found = read(&store, &id()).await;
    assert!(found.len() >= before, "{} of {before} acknowledged records", found.len());
    assert_eq!(writing.await.unwrap().unwrap(), 400);
    assert_eq!(read(&store, &id()).await, updates(0..400));
    drop(standby);
}
