//! Sessions on PostgreSQL: appends, loads and saturation, beside the journal and beside the least
//! that the server can do for the same bytes. It starts a server of its own.
//!
//! `bench-postgres [appends | loads | saturation]…` measures these parts, or all of them.

mod load;
mod saturation;
#[allow(dead_code, unreachable_pub, unused_imports, unused_macros, reason = "the server of the tests")]
#[path = "../../../crates/acp-store-postgres/tests/it/server.rs"]
mod server;
mod stream;
mod text;

use acp_store_postgres::{Options, PostgresStore, migrate};
use anyhow::{Context as _, Result};

use self::server::{Database, Server};

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
        // This program is also the agent that loads, and what writes lines beside it.
        Some("agent") => return load::serve(arguments.get(1).context("no URL")?).await,
        Some("lines") => return load::write_lines(),
        _ => {}
    }
    let is_asked = |part: &str| arguments.is_empty() || arguments.iter().any(|argument| argument == part);
    let mut server = Server::start().context("no PostgreSQL")?;
    // Checkpoints come between the contestants, and not in the middle of one.
    server.configure("max_wal_size = '8GB'\ncheckpoint_timeout = '1h'", None);
    let database = server.database();
    let store = connect(&database, 8).await?;
    println!("| | store | the least | ratio | bar | journal |\n|---|---|---|---|---|---|");
    if is_asked("appends") {
        stream::appends(&server, &database, &store).await?;
    }
    if is_asked("loads") {
        stream::loads(&database, &store).await?;
        load::through_an_agent(&database).await?;
    }
    if is_asked("saturation") {
        saturation::measure(&server, &database, &store).await?;
    }
    Ok(())
}

fn options(database: &Database, connections: usize) -> Result<Options> {
    Ok(Options::new(&database.url())?.connections(connections))
}

async fn connect(database: &Database, connections: usize) -> Result<PostgresStore> {
    let options = options(database, connections)?;
    migrate(&options).await?;
    Ok(PostgresStore::connect(&options).await?)
}

/// Writes what waits to be written, so that no contestant pays for what those before it did.
fn checkpoint(server: &Server) -> Result<()> {
    server.psql("postgres", "checkpoint").map(drop).context("no checkpoint")
}

/// Returns the value in the middle.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
