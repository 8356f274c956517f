//! Sessions on PostgreSQL: appends, loads and saturation, beside the journal and beside the least
//! that the server can do for the same bytes. It starts a server of its own.

mod saturation;
#[allow(dead_code, unreachable_pub, unused_imports, unused_macros, reason = "the server of the tests")]
#[path = "../../../crates/acp-store-postgres/tests/it/server.rs"]
mod server;
mod stream;

use acp_store_postgres::{Options, PostgresStore, migrate};
use anyhow::{Context as _, Result};

use self::server::{Database, Server};

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> Result<()> {
    let server = Server::start().context("no PostgreSQL")?;
    let database = server.database();
    let store = connect(&database, 8).await?;
    println!("| | store | the least | ratio | bar | journal |\n|---|---|---|---|---|---|");
    stream::appends(&database, &store).await?;
    stream::loads(&database, &store).await?;
    saturation::measure(&server, &database, &store).await
}

async fn connect(database: &Database, connections: usize) -> Result<PostgresStore> {
    let options = Options::new(&database.url())?.connections(connections);
    migrate(&options).await?;
    Ok(PostgresStore::connect(&options).await?)
}

/// Returns the value in the middle.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
