//! A client that provides an MCP server over the connection (see `../../README.md`).
//!
//! It is called as `mcp_client <scenario> -- <agent command>`.

mod server;

use std::error::Error;
use std::io::{Write as _, stdout};

use acp_client::{Command, McpProvider, Session};
use serde_json::{Value, json};

use crate::server::Far;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let given = args.next().zip(args.nth(1));
    let (scenario, program) = given.ok_or("usage: mcp_client SCENARIO -- AGENT [ARGS…]")?;
    let scenario: Value = serde_json::from_str(&scenario)?;
    let (provider, far) = (McpProvider::new(), Far::default());
    let server = provider.add("far", far.clone());
    let agent = acp_client::spawn(Command::new(program).args(args)).client(provider).await?;
    let cwd = scenario["cwd"].as_str().ok_or("the scenario has no `cwd`")?;
    let session = agent.new_session(cwd).mcp_server(server).await?;
    let mut turns = Vec::new();
    for turn in scenario["turns"].as_array().ok_or("the scenario has no `turns`")? {
        let prompt = turn["prompt"].as_str().ok_or("a turn has no `prompt`")?;
        turns.push(run(&session, prompt).await);
    }
    let report = json!({ "turns": turns, "cancelled": far.cancelled(), "faults": agent.faults() });
    agent.close().await;
    writeln!(stdout(), "{report}")?;
    Ok(())
}

/// How a turn ended.
async fn run(session: &Session, prompt: &str) -> Value {
    let ended = async { session.prompt(prompt).await?.finish().await }.await;
    match ended {
        Ok(response) => json!({ "stopReason": response.stop_reason.to_string() }),
        Err(error) => json!({ "error": error.to_string() }),
    }
}
