//! The conformance suite for stores, directly and through a pooler.

use std::sync::Arc;
use std::time::Duration;

use acp_agent::store::SessionStore;
use acp_store_postgres::Options;
use testkit::store::check_store;

use crate::server::{Bouncer, Database, Server, server_or_skip};
use crate::{quick, store};

/// Runs the suite. Each case has a database of its own, and two pools of connections.
async fn check(server: &Server, way: impl Fn(Database) -> Options) {
    let report = check_store(async || {
        let database = server.database();
        drop(store(&database).await);
        let options = way(database);
        let mut stores: Vec<Arc<dyn SessionStore>> = Vec::new();
        for _ in 0..2 {
            stores.push(Arc::new(acp_store_postgres::PostgresStore::connect(&options).await.unwrap()));
        }
        stores.try_into().ok().unwrap()
    })
    .await;
    assert!(report.has_passed(), "{report}");
    assert!(!report.to_string().contains("unsupported"), "{report}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_passes() {
    let server = server_or_skip!(Server::shared());
    // No case passes because a lease ends that nobody has given up.
    check(server, |database| quick(&database).lease(Duration::from_secs(3600))).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_behind_pgbouncer_in_transaction_mode_passes() {
    let server = server_or_skip!(Server::shared());
    let bouncer = server_or_skip!(Bouncer::before(server));
    check(server, |database| quick(&bouncer.to(&database))).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_with_prepared_statements_passes() {
    let server = server_or_skip!(Server::shared());
    check(server, |database| quick(&database).prepared_statements(true)).await;
}
