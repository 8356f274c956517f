//! A long session that an agent loads for a client over pipes, beside `COPY` and the pipe.

use std::io::{BufWriter, Read as _, Write as _};
use std::time::Instant;

use acp_agent::{StopReason, Turn, agent};
use acp_store_postgres::{Options, PostgresStore};
use anyhow::{Context as _, Result, ensure};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, Command};

use crate::median;
use crate::server::Database;
use crate::stream::{UPDATES, copy_out, raw};
use crate::text::{Text, json};

const ROUNDS: usize = 31;

struct Silent(PostgresStore);

#[agent(name = "silent", store = self.0.clone())]
impl Silent {
    async fn prompt(&self, turn: Turn) -> acp_agent::Result<StopReason> {
        let _ = turn;
        Ok(StopReason::EndTurn)
    }
}

/// Serves sessions of the database over stdio.
pub(crate) async fn serve(url: &str) -> Result<()> {
    let store = PostgresStore::connect(&Options::new(url)?).await?;
    Ok(acp_agent::serve_stdio(Silent(store)).await?)
}

/// Writes the lines of the long session for each byte that it reads.
pub(crate) fn write_lines() -> Result<()> {
    let mut lines = String::new();
    for number in 0..UPDATES {
        let (start, update) =
            (r#"{"jsonrpc":"2.0","method":"session/update","params""#, json(Text::Words, number));
        lines.push_str(&format!("{start}:{{\"sessionId\":\"long\",\"update\":{update}}}}}\n"));
    }
    let (mut input, mut output) = (std::io::stdin(), BufWriter::new(std::io::stdout()));
    while input.read(&mut [0])? == 1 {
        output.write_all(lines.as_bytes())?;
        output.flush()?;
    }
    Ok(())
}

/// A process that this one asks for lines.
struct Peer(Child);

impl Peer {
    fn start(arguments: &[&str]) -> Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(arguments).kill_on_drop(true);
        command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
        Ok(Peer(command.spawn()?))
    }

    /// Sends a text, and reads so many lines. Returns milliseconds.
    async fn ask(&mut self, text: &str, lines: usize) -> Result<f64> {
        let stdin = self.0.stdin.as_mut().context("no stdin")?;
        let stdout = self.0.stdout.as_mut().context("no stdout")?;
        let started = Instant::now();
        stdin.write_all(text.as_bytes()).await?;
        let (mut found, mut bytes) = (0, vec![0; 64 * 1024]);
        while found < lines {
            let count = stdout.read(&mut bytes).await?;
            ensure!(count > 0, "{found} lines of {lines}");
            found += bytes[..count].iter().filter(|byte| **byte == b'\n').count();
        }
        ensure!(found == lines, "{found} lines of {lines}");
        Ok(started.elapsed().as_secs_f64() * 1e3)
    }
}

pub(crate) async fn through_an_agent(database: &Database) -> Result<()> {
    let client = raw(database).await?;
    let (mut agent, mut pipe) = (Peer::start(&["agent", &database.url()])?, Peer::start(&["lines"])?);
    let initialize = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}"#;
    agent.ask(&format!("{initialize}\n"), 1).await?;
    let load = r#"{"jsonrpc":"2.0","id":1,"method":"session/load","params":{"sessionId":"long","cwd":"/work","mcpServers":[]}}"#;
    let (mut ours, mut leasts, mut ratios) = (vec![], vec![], vec![]);
    for _ in 0..ROUNDS {
        let mine = agent.ask(&format!("{load}\n"), UPDATES + 1).await?;
        let least = copy_out(&client).await? + pipe.ask(".", UPDATES).await?;
        ours.push(mine);
        leasts.push(least);
        ratios.push(mine / least);
    }
    let [ours, least, ratio] = [ours, leasts, ratios].map(median);
    println!(
        "| load of 100,000 updates over a pipe, ms; the least: `COPY` and the pipe | {ours:.0} | {least:.0} | {ratio:.2}x | <= 1.5x | |"
    );
    Ok(())
}
