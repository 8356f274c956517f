//! Running commands: show the command, ask, run it in the client's terminal or as a child.

use acp_agent::types::ToolCall;
use acp_agent::{Result, RunningTool, Shell, ShellOutput};

use super::planner::Outcome;
use super::tools::{Tools, ends_turn};

/// The most output of a command that is kept, in bytes.
const MAX_OUTPUT: usize = 16 * 1024;

impl Tools<'_> {
    /// Runs a command in the session's folder if the user allows it.
    ///
    /// # Errors
    /// Fails if the turn was cancelled or the client is gone.
    pub(super) async fn run(&self, call: ToolCall, program: &str, args: &[String]) -> Result<Outcome> {
        let command = self.turn.shell(program).args(args).output_byte_limit(MAX_OUTPUT);
        // The call is shown before the question, so that the user sees the command.
        let mut tool = self.turn.announce_tool(call.clone()).await?;
        let line: Vec<&str> = std::iter::once(program).chain(args.iter().map(String::as_str)).collect();
        match self.run_if_allowed(&mut tool, &call, &line, command).await {
            Ok(Some(result)) => {
                let failed = result.failure();
                match &failed {
                    None => tool.complete().await?,
                    Some(reason) => tool.fail(reason).await?,
                }
                Ok(Outcome::Ran { output: result.output, failed })
            }
            Ok(None) => {
                tool.fail("The user has rejected this command.").await?;
                Ok(Outcome::Rejected)
            }
            // The dropped tool call reports itself as failed, and the command has ended.
            Err(error) if ends_turn(&error) => Err(error),
            Err(error) => {
                let reason = error.to_string();
                tool.fail(reason.clone()).await?;
                Ok(Outcome::Failed(reason))
            }
        }
    }

    /// Asks, unless the user has decided about this command for good, and runs it. Returns `None`
    /// after a no.
    async fn run_if_allowed(
        &self,
        tool: &mut RunningTool,
        call: &ToolCall,
        line: &[&str],
        command: Shell,
    ) -> Result<Option<ShellOutput>> {
        // The key is the whole command line. With the program alone, a yes to one line of a shell,
        // an interpreter or a build tool would cover all of them.
        if !self.turn.ask_remembered(format!("run {line:?}"), call).await?.is_allowed() {
            return Ok(None);
        }
        tool.start().await?;
        command.run_in(tool).await.map(Some)
    }
}
