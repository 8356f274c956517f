//! An editor that changes one text at a time, in view of the user and with permission: `notes.txt:
//! bread -> cake`

use std::path::{Component, Path, PathBuf};

use acp_agent::types::{Diff, ToolCallLocation};
use acp_agent::{Error, NewSession, Result, Session, StopReason, ToolCall, Turn, agent};

struct Editor;

#[agent(name = "editor-agent", title = "Editor")]
impl Editor {
    async fn new_session(&self, open: NewSession) -> Result<PathBuf> {
        Ok(open.cwd().to_owned())
    }

    async fn prompt(&self, turn: Turn, folder: Session<PathBuf>) -> Result<StopReason> {
        let text = turn.text();
        let Some(change) = Change::parse(&text) else {
            turn.say("Say in which file, and what: `notes.txt: bread -> cake`.").await?;
            return Ok(StopReason::EndTurn);
        };
        turn.title(format!("Changes {}", change.file)).await?;
        let answer = change.make(&turn, &folder.join(change.file)).await?;
        turn.say(answer).await?;
        Ok(StopReason::EndTurn)
    }
}

/// The change that a prompt asks for.
struct Change<'a> {
    /// Relative to the session's folder.
    file: &'a str,
    old: &'a str,
    new: &'a str,
}

impl<'a> Change<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let (file, change) = text.split_once(':')?;
        let (old, new) = change.split_once("->")?;
        let (file, old, new) = (file.trim(), old.trim(), new.trim());
        let inside = Path::new(file).components().all(|part| matches!(part, Component::Normal(_)));
        (inside && !file.is_empty() && !old.is_empty()).then_some(Change { file, old, new })
    }

    /// Makes the change if the user allows it, and returns the answer to the user.
    async fn make(&self, turn: &Turn, path: &Path) -> Result<&'static str> {
        let fs = turn.fs().filter(|fs| fs.can_read() && fs.can_write());
        let fs = fs.ok_or_else(|| Error::not_offered("fs"))?;
        let mut plan =
            turn.start_plan([format!("Read {}", self.file), format!("Change {}", self.file)]).await?;

        plan.start(0).await?;
        let before = turn.tool(ToolCall::read(path), fs.read_text(path)).await?;
        plan.complete(0).await?;
        let Some(line) = before.lines().position(|line| line.contains(self.old)) else {
            return Ok("That is not in the file.");
        };
        let after = before.replacen(self.old, self.new, 1);

        plan.start(1).await?;
        let place = path.display().to_string();
        let line = u32::try_from(line + 1).unwrap_or(u32::MAX);
        let call = ToolCall::edit(format!("Change {}", self.file))
            .locations([ToolCallLocation::new(place.as_str()).line(line)])
            .content([Diff::new(place, after.as_str()).old_text(before).into()]);
        // The call is announced before the question, so that the user sees the change.
        let tool = turn.announce_tool(call.clone()).await?;
        if !turn.ask_remembered(self.file, &call).await?.is_allowed() {
            tool.fail("The user has rejected this change.").await?;
            return Ok("Then it stays as it is.");
        }
        tool.start().await?;
        fs.write_text(path, after).await?;
        tool.complete().await?;
        plan.complete(1).await?;
        Ok("Done.")
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    acp_agent::serve_stdio(Editor).await
}
