//! Calls of tools, as tool calls of a turn.

use acp_mcp::{CallOptions, McpError, Progress, ToolOutcome};
use acp_types::Value;
use acp_types::v1::{Content, ContentBlock, ToolCallStatus, ToolCallUpdate};
use tokio::sync::watch;

use super::mcp::Mcp;
use crate::error::{Error, Result};
use crate::turn::Turn;
use crate::turn::tool::RunningTool;

impl Mcp {
    /// Calls a tool as a tool call of the turn. The tool call is reported as in progress, with the
    /// arguments as `rawInput` and with the server's reports of progress. At the end it has all the
    /// content, and the whole result as `rawOutput`.
    ///
    /// The turn's cancellation cancels the call at the server, and the tool call is reported as
    /// failed.
    ///
    /// A failure that the tool reports is not an error here, but [`ToolOutcome::is_error`]: the
    /// model should see why.
    ///
    /// ```
    /// # use acp_agent::{Result, StopReason, Turn};
    /// # use acp_agent::mcp::Mcp;
    /// # struct Agent; impl Agent {
    /// async fn prompt(&self, turn: Turn, mcp: Mcp) -> Result<StopReason> {
    ///     let arguments: acp_agent::Value =
    ///         serde_json::from_str(r#"{"path": "notes.txt"}"#).map_err(acp_agent::Error::other)?;
    ///     let outcome = mcp.call_tool(&turn, "files__read_file", arguments).await?;
    ///     turn.say(outcome.text()).await?;
    ///     Ok(StopReason::EndTurn)
    /// }
    /// # }
    /// ```
    ///
    /// # Errors
    /// No connected server has the tool; the server cannot be reached, or answers with an error,
    /// which the tool call shows, too; the errors of [`Turn::update`].
    pub async fn call_tool(
        &self,
        turn: &Turn,
        name: &str,
        arguments: impl Into<Value>,
    ) -> Result<ToolOutcome> {
        let arguments = arguments.into();
        let mut tool = self.tool(name);
        if tool.is_none() {
            // The tool's server may still be on its way.
            tool = self.tools().await.into_iter().find(|tool| tool.name == name);
        }
        let tool = tool.ok_or_else(|| unknown(name))?;
        let running = turn.start_tool(tool.call(arguments.clone())).await?;
        self.run_tool(running, name, arguments).await
    }

    /// Calls a tool for a tool call that the agent has started by itself: under the id that the
    /// model gave it, or after a question to the user.
    ///
    /// # Errors
    /// The errors of [`call_tool`](Self::call_tool).
    pub async fn run_tool(
        &self,
        tool: RunningTool,
        name: &str,
        arguments: impl Into<Value>,
    ) -> Result<ToolOutcome> {
        let turn = tool.turn().clone();
        let server = self.tool(name).map(|tool| tool.server).unwrap_or_default();
        let _entered = self.inner.calls.enter(tool.id(), &server, &turn);
        // The latest report is enough. A slow client need not see all of them.
        let (sender, mut progress) = watch::channel(None);
        let options = CallOptions::new()
            .tool_call(tool.id().clone())
            .on_progress(move |progress| drop(sender.send(Some(progress))));
        let calling = async {
            let called = self.inner.servers.call_tool(name, arguments.into(), options);
            tokio::pin!(called);
            loop {
                tokio::select! {
                    biased;
                    outcome = &mut called => return Ok(outcome),
                    Ok(()) = progress.changed() => {
                        let progress = progress.borrow_and_update().as_ref().map(words);
                        if let Some(words) = progress {
                            tool.show(words).await?;
                        }
                    }
                }
            }
        };
        // Dropped, the call is cancelled at the server.
        let outcome = turn.heeding(calling).await?;
        finish(tool, outcome).await
    }
}

async fn finish(tool: RunningTool, outcome: Result<ToolOutcome, McpError>) -> Result<ToolOutcome> {
    match outcome {
        Ok(outcome) => {
            let status = if outcome.is_error { ToolCallStatus::Failed } else { ToolCallStatus::Completed };
            let update = ToolCallUpdate::new(tool.id())
                .content(outcome.tool_call_content())
                .raw_output(outcome.raw.clone());
            tool.finish(update, status).await?;
            Ok(outcome)
        }
        Err(error) => {
            tool.fail(error.to_string()).await?;
            Err(Error::other(error))
        }
    }
}

fn unknown(name: &str) -> Error {
    Error::other(McpError::UnknownTool { name: name.to_owned() })
}

/// Describes the progress for people.
fn words(progress: &Progress) -> Content {
    let Progress { progress, total, message, .. } = progress;
    let done = match total {
        Some(total) => format!("{progress} of {total}"),
        None => progress.to_string(),
    };
    Content::new(ContentBlock::text(match message {
        Some(message) => format!("{message} ({done})"),
        None => done,
    }))
}
