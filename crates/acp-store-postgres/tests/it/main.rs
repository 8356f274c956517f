//! Tests with a real PostgreSQL server, which they start themselves.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test stops at a broken assumption, and says loudly that it was skipped"
)]
#![cfg(unix)]

mod conformance;
mod copy;
mod extremes;
mod failover;
mod fencing;
mod given_up;
mod kill;
mod loss;
mod migrations;
mod options;
mod outages;
mod recovery;
mod replicas;
mod retention;
mod server;
#[cfg(feature = "tls-rustls")]
mod tls;
mod turns;

use std::time::Duration;

use acp_agent::store::{Record, RecordKind, SessionStore};
use acp_store_postgres::{Options, PostgresStore, migrate};
use acp_types::v1::{SessionId, SessionInfo};

use self::server::Database;

/// Connects to a new database, which gets its tables.
async fn store(database: &Database) -> PostgresStore {
    connect(&quick(database)).await
}

async fn connect(options: &Options) -> PostgresStore {
    migrate(options).await.unwrap();
    PostgresStore::connect(options).await.unwrap()
}

/// Options whose limits are short.
fn quick(database: &Database) -> Options {
    Options::new(&database.url()).unwrap().attempt(Duration::from_secs(1)).patience(Duration::from_secs(20))
}

fn id() -> SessionId {
    SessionId::from("one")
}

fn info() -> SessionInfo {
    SessionInfo::new("one", "/work")
}

fn updates(numbers: std::ops::Range<usize>) -> Vec<Record> {
    numbers.map(|number| Record::new(RecordKind::Update, number.to_string()).unwrap()).collect()
}

/// Returns all records of a session.
async fn read(store: &dyn SessionStore, session: &SessionId) -> Vec<Record> {
    let (mut records, mut all) = (store.read(session).await.unwrap(), Vec::new());
    loop {
        match records.next().await.unwrap() {
            batch if batch.is_empty() => return all,
            batch => all.extend(batch),
        }
    }
}
