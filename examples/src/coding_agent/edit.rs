//! Changing files: the library reads, shows the difference, asks and writes.

use acp_agent::types::{Content, ContentBlock, ToolCall, ToolCallStatus};
use acp_agent::{Error, FileEdit, Result};

use super::planner::Outcome;
use super::tools::{Tools, ends_turn};

/// The change to a file.
#[derive(Clone, Copy, Debug)]
pub(super) enum Change<'a> {
    /// The file gets this text, whether it exists or not.
    Write { content: &'a str },
    /// A text in the file is replaced by another.
    Replace { old: &'a str, new: &'a str, everywhere: bool },
}

impl Tools<'_> {
    /// Changes a file if the user allows it. An answer for always covers all writes of the session.
    ///
    /// # Errors
    /// Fails if the turn was cancelled or the client is gone.
    pub(super) async fn change(&self, call: ToolCall, path: &str, change: Change<'_>) -> Result<Outcome> {
        let path = match self.chat.workspace().resolve(path) {
            Ok(path) => path,
            Err(problem) => return self.refuse(call, &problem).await,
        };
        let edit = FileEdit::new(path).tool_call(call).remember_as("write");
        let mut places = None;
        let edited = match change {
            Change::Write { content } => self.turn.edit_file_with(edit, content).await,
            Change::Replace { old, new, everywhere } => {
                let replace = |text: &str| {
                    let (text, count) = replaced(text, old, new, everywhere)?;
                    places = Some(count);
                    Ok::<_, String>(text)
                };
                self.turn.edit_file_with(edit, replace).await
            }
        };
        match edited {
            Ok(_) => Ok(Outcome::Written { places }),
            Err(Error::File(error)) if error.is_rejected() => Ok(Outcome::Rejected),
            Err(error) if ends_turn(&error) => Err(error),
            // The tool call shows the reason already.
            Err(error) => Ok(Outcome::Failed(error.to_string())),
        }
    }

    /// Reports a call that cannot be carried out.
    pub(super) async fn refuse(&self, call: ToolCall, problem: &str) -> Result<Outcome> {
        let reason = Content::new(ContentBlock::text(problem)).into();
        self.turn.update(call.status(ToolCallStatus::Failed).content([reason])).await?;
        Ok(Outcome::Failed(problem.to_owned()))
    }
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
        _ if old == new => Err("the file has exactly this text already".to_owned()),
        places => Ok((text.replace(old, new), places)),
    }
}
