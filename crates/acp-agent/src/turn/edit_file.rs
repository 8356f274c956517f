//! A change of a file with the user's permission, as one verb.

use std::path::{Path, PathBuf};

use acp_types::v1::{Content, ContentBlock, Diff, ToolCall, ToolCallContent, ToolCallLocation};

use crate::error::file_error::{FileAct, FileError, FileProblem};
use crate::error::{Error, Result};
use crate::turn::Turn;
use crate::turn::file_change::{FileChange, first_difference};
use crate::turn::tool::RunningTool;
use crate::turn::workspace::Workspace;

/// The key of remembered permissions, unless the agent says otherwise.
const KEY: &str = "edit";

impl Turn {
    /// Changes a file with the user's permission, and shows the change as a tool call.
    ///
    /// `change` is the new text of the file, or a function from its old text to the new one. With a
    /// new text the file may be missing, and is created. A function needs the file. It returns text
    /// or a `Result` of it.
    ///
    /// 1. The file is read from the [workspace](Self::workspace), and the change is made in memory.
    ///    If the text stays as it is, nobody is asked and nothing is written. Clients report a
    ///    missing file with different codes, so after an error answer that can mean this the local
    ///    disk shows if the file exists. If the session's directories are not on this machine, only
    ///    `-32002` stands for a missing file.
    /// 2. A tool call of kind `edit` is announced, with its location and the diff.
    /// 3. The user is asked, unless the session remembers the answer: see
    ///    [`ask_remembered`](Self::ask_remembered). One answer for always holds for every
    ///    `edit_file` of the session. [`FileEdit::remember_as`] divides the edits into groups with
    ///    an answer each.
    /// 4. The file is read again. Text that others have written meanwhile is not overwritten. The
    ///    new text is written to the workspace, before any other edit of the session reads again.
    /// 5. The tool call is completed.
    ///
    /// If a step fails, the tool call fails with the reason.
    ///
    /// ```
    /// # use acp_agent::{Error, Result, Turn};
    /// # async fn edit(turn: Turn) -> Result<()> {
    /// turn.edit_file("src/version.txt", "2.0\n").await?;
    /// let edited = turn
    ///     .edit_file("notes.txt", |old: &str| old.replace("teh", "the"))
    ///     .await;
    /// match edited {
    ///     Ok(edited) if !edited.is_changed() => turn.say("There was nothing to mend.").await?,
    ///     Err(Error::File(error)) if error.is_rejected() => turn.say("Then it stays.").await?,
    ///     edited => drop(edited?),
    /// }
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::File`]: the file was not read or written, the change has failed, the user has
    /// [rejected](FileError::is_rejected) it, or others have changed the file meanwhile.
    /// [`Error::Cancelled`] and [`Error::TurnOver`] with the turn; the file may be changed if the
    /// client was writing it. The errors of [`ask_with`](Self::ask_with).
    pub async fn edit_file(&self, path: impl AsRef<Path>, change: impl FileChange) -> Result<EditedFile> {
        let edit = FileEdit::new(path);
        self.edit_file_with(edit, change).await
    }

    /// Changes a file as [`edit_file`](Self::edit_file) does, with a tool call and a memory of the
    /// agent's own.
    ///
    /// # Errors
    /// The errors of [`edit_file`](Self::edit_file).
    pub async fn edit_file_with(&self, edit: FileEdit, change: impl FileChange) -> Result<EditedFile> {
        let files = self.workspace();
        let path = files.absolute(&edit.path);
        let Ok(location) = ToolCallLocation::of_file(&path) else {
            return Err(failed(self, &path, FileProblem::NotUnicode));
        };
        let call = edit.call.unwrap_or_else(|| ToolCall::edit(format!("Edit {}", shown(&files, &path))));
        let worked_out = work_out(&files, &path, change).await;
        let (old_text, new_text) = match worked_out {
            Ok(texts) => texts,
            Err(error) if is_end(&error) => return Err(error),
            Err(error) => return self.fail_edit(call.locations([location]), error).await,
        };
        let line = first_difference(old_text.as_deref().unwrap_or_default(), &new_text);
        let edited = EditedFile { path, old_text, new_text };
        let call = call.locations([location.line(line)]).content(edited.content()?);
        let tool = self.announce_tool(call.clone()).await?;
        let mut permission = Permission { key: edit.key, call, may_be_written: false };
        match self.write_if_allowed(&files, &tool, &mut permission, &edited).await {
            Ok(()) => {
                tool.complete().await?;
                Ok(edited)
            }
            Err(error) => {
                let reason = reason(&error, permission.may_be_written);
                // The error of the work says more than an error of the report would.
                drop(tool.fail(reason).await);
                Err(error)
            }
        }
    }

    async fn write_if_allowed(
        &self,
        files: &Workspace,
        tool: &RunningTool,
        permission: &mut Permission,
        edited: &EditedFile,
    ) -> Result<()> {
        let fault = |problem| failed(self, &edited.path, problem);
        if edited.is_changed() {
            if !self.ask_remembered(&*permission.key, &permission.call).await?.is_allowed() {
                return Err(fault(FileProblem::Rejected));
            }
            tool.start().await?;
            let _permit = files.writing().await?;
            if files.read_if_there(&edited.path).await? != edited.old_text {
                return Err(fault(FileProblem::ChangedMeanwhile));
            }
            // A cancelled write on the local disk has not begun.
            permission.may_be_written = files.writes_by_client();
            files.write_text(&edited.path, &*edited.new_text).await?;
        }
        Ok(())
    }

    /// Shows a change that cannot be made as a failed tool call.
    async fn fail_edit(&self, call: ToolCall, error: Error) -> Result<EditedFile> {
        let tool = self.announce_tool(call).await?;
        drop(tool.fail(error.to_string()).await);
        Err(error)
    }
}

/// The question about a change, and its answer.
struct Permission {
    key: String,
    call: ToolCall,
    may_be_written: bool,
}

/// A change of a file that is going to be made, for [`Turn::edit_file_with`].
///
/// ```
/// # use acp_agent::{FileEdit, Result, ToolCall, Turn};
/// # async fn edit(turn: Turn) -> Result<()> {
/// let call = ToolCall::edit("Bump the version").name("bump");
/// let edit = FileEdit::new("version.txt").tool_call(call).remember_as("bump version");
/// turn.edit_file_with(edit, "2.0\n").await?;
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct FileEdit {
    path: PathBuf,
    call: Option<ToolCall>,
    key: String,
}

impl FileEdit {
    /// Names the file. A relative path is joined with the session's working directory.
    #[must_use]
    pub fn new(path: impl AsRef<Path>) -> Self {
        FileEdit { path: path.as_ref().to_owned(), call: None, key: KEY.to_owned() }
    }

