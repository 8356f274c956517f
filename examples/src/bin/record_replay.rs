//! Records the messages of a turn, and plays the agent's part back without the agent:
//!
//! ```text
//! record_replay record turn.ndjson "What is here?" -- my-agent --acp
//! record_replay replay turn.ndjson "What is here?"
//! ```
//!
//! A recording has one JSON object a line, with secrets redacted. Played back, it makes a test that
//! needs neither the agent nor its model.

use std::error::Error;
use std::io::{Write, stdout};

use acp_client::tap::{self, Direction, Recorder, Recording};
use acp_client::{Command, Connect, LocalFs, Options, PermissionPolicy};

const USAGE: &str =
    "usage: record_replay record FILE PROMPT -- AGENT [ARGS…]\n       record_replay replay FILE PROMPT";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args.as_slice() {
        ["record", file, prompt, "--", program, args @ ..] => {
            record(file, prompt, Command::new(program).args(args)).await
        }
        ["replay", file, prompt] => replay(file, prompt).await,
        _ => Err(USAGE.into()),
    }
}

async fn record(file: &str, prompt: &str, agent: Command) -> Result<(), Box<dyn Error>> {
    let recorder = Recorder::create(file)?;
    let options = Options::default().tap(recorder.tap());
    let done = turn(acp_client::spawn(agent).options(options), prompt).await;
    // A failed turn is recorded to its end, too.
    let dropped = recorder.finish()?;
    if dropped > 0 {
        return Err(format!("{dropped} messages are missing from {file}").into());
    }
    done
}

async fn replay(file: &str, prompt: &str) -> Result<(), Box<dyn Error>> {
    // The recorded input is the agent's part.
    let (transport, agent) = tap::replay(Recording::open(file)?, Direction::In)?;
    let agent = tokio::spawn(agent);
    let done = turn(acp_client::connect(transport), prompt).await;
    let replayed = agent.await?;
    if !replayed.is_faithful() {
        return Err(format!("not what was recorded: {replayed}").into());
    }
    writeln!(stdout(), "[{replayed}]")?;
    done
}

/// Runs the turn, both times alike: a recording fits only a client that acts as it did then.
async fn turn(connect: Connect, prompt: &str) -> Result<(), Box<dyn Error>> {
    let cwd = std::env::current_dir()?;
    let files = LocalFs::rooted(&cwd)?;
    let agent = examples::in_version(connect).fs(files).permissions(PermissionPolicy::allow_once()).await?;
    let session = agent.new_session(&cwd).await?;
    let mut turn = session.prompt(prompt).await?;
    while let Some(event) = turn.next().await {
        write!(stdout(), "{}", event.text().unwrap_or_default())?;
        stdout().flush()?;
    }
    writeln!(stdout(), "\n[{}]", turn.finish().await?.stop_reason)?;
    agent.close().await;
    Ok(())
}
