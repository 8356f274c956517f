//! What decides what the agent does: the seam between the protocol and a mind.
//!
//! A planner never touches a file and knows nothing of JSON-RPC. It is shown the session's history, says
//! something on the [`Turn`] if it likes, and names the next actions; the agent carries them out, adds what
//! came of them to the history, and asks again.

use std::fmt;

use acp_agent::types::StopReason;
use acp_agent::{Result, Turn, Value};
use serde::{Deserialize, Serialize};

use super::search::{Matches, count};

/// Decides what to do next.
pub trait Planner: Send + Sync + 'static {
    /// The next step of the last task in `history`. Words for the user go out on `turn` while they come.
    ///
    /// The future is dropped when the turn is cancelled.
    ///
    /// # Errors
    /// The planner cannot go on; this ends the turn and is shown to the user.
    fn next(&self, history: &History, turn: &Turn) -> impl Future<Output = Result<Step>> + Send;
}

/// Everything a session has been through, the oldest first.
pub type History = Vec<Task>;

/// One prompt of the user, and what was done about it.
#[derive(Clone, Debug)]
pub struct Task {
    /// What the user wrote.
    pub text: String,
    /// What the user attached.
    pub attachments: Vec<Attachment>,
    /// The finished rounds of planning and acting.
    pub rounds: Vec<Round>,
    /// The words that ended the turn; `None` as long as it goes on, and if it was cancelled.
    pub answer: Option<String>,
}

/// Something that came with a prompt.
#[derive(Clone, Debug)]
pub struct Attachment {
    /// Where it is from.
    pub uri: String,
    /// Its text; `None` when only a link was given.
    pub text: Option<String>,
}

/// One step of the planner with what came of it.
#[derive(Clone, Debug)]
pub struct Round {
    /// What the planner said.
    pub said: String,
    /// The actions with their outcomes, in order.
    pub done: Vec<(Call, Outcome)>,
}

/// What a planner wants.
#[derive(Clone, Debug)]
pub struct Step {
    /// What it said on the turn meanwhile, for the history.
    pub said: String,
    /// What is to happen now.
    pub next: Next,
}

/// How a turn goes on.
#[derive(Clone, Debug)]
pub enum Next {
    /// Do these one after the other, then ask again.
    Act(Vec<Call>),
    /// The turn is over.
    Stop(StopReason),
}

/// An action with the name that the planner knows it by.
#[derive(Clone, Debug)]
pub struct Call {
    /// The planner's own id for it; nothing else reads it.
    pub id: String,
    /// What to do.
    pub action: Action,
}

impl From<Action> for Call {
    fn from(action: Action) -> Self {
        Call { id: String::new(), action }
    }
}

/// Something that the agent can do. As JSON it is the function call of a language model:
/// `{"name": "read_file", "arguments": {"path": "notes.txt"}}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "name", content = "arguments", rename_all = "snake_case")]
pub enum Action {
    /// Show the user what is planned and how far it has come.
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
        /// What it is to hold.
        content: String,
    },
    /// Replace a text in a file.
    EditFile {
        /// The file.
        path: String,
        /// The text to replace. It has to be there.
        old_string: String,
        /// What to put in its place.
        new_string: String,
        /// Replace it wherever it is. Otherwise it has to be there exactly once.
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
    /// A call that made no sense. It is answered with the reason, so that the planner can do better.
    #[serde(skip)]
    Misunderstood {
        /// The function that was named.
        name: String,
        /// Why it cannot be called so.
        problem: String,
    },
}

impl Action {
    /// The name of the function and its arguments; no arguments if they made no sense.
    #[must_use]
    pub fn function(&self) -> (String, Option<Value>) {
        if let Action::Misunderstood { name, .. } = self {
            return (name.clone(), None);
        }
        // Every other action can be written as JSON, and is written in just this shape.
        let call = Value::new(self).unwrap_or_default();
        let name = call.get("name").and_then(|name| name.as_str()).unwrap_or_default().to_owned();
        (name, call.get("arguments").cloned().map(Value::from))
    }
}

/// An entry of the plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// What is to be done.
    pub step: String,
    /// How far it has come.
    pub status: Status,
}

/// How far an entry of the plan has come.
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

/// What came of an action. Its `Display` is what a language model is told.
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
        /// Whether these are all.
        complete: bool,
    },
    /// The places where a text was found.
    Found(Matches),
    /// A file was written.
    Written {
        /// How many places of it were changed; `None` when it is new or was replaced as a whole.
        places: Option<usize>,
    },
    /// A command has ended.
    Ran {
        /// What it has printed: the end of it, if that was much.
        output: String,
        /// How it has ended, unless it has ended well.
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
            Outcome::Ran { output, failed: Some(reason) } => {
                write!(f, "{output}\nThe command has failed: {reason}.")
            }
            Outcome::Rejected => f.write_str("The user has rejected this. Do not try it again unasked."),
            Outcome::Failed(reason) => write!(f, "Error: {reason}"),
        }
    }
}

/// The beginning of a text, with a note if that is not all of it. `max` is in bytes.
pub(super) fn clipped(text: &str, max: usize) -> String {
    if text.len() <= max {
        return text.to_owned();
    }
    let end = (0..=max).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
    let start = text.get(..end).unwrap_or_default();
    format!("{start}\n… ({} bytes more)", text.len() - end)
}
