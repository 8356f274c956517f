//! Starts an agent of either version, prompts it once and prints its answer:
//! `one_shot_both "What is here?" -- my-agent --acp`

use acp_client::{Command, LocalFs, PermissionPolicy, ProtocolVersion};
use std::io::{Write, stderr, stdout};

#[tokio::main(flavor = "current_thread")]
async fn main() {
    if let Err(error) = run().await {
        let _ = writeln!(stderr(), "{error}");
        std::process::exit(1);
    }
}

async fn run() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let given = args.next().zip(args.nth(1));
    let (prompt, program) = given.ok_or("usage: one_shot_both PROMPT -- AGENT [ARGS…]")?;
    let cwd = std::env::current_dir()?;
    let agent = acp_client::spawn(Command::new(program).args(args))
        .versions([ProtocolVersion::V2, ProtocolVersion::V1])
        .fs(LocalFs::rooted(&cwd)?)
        .permissions(PermissionPolicy::allow_once())
        .await?;
    let mut turn = agent.new_session(&cwd).await?.prompt(prompt).await?;
    while let Some(event) = turn.next().await {
        write!(stdout(), "{}", event.text().unwrap_or_default())?;
        stdout().flush()?;
    }
    writeln!(stdout(), "\n[{}]", turn.finish().await?.stop_reason)?;
    agent.close().await;
    Ok(())
}
