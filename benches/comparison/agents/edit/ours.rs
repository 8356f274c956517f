//! Appends what it is told to `notes.txt`, if the user allows it.

use std::path::PathBuf;

use acp_agent::types::Diff;
use acp_agent::{Error, NewSession, Result, Session, StopReason, ToolCall, Turn, agent};

struct Editor;

#[agent(name = "editor", version = "1.0.0")]
impl Editor {
    async fn new_session(&self, open: NewSession) -> Result<PathBuf> {
        Ok(open.cwd().join("notes.txt"))
    }

    async fn prompt(&self, turn: Turn, notes: Session<PathBuf>) -> Result<StopReason> {
        let fs = turn.fs().ok_or_else(|| Error::not_offered("fs"))?;
        let old = fs.read_text(&*notes).await?;
        let new = format!("{old}{}\n", turn.text());
        let diff = Diff::new(notes.to_string_lossy(), new.as_str()).old_text(old);
        let call = ToolCall::edit("Append to notes.txt").content([diff.into()]);
        let tool = turn.announce_tool(call.clone()).await?;
        if !turn.ask(&call).await?.is_allowed() {
            tool.fail("The user has rejected this change.").await?;
            return Ok(StopReason::EndTurn);
        }
        tool.start().await?;
        fs.write_text(&*notes, new).await?;
        tool.complete().await?;
        turn.say("Done.").await?;
        Ok(StopReason::EndTurn)
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    acp_agent::serve_stdio(Editor).await
}
