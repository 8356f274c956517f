//! The interface between the protocol and a planner.
//!
//! A planner never touches a file and knows nothing of JSON-RPC. It gets the session's history, may
//! write text to the [`Turn`], and names the next actions. The agent carries them out, adds the
//! outcomes to the history, and asks again.

use std::fmt;

use acp_agent::mcp::Tool;
use acp_agent::types::StopReason;
use acp_agent::{Result, Turn, Value};
use serde::{Deserialize, Serialize};

use super::search::{Matches, count};

/// A planner: it decides about the next step.
pub trait Planner: Send + Sync + 'static {
    /// Returns the next step of the last task in `history`. Text for the user goes out on `turn`
    /// meanwhile. The MCP servers of the session have `tools`.
    ///
    /// The future is dropped when the turn is cancelled.
    ///
    /// # Errors
    /// Fails if the planner cannot go on. This ends the turn, and the user sees the error.
    fn next(
        &self,
        history: &History,
        turn: &Turn,
        tools: &[Tool],
    ) -> impl Future<Output = Result<Step>> + Send;
}

/// The tasks of a session, oldest first.
pub type History = Vec<Task>;

/// One prompt of the user, and the work for it.
#[derive(Clone, Debug)]
pub struct Task {
    /// The text of the prompt.
    pub text: String,
    /// The attachments of the prompt.
    pub attachments: Vec<Attachment>,
    /// The finished rounds of planning and acting.
    pub rounds: Vec<Round>,
    /// The words that ended the turn. It is `None` while the turn goes on, and after a
    /// cancellation.
    pub answer: Option<String>,
}

/// Something that came with a prompt.
#[derive(Clone, Debug)]
pub struct Attachment {
    /// Its URI.
    pub uri: String,
    /// Its text; `None` when only a link was given.
    pub text: Option<String>,
}

/// One step of the planner with its outcomes.
#[derive(Clone, Debug)]
pub struct Round {
    /// The planner's text.
    pub said: String,
    /// The actions with their outcomes, in order.
    pub done: Vec<(Call, Outcome)>,
}

/// The next step of a planner.
#[derive(Clone, Debug)]
pub struct Step {
    /// The text that it wrote to the turn, for the history.
    pub said: String,
    /// The continuation of the turn.
    pub next: Next,
}

/// The continuation of a turn.
#[derive(Clone, Debug)]
pub enum Next {
    /// Carry out these actions one after the other, then ask the planner again.
    Act(Vec<Call>),
    /// The turn is over.
    Stop(StopReason),
}

/// An action with the name that the planner knows it by.
#[derive(Clone, Debug)]
pub struct Call {
    /// The planner's own id for it. Nothing else reads it.
    pub id: String,
    /// The action.
    pub action: Action,
}

impl From<Action> for Call {
    fn from(action: Action) -> Self {
        Call { id: String::new(), action }
    }
}

/// An action of the agent. As JSON it is the function call of a language model: `{"name":
/// "read_file", "arguments": {"path": "notes.txt"}}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "name", content = "arguments", rename_all = "snake_case")]
pub enum Action {
    /// Show the user the plan and its progress.
    UpdatePlan {
        /// All entries: they replace those shown before.
        plan: Vec<Item>,
    },
    /// List the text files of the session's folder.
    ListFiles {},
    /// Find a text in the files of the session's folder.
    SearchFiles {
        /// The text, taken literally.
        query: String,
    },
    /// Read a whole file.
    ReadFile {
        /// The file, relative to the session's folder or absolute.
        path: String,
    },
    /// Create a file, or replace all that it holds.
    WriteFile {
        /// The file.
        path: String,
        /// The text of the file.
        content: String,
    },
    /// Replace a text in a file.
    EditFile {
        /// The file.
        path: String,
        /// The text to replace. It has to be there.
        old_string: String,
        /// The new text.
        new_string: String,
        /// True to replace it everywhere. Otherwise it has to be there exactly once.
        #[serde(default)]
        replace_all: bool,
    },
    /// Run a program in the session's folder, without a shell.
    RunCommand {
        /// The program.
        program: String,
        /// Its arguments.
        #[serde(default)]
        args: Vec<String>,
    },
    /// Call a tool of an MCP server.
    #[serde(skip)]
    CallTool {
        /// The name of the tool, as the session knows it.
        name: String,
        /// The arguments as JSON.
        arguments: String,
    },
    /// A malformed call. The reason is its answer, so that the planner can correct it.
    #[serde(skip)]
    Misunderstood {
        /// The function that was named.
        name: String,
        /// The reason why it cannot be called.
        problem: String,
    },
}

impl Action {
    /// Returns the name of the function and its arguments. A malformed call has no arguments.
    #[must_use]
    pub fn function(&self) -> (String, Option<Value>) {
        match self {
            Action::Misunderstood { name, .. } => return (name.clone(), None),
            Action::CallTool { name, arguments } => return (name.clone(), arguments.parse().ok()),
            _ => {}
        }
        // Every other action can be written as JSON, in this shape.
        let call = Value::new(self).unwrap_or_default();
        let name = call.get("name").and_then(|name| name.as_str()).unwrap_or_default().to_owned();
        (name, call.get("arguments").cloned().map(Value::from))
    }
}

/// An entry of the plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// The text of the step.
    pub step: String,
    /// Its progress.
    pub status: Status,
}

/// The progress of an entry of the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Not begun.
    Pending,
    /// Being done.
    InProgress,
    /// Done.
    Completed,
}

/// The outcome of an action. Its `Display` is the text for a language model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The plan is shown.
    Planned,
    /// The text of a file.
    Text(String),
    /// The paths of files, relative to the session's folder.
    Files {
        /// In the order of names.
        paths: Vec<String>,
        /// True if these are all.
        complete: bool,
    },
    /// The places where a text was found.
    Found(Matches),
    /// A file was written.
    Written {
        /// The number of places that were changed. It is `None` for a file that is new or was
        /// replaced as a whole.
        places: Option<usize>,
    },
    /// A command has ended.
    Ran {
        /// The output, or the end of long output.
        output: String,
        /// The failure as a sentence, if the command has failed.
        failed: Option<String>,
    },
    /// The user did not allow it.
    Rejected,
    /// It did not work, for this reason.
    Failed(String),
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Planned => f.write_str("The plan is shown to the user."),
            Outcome::Text(text) => f.write_str(text),
            Outcome::Files { paths, complete } => {
                paths.iter().try_for_each(|path| writeln!(f, "{path}"))?;
                f.write_str(if *complete { "" } else { "There are more files than these." })
            }
            Outcome::Found(matches) => matches.fmt(f),
            Outcome::Written { places: None } => f.write_str("The file is written."),
            Outcome::Written { places: Some(places) } => {
                write!(f, "The file is changed in {}.", count(*places, "place"))
            }
            Outcome::Ran { output, failed: None } => f.write_str(output),
            Outcome::Ran { output, failed: Some(reason) } => write!(f, "{output}\n{reason}"),
            Outcome::Rejected => f.write_str("The user has rejected this. Do not try it again unasked."),
            Outcome::Failed(reason) => write!(f, "Error: {reason}"),
        }
    }
}

/// Returns the beginning of a text, with a note if the text is longer. `max` is in bytes.
pub(super) fn clipped(text: &str, max: usize) -> String {
    if text.len() <= max {
        return text.to_owned();
    }
    let end = (0..=max).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
    let start = text.get(..end).unwrap_or_default();
    format!("{start}\n… ({} bytes more)", text.len() - end)
}