    /// Sets the tool call that is announced. Its location and its diff are filled in. By default it
    /// is a call of kind `edit` with a fresh id and the title `Edit` and the path.
    #[must_use]
    pub fn tool_call(mut self, call: impl Into<ToolCall>) -> Self {
        self.call = Some(call.into());
        self
    }

    /// Sets the key under which an answer for always is remembered. It holds for all edits with the
    /// same key. The default is `edit`.
    #[must_use]
    pub fn remember_as(mut self, key: impl Into<String>) -> Self {
        self.key = key.into();
        self
    }
}

/// A file after [`Turn::edit_file`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditedFile {
    path: PathBuf,
    old_text: Option<String>,
    new_text: String,
}

impl EditedFile {
    /// Returns the path. It is absolute.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the text before the change; `None` if the file is new.
    #[must_use]
    pub fn old_text(&self) -> Option<&str> {
        self.old_text.as_deref()
    }

    /// Returns the text after the change.
    #[must_use]
    pub fn new_text(&self) -> &str {
        &self.new_text
    }

    /// Returns false if the text was like this before. Nothing was written then.
    #[must_use]
    pub fn is_changed(&self) -> bool {
        self.old_text.as_deref() != Some(&*self.new_text)
    }

    /// Returns the change as the tool call shows it.
    fn content(&self) -> Result<Vec<ToolCallContent>> {
        if !self.is_changed() {
            return Ok(vec![Content::new(ContentBlock::text("The file has this text already.")).into()]);
        }
        let mut diff = Diff::of_file(&self.path, &*self.new_text)?;
        diff.old_text.clone_from(&self.old_text);
        Ok(vec![diff.into()])
    }
}

/// Reads the file and makes the change in memory.
async fn work_out<C: FileChange>(
    files: &Workspace,
    path: &Path,
    change: C,
) -> Result<(Option<String>, String)> {
    let old =
        if C::NEEDS_FILE { Some(files.read_text(path).await?) } else { files.read_if_there(path).await? };
    let new = change.apply(old.as_deref().unwrap_or_default());
    let new = new.map_err(|error| failed(files.turn(), path, FileProblem::Change(Box::new(error))))?;
    Ok((old, new))
}

fn failed(turn: &Turn, path: &Path, problem: FileProblem) -> Error {
    let (path, session) = (path.to_owned(), turn.session_id().clone());
    Error::File(Box::new(FileError { act: FileAct::Edit, path, session, problem }))
}

fn is_end(error: &Error) -> bool {
    matches!(error, Error::Cancelled | Error::TurnOver)
}

/// Returns the reason of a failure for the user.
fn reason(error: &Error, may_be_written: bool) -> String {
    match error {
        Error::Cancelled if may_be_written => {
            "The turn was cancelled while the file was written: it may be changed.".to_owned()
        }
        Error::Cancelled => "The turn was cancelled: the file was not changed.".to_owned(),
        Error::File(error) if error.is_rejected() => "The user has rejected this change.".to_owned(),
        error => error.to_string(),
    }
}

/// Returns the path as the user knows it: relative to the session's working directory.
fn shown(files: &Workspace, path: &Path) -> String {
    path.strip_prefix(files.cwd()).unwrap_or(path).display().to_string()
}
