//! Changing files: look, show the difference, ask, write.

use std::path::Path;

use acp_agent::types::{Content, ContentBlock, Diff, ToolCall, ToolCallContent, ToolCallStatus};
use acp_agent::{Error, Result, RunningTool};

use super::planner::Outcome;
use super::tools::{Tools, ends_turn, location};

/// The change to a file.
#[derive(Clone, Copy, Debug)]
pub(super) enum Change<'a> {
    /// The file gets this text, whether it exists or not.
    Write { content: &'a str },
    /// A text in the file is replaced by another.
    Replace { old: &'a str, new: &'a str, everywhere: bool },
}

/// A change that has been worked out.
struct Edit {
    diff: Diff,
    /// The first line that changes, counted from 1.
    line: u32,
    /// The number of places that change. `None` stands for a file that is written as a whole.
    places: Option<usize>,
}

impl Tools<'_> {
    /// Changes a file if the user allows it.
    ///
    /// # Errors
    /// Fails if the turn was cancelled or the client is gone.
    pub(super) async fn change(&self, call: ToolCall, path: &str, change: Change<'_>) -> Result<Outcome> {
        let edit = match self.work_out(path, change).await {
            Ok(edit) => edit,
            Err(error) if ends_turn(&error) => return Err(error),
            Err(error) => return self.refuse(call, &error.to_string()).await,
        };
        let path = Path::new(&edit.diff.path);
        let call = call.locations([location(path).line(edit.line)]).content([edit.diff.clone().into()]);
        // The diff is shown before the question, so that the user sees the change.
        let tool = self.turn.announce_tool(call.clone()).await?;
        match self.write_if_allowed(&tool, &call, path, &edit).await {
            Ok(true) => {
                tool.complete().await?;
                Ok(Outcome::Written { places: edit.places })
            }
            Ok(false) => {
                tool.fail("The user has rejected this change.").await?;
                Ok(Outcome::Rejected)
            }
            // The dropped tool call reports itself as failed.
            Err(error) if ends_turn(&error) => Err(error),
            Err(error) => {
                let reason = error.to_string();
                tool.fail(reason.clone()).await?;
                Ok(Outcome::Failed(reason))
            }
        }
    }

    /// Asks, unless the user has decided about all writes of the session, and writes. Returns false
    /// after a no.
    async fn write_if_allowed(
        &self,
        tool: &RunningTool,
        call: &ToolCall,
        path: &Path,
        edit: &Edit,
    ) -> Result<bool> {
        if !self.turn.ask_remembered("write", call).await?.is_allowed() {
            return Ok(false);
        }
        tool.start().await?;
        self.fs()?.write_text(path, &*edit.diff.new_text).await?;
        Ok(true)
    }

    /// Reads the file and makes the change in memory.
    async fn work_out(&self, path: &str, change: Change<'_>) -> Result<Edit> {
        let path = self.chat.workspace().resolve(path).map_err(Error::from)?;
        let fs = self.fs()?;
        if !fs.can_write() {
            return Err(Error::not_offered("fs.writeTextFile"));
        }
        let old = match (fs.read_text(&path).await, change) {
            (Ok(text), _) => Some(text),
            // Clients answer for a missing file with codes of their choice, so the disk decides. If
            // the client offers no reading, the old text is unknown.
            (Err(Error::Call { .. } | Error::NotOffered { .. }), Change::Write { .. }) if !path.exists() => {
                None
            }
            (Err(error), _) => return Err(error),
        };
        let (new, places) = match (change, &old) {
            (Change::Write { content }, _) => (content.to_owned(), None),
            (Change::Replace { old, new, everywhere }, Some(text)) => {
                let (text, places) = replaced(text, old, new, everywhere).map_err(Error::from)?;
                (text, Some(places))
            }
            (Change::Replace { .. }, None) => return Err(Error::from("there is no such file")),
        };
        if old.as_ref() == Some(&new) {
            return Err(Error::from("the file has exactly this text already"));
        }
        let line = first_difference(old.as_deref().unwrap_or_default(), &new);
        let mut diff = Diff::new(path.display().to_string(), new);
        diff.old_text = old;
        Ok(Edit { diff, line, places })
    }

    /// Reports a call that cannot be carried out.
    pub(super) async fn refuse(&self, call: ToolCall, problem: &str) -> Result<Outcome> {
        let call = call.status(ToolCallStatus::Failed).content([text(problem)]);
        self.turn.update(call).await?;
        Ok(Outcome::Failed(problem.to_owned()))
    }
}

fn text(text: &str) -> ToolCallContent {
    Content::new(ContentBlock::text(text)).into()
}

/// Returns the text with `old` replaced, and the number of places.
fn replaced(text: &str, old: &str, new: &str, everywhere: bool) -> Result<(String, usize), String> {
    if old.is_empty() {
        return Err("the text to replace is empty".to_owned());
    }
    match text.matches(old).count() {
        0 => Err("the text to replace is not in the file".to_owned()),
        places if places > 1 && !everywhere => Err(format!(
            "the text to replace is in the file {places} times: give more of what is around it, or replace all"
        )),
        places => Ok((text.replace(old, new), places)),
    }
}

/// Returns the number of the first line that differs, counted from 1.
fn first_difference(old: &str, new: &str) -> u32 {
    (1..).zip(old.lines().zip(new.lines())).find(|(_, (old, new))| old != new).map_or_else(
        || u32::try_from(old.lines().count().min(new.lines().count())).map_or(1, |lines| lines.max(1)),
        |(line, _)| line,
    )
}
