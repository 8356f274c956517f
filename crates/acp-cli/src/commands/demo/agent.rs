//! The agent of `acp demo`: replaces a text in a file, in view of the user and with permission.

use std::path::{Component, Path, PathBuf};

use acp_agent::types::Diff;
use acp_agent::{Error, NewSession, Result, Session, StopReason, ToolCall, Turn, agent};

/// An agent that understands one sentence: "Replace `old` with `new` in file".
pub(crate) struct DemoAgent;

#[agent(name = "demo-agent", title = "Demo agent")]
impl DemoAgent {
    async fn new_session(&self, open: NewSession) -> Result<PathBuf> {
        Ok(open.cwd().to_owned())
    }

    async fn prompt(&self, turn: Turn, folder: Session<PathBuf>) -> Result<StopReason> {
        let text = turn.text();
        let answer = match Change::parse(&text) {
            Some(change) => change.make(&turn, &folder.join(change.file)).await?,
            None => "Say what to change: Replace `old` with `new` in notes.txt",
        };
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
        let (old, rest) = text.strip_prefix("Replace `")?.split_once('`')?;
        let (new, rest) = rest.strip_prefix(" with `")?.split_once('`')?;
        let file = rest.strip_prefix(" in ")?;
        let is_inside = Path::new(file).components().all(|part| matches!(part, Component::Normal(_)));
        (is_inside && !old.is_empty()).then_some(Change { file, old, new })
    }

    /// Makes the change if the user allows it, and returns the answer to the user.
    async fn make(&self, turn: &Turn, path: &Path) -> Result<&'static str> {
        let fs = turn.fs().ok_or_else(|| Error::not_offered("fs"))?;
        let steps = [format!("Read {}", self.file), format!("Replace `{}` with `{}`", self.old, self.new)];
        let mut plan = turn.start_plan(steps).await?;

        plan.start(0).await?;
        let before = turn.tool(ToolCall::read(path), fs.read_text(path)).await?;
        plan.complete(0).await?;
        if !before.contains(self.old) {
            return Ok("The file does not have that text.");
        }

        plan.start(1).await?;
        let after = before.replace(self.old, self.new);
        let diff = Diff::new(path.to_string_lossy(), after.as_str()).old_text(before);
        let call = ToolCall::edit(format!("Edit {}", self.file)).content([diff.into()]);
        let tool = turn.announce_tool(call.clone()).await?;
        if !turn.ask(&call).await?.is_allowed() {
            tool.fail("The user has rejected this change.").await?;
            return Ok("The file stays as it is.");
        }
        tool.start().await?;
        fs.write_text(path, after).await?;
        tool.complete().await?;
        plan.complete(1).await?;
        Ok("Done.")
    }
}
