//! Commands, wherever they can be run.

use std::path::{Path, PathBuf};

use acp_types::v1::{TerminalOutputResponse, ToolCall};

use crate::error::shell_error::{ShellError, ShellProblem};
use crate::error::{Error, Result};
use crate::turn::Turn;
use crate::turn::command_end;
use crate::turn::shell_child;
use crate::turn::shell_view::View;
use crate::turn::terminal::Terminals;
use crate::turn::tool::RunningTool;
use crate::updates::paths;

/// The bytes of output that are kept, unless the agent says otherwise.
const KEPT: usize = 1024 * 1024;

impl Turn {
    /// Prepares a command: in a terminal of the client where it offers terminals, otherwise as a
    /// child process of this agent.
    ///
    /// `program` is a program and not a line for a shell; `turn.shell("sh").args(["-c", line])`
    /// runs a line.
    ///
    /// ```
    /// # use acp_agent::{Result, Turn};
    /// # async fn test(turn: Turn) -> Result<()> {
    /// let tests = turn.shell("cargo").args(["test", "--quiet"]).run().await?;
    /// if !tests.is_success() {
    ///     turn.say(format!("The tests fail:\n{}", tests.output)).await?;
    /// }
    /// # Ok(()) }
    /// ```
    pub fn shell(&self, program: impl Into<String>) -> Shell {
        Shell {
            turn: self.clone(),
            program: program.into(),
            args: Vec::new(),
            env: Vec::new(),
            cwd: None,
            kept: KEPT,
        }
    }
}

/// A command on its way to the client's terminal, or to a child process of this agent.
///
/// Both ways run it in the session's working directory with nothing on its stdin, keep the latest
/// part of stdout and stderr as one text, and return its exit. A client's terminal has the client's
/// environment. A child inherits the whole environment of this agent.
///
/// **It is shown** in a tool call: a terminal of the client live, and the output of a child as
/// text, at most four times a second and its last 16 KiB. In version 2 of the protocol a child has
/// a terminal that the client shows: it gets the bytes of the output at most four times a second,
/// 64 KiB at a time, and it can end the child while the turn goes on. [`run`](Self::run) makes a
/// tool call of its own and [`run_in`](Self::run_in) takes one. [`output`](Self::output) runs it
/// without a tool call, and the client shows nothing.
///
/// **It ends** with everything that it has started: when it exits, when the turn is cancelled or
/// answered, and when the future is dropped. A terminal of the client is released. The processes of
/// a child are asked to terminate, and are killed after a second. If the future is dropped, they
/// are killed at once. On unix this reaches the process group of the child, and not the processes
/// that have left the group.
///
/// At most 64 children run at a time, over all sessions; more wait for their turn.
#[derive(Clone, Debug)]
#[must_use = "nothing runs before `run`, `run_in` or `output`"]
pub struct Shell {
    pub(super) turn: Turn,
    pub(super) program: String,
    pub(super) args: Vec<String>,
    pub(super) env: Vec<(String, String)>,
    cwd: Option<PathBuf>,
    pub(super) kept: usize,
}

/// The output of a command that has ended, and its exit.
///
/// If there is neither a code nor a signal, the end of the command is unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShellOutput {
    /// The latest output. Bytes that are not UTF-8 are replaced by U+FFFD.
    pub output: String,
    /// True if there was more output before it.
    pub truncated: bool,
    /// The exit code, unless a signal ended the command.
    pub exit_code: Option<u32>,
    /// The signal that ended the command, such as `SIGKILL`.
    pub signal: Option<String>,
}

impl ShellOutput {
    /// Returns true for exit code 0.
    #[must_use]
    pub fn is_success(&self) -> bool {
        self.failure().is_none()
    }

    /// Returns the failure of the command as a sentence; `None` if it has not failed. An unknown
    /// end is a failure.
    #[must_use]
    pub fn failure(&self) -> Option<String> {
        command_end::failure(self.exit_code, self.signal.as_deref())
    }

