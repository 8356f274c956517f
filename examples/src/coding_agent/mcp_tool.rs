//! Calling the tools of the session's MCP servers: show the call, ask, call.

use acp_agent::types::ToolKind;
use acp_agent::{Result, Value};

use super::planner::{Action, Outcome};
use super::tools::{Tools, ends_turn};

impl Tools<'_> {
    /// Calls a tool if the user allows it. An answer for always covers all calls of this tool.
    ///
    /// # Errors
    /// Fails if the turn was cancelled or the client is gone.
    pub(super) async fn call_tool(&self, action: &Action, name: &str, arguments: &str) -> Result<Outcome> {
        let mut call = self.call(format!("Call {name}"), ToolKind::Other, action);
        let Some(tool) = self.mcp.tool(name) else {
            return self.refuse(call, &format!("no MCP server has a tool `{name}`")).await;
        };
        let Ok(arguments) = arguments.parse::<Value>() else {
            return self.refuse(call, &format!("the arguments of `{name}` are not JSON")).await;
        };
        call.title.clone_from(&tool.title);
        let running = self.turn.announce_tool(call.clone()).await?;
        let asked = self.turn.ask_remembered(format!("tool {name}"), &call).await;
        match asked {
            Ok(answer) if answer.is_allowed() => running.start().await?,
            Ok(_) => {
                running.fail("The user has rejected this call.").await?;
                return Ok(Outcome::Rejected);
            }
            Err(error) if ends_turn(&error) => return Err(error),
            Err(error) => {
                let reason = error.to_string();
                running.fail(&reason).await?;
                return Ok(Outcome::Failed(reason));
            }
        }
        match self.mcp.run_tool(running, name, arguments).await {
            Ok(outcome) => Ok(Outcome::Text(outcome.text())),
            Err(error) if ends_turn(&error) => Err(error),
            Err(error) => Ok(Outcome::Failed(error.to_string())),
        }
    }
}
