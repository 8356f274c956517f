//! The client: what it shows of a turn.

use std::path::Path;

use acp_client::v1::StopReason;
use acp_client::{Agent, Error, Event};

/// Prompts the agent once in a new session, and shows its text and its tool calls as they come.
///
/// # Errors
/// Fails if the agent refuses, or goes away.
pub async fn prompt(
    agent: &Agent,
    cwd: &Path,
    text: &str,
    mut show: impl FnMut(&str),
) -> Result<StopReason, Error> {
    let session = agent.new_session(cwd).await?;
    let mut turn = session.prompt(text).await?;
    while let Some(event) = turn.next().await {
        match &event {
            Event::ToolCall(call) => show(&format!("\n[{}]\n", call.title)),
            // Thoughts, the plan and usage are events too.
            _ => show(event.text().unwrap_or_default()),
        }
    }
    Ok(turn.finish().await?.stop_reason.clone())
}
