//! Running commands: show what is going to run, ask, run it in a terminal of the client's.

use acp_agent::types::{TerminalExitStatus, TerminalOutputResponse, ToolCall};
use acp_agent::{Command, Result, RunningTool};

use super::planner::Outcome;
use super::tools::{Tools, ends_turn};

/// How much output of a command is kept, in bytes.
const MAX_OUTPUT: u64 = 16 * 1024;

impl Tools<'_> {
    /// Runs a command in the session's folder if the user allows it.
    ///
    /// # Errors
    /// The turn was cancelled, or the client is gone.
    pub(super) async fn run(&self, call: ToolCall, program: &str, args: &[String]) -> Result<Outcome> {
        let Some(terminals) = self.turn.terminals() else {
            return self.refuse(call, "the client offers no terminals").await;
        };
        let folder = self.chat.workspace().root();
        let command = terminals.command(program).args(args).cwd(folder).output_byte_limit(MAX_OUTPUT);
        // Before the question, so that the user sees what it is about.
        let mut tool = self.turn.announce_tool(call.clone()).await?;
        let line: Vec<&str> = std::iter::once(program).chain(args.iter().map(String::as_str)).collect();
        match self.run_if_allowed(&mut tool, &call, &line, command).await {
            Ok(Some(result)) => {
                let failed = why_failed(&result.exit_status.unwrap_or_default());
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
            // The tool call is dropped, and with that reported as failed; the terminal is released.
            Err(error) if ends_turn(&error) => Err(error),
            Err(error) => {
                let reason = error.to_string();
                tool.fail(reason.clone()).await?;
                Ok(Outcome::Failed(reason))
            }
        }
    }

    /// Asks, unless the user has decided about this command for good, and runs it; `None` if the user has said no.
    async fn run_if_allowed(
        &self,
        tool: &mut RunningTool,
        call: &ToolCall,
        line: &[&str],
        command: Command,
    ) -> Result<Option<TerminalOutputResponse>> {
        // Not the program alone: a yes to one line of a shell, an interpreter or a build tool would be one to all of them.
        if !self.turn.ask_remembered(format!("run {line:?}"), call).await?.is_allowed() {
            return Ok(None);
        }
        tool.start().await?;
        command.run_in(tool).await.map(Some)
    }
}

/// How a command has ended, unless it has ended well.
fn why_failed(status: &TerminalExitStatus) -> Option<String> {
    match (&status.signal, status.exit_code) {
        (Some(signal), _) => Some(format!("ended by {signal}")),
        (None, Some(0)) => None,
        (None, Some(code)) => Some(format!("exit code {code}")),
        (None, None) => Some("nobody knows how it ended".to_owned()),
    }
}