    /// Takes the client's answer. The limit holds even if the client does not keep to it.
    fn of_client(answer: TerminalOutputResponse, kept: usize) -> Self {
        let exit = answer.exit_status.unwrap_or_default();
        let mut output = answer.output;
        let excess = output.len().saturating_sub(kept);
        let cut = (excess..=output.len()).find(|at| output.is_char_boundary(*at)).unwrap_or(output.len());
        output.drain(..cut);
        let truncated = answer.truncated || excess > 0;
        ShellOutput { output, truncated, exit_code: exit.exit_code, signal: exit.signal }
    }
}

impl Shell {
    /// Adds an argument.
    pub fn arg(self, arg: impl Into<String>) -> Self {
        self.args([arg])
    }

    /// Adds arguments.
    pub fn args<A: Into<String>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sets an environment variable.
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// Sets the working directory. A relative path is joined with the session's working directory,
    /// which is the default.
    pub fn cwd(mut self, path: impl AsRef<Path>) -> Self {
        self.cwd = Some(path.as_ref().to_owned());
        self
    }

    /// Limits the output that is kept, in bytes. The latest output is kept. Default 1 MiB.
    pub fn output_byte_limit(mut self, bytes: usize) -> Self {
        self.kept = bytes;
        self
    }

    /// Runs the command to its end as a tool call of its own. The call is completed if the command
    /// ends with exit code 0, otherwise failed.
    ///
    /// # Errors
    /// [`Error::Shell`] if the command was not started, or if the client cannot say how it ended;
    /// [`Error::Cancelled`] and [`Error::TurnOver`] with the turn; the errors of [`Turn::update`].
    /// A command that fails is not an error.
    pub async fn run(self) -> Result<ShellOutput> {
        let call = ToolCall::execute(command_end::line(&self.program, &self.args));
        let mut tool = self.turn.start_tool(call).await?;
        let ended = self.run_in(&mut tool).await;
        command_end::end(tool, ended, ShellOutput::failure).await
    }

    /// Runs the command to its end and shows it in `tool`, which stays in progress.
    ///
    /// # Errors
    /// The errors of [`run`](Self::run).
    pub async fn run_in(self, tool: &mut RunningTool) -> Result<ShellOutput> {
        match self.turn.terminals() {
            Some(terminals) => self.by_client(&terminals, Some(tool)).await,
            None => shell_child::run(&self, View::of(tool, &self).await?).await,
        }
    }

    /// Runs the command to its end. The client shows nothing of it.
    ///
    /// # Errors
    /// The errors of [`run`](Self::run).
    pub async fn output(self) -> Result<ShellOutput> {
        match self.turn.terminals() {
            Some(terminals) => self.by_client(&terminals, None).await,
            None => shell_child::run(&self, View::none()).await,
        }
    }

    /// Runs it in a terminal of the client, which is released at the end.
    async fn by_client(&self, terminals: &Terminals, tool: Option<&mut RunningTool>) -> Result<ShellOutput> {
        let cwd = self.directory();
        if cwd.to_str().is_none() {
            return Err(self.failed(ShellProblem::NotUnicode));
        }
        let mut command = terminals.command(&self.program).args(&self.args).cwd(cwd);
        for (name, value) in &self.env {
            command = command.env(name, value);
        }
        let command = command.output_byte_limit(u64::try_from(self.kept).unwrap_or(u64::MAX));
        let failed = |problem: fn(_, _) -> ShellProblem| {
            move |error| match error {
                Error::Call { method, error } => self.failed(problem(method, error)),
                error => error,
            }
        };
        let terminal = command.create().await.map_err(failed(ShellProblem::not_created))?;
        if let Some(tool) = tool {
            tool.terminal(&terminal).await?;
        }
        let lost = |method, error| ShellProblem::Lost { method, error };
        let answer = terminal.ended().await.map_err(failed(lost))?;
        Ok(ShellOutput::of_client(answer, self.kept))
    }

    /// Returns the working directory.
    pub(super) fn directory(&self) -> PathBuf {
        let of_session = self.turn.session_updates().cwd();
        match &self.cwd {
            Some(cwd) => paths::absolute(cwd, of_session),
            None => of_session.into(),
        }
    }

    pub(super) fn failed(&self, problem: ShellProblem) -> Error {
        let (program, session) = (self.program.clone(), self.turn.session_id().clone());
        Error::Shell(Box::new(ShellError { program, session, problem }))
    }
}
