//! An agent that offers the tools of every MCP server it is given. It has no model: the prompt
//! names the tool to call.
//!
//! ```sh
//! acp prompt tools --mcp 'files=npx -y @modelcontextprotocol/server-filesystem .' -- mcp_agent
//! acp prompt 'files__list_directory {"path": "."}' --mcp 'files=npx …' -- mcp_agent
//! ```

use acp_agent::mcp::{Server, State};
use acp_agent::{Error, Mcp, Result, StopReason, Turn, Value, agent};

struct McpAgent;

#[agent(name = "mcp_agent", mcp)]
impl McpAgent {
    async fn prompt(&self, turn: Turn, mcp: Mcp) -> Result<StopReason> {
        let text = turn.text();
        match text.trim().split_once(char::is_whitespace).unwrap_or((text.trim(), "{}")) {
            ("" | "tools", _) => list(&turn, &mcp).await?,
            ("servers", _) => tell(&turn, &mcp).await?,
            (name, arguments) => call(&turn, &mcp, name, arguments).await?,
        }
        Ok(StopReason::EndTurn)
    }
}

/// The text that a model would be given.
async fn list(turn: &Turn, mcp: &Mcp) -> Result<()> {
    let tools = mcp.tools().await;
    if tools.is_empty() {
        turn.say("There are no tools: start me with `acp prompt --mcp NAME=COMMAND`.").await?;
    }
    for tool in tools {
        let first = tool.description.lines().next().unwrap_or_default();
        turn.say(format!("- `{}`: {first}\n", tool.name)).await?;
    }
    Ok(())
}

async fn tell(turn: &Turn, mcp: &Mcp) -> Result<()> {
    mcp.connected().await;
    for Server { name, state, .. } in mcp.servers() {
        let state = match state {
            State::Connected { version, .. } => format!("speaks MCP {version}"),
            State::Failed { reason, .. } => format!("failed: {reason}"),
            _ => "is on its way".to_owned(),
        };
        turn.say(format!("- `{name}` {state}\n")).await?;
    }
    Ok(())
}

/// The text that a model would answer: a name, and arguments.
async fn call(turn: &Turn, mcp: &Mcp, name: &str, arguments: &str) -> Result<()> {
    let arguments: Value = serde_json::from_str(arguments)
        .map_err(|error| Error::from(format!("the arguments of `{name}` are not JSON: {error}")))?;
    let outcome = mcp.call_tool(turn, name, arguments).await?;
    turn.say(outcome.text()).await
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    acp_agent::serve_stdio(McpAgent).await
}
