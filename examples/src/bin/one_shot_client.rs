//! Starts an agent, prompts it once and prints its answer: `one_shot_client "What is here?" -- my-agent --acp`

use std::error::Error;
use std::io::Write;

use acp_client::{Command, LocalFs, PermissionPolicy};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(prompt), Some(_), Some(program)) = (args.next(), args.next(), args.next()) else {
        return Err("usage: one_shot_client PROMPT -- AGENT [ARGS…]".into());
    };
    let cwd = std::env::current_dir()?;
    let agent = acp_client::spawn(Command::new(program).args(args))
        .fs(LocalFs::rooted(&cwd)?)
        .permissions(PermissionPolicy::allow_once())
        .await?;
    let session = agent.new_session(&cwd).await?;
    let mut turn = session.prompt(prompt).await?;
    let mut out = std::io::stdout();
    while let Some(event) = turn.next().await {
        if let Some(text) = event.text() {
            write!(out, "{text}")?;
            out.flush()?;
        }
    }
    writeln!(out, "\n[{}]", turn.finish().await?.stop_reason)?;
    agent.close().await;
    Ok(())
}
