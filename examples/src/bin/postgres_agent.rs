//! An agent whose sessions are on PostgreSQL: each of its processes, on any machine, goes on with
//! them.
//!
//! `postgres_agent URL --migrate` makes the tables and ends. `postgres_agent URL [SECONDS]` serves.
//! After these seconds, 30 by default, another process may have the sessions of one that has died.
//! Behind `acp serve --principal-env CLIENT` each client has sessions of its own.

use std::time::Duration;

use acp_agent::{Serve, StopReason, Turn, agent};
use acp_store_postgres::{Options, PostgresStore, migrate};
use examples::Failure;

struct Echo {
    sessions: PostgresStore,
}

#[agent(name = "postgres_agent", store = self.sessions.clone())]
impl Echo {
    /// Says the prompt again, word by word.
    async fn prompt(&self, turn: Turn) -> acp_agent::Result<StopReason> {
        turn.say("You said:").await?;
        for word in turn.text().split_whitespace() {
            turn.say(format!(" {word}")).await?;
        }
        Ok(StopReason::EndTurn)
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let url = arguments.next().ok_or("usage: postgres_agent URL [--migrate | SECONDS]")?;
    // A process serves one connection, and needs no more to the database.
    let mut options = Options::new(&url)?.connections(1);
    match arguments.next().as_deref() {
        Some("--migrate") => {
            migrate(&options).await?;
            return Ok(());
        }
        Some(seconds) => options = options.lease(Duration::from_secs(seconds.parse()?)),
        None => {}
    }
    let sessions = PostgresStore::connect(&options).await?;
    let mut serve = Serve::new(Echo { sessions });
    if let Ok(client) = std::env::var("CLIENT") {
        serve = serve.principal(client);
    }
    Ok(serve.stdio().await?)
}
