//! Commands in the client's terminals.

use std::fmt;
use std::path::Path;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use acp_types::v1::{
    CreateTerminalRequest, EnvVariable, KillTerminalRequest, ReleaseTerminalRequest, TerminalExitStatus,
    TerminalId, TerminalOutputRequest, TerminalOutputResponse, ToolCall, ToolCallContent,
    WaitForTerminalExitRequest,
};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

use crate::error::{Error, Result};
use crate::turn::Turn;
use crate::turn::command_end;
use crate::turn::fs::absolute;
use crate::turn::tool::RunningTool;

impl Turn {
    /// Returns the client's terminals; `None` if it offers none.
    #[must_use]
    pub fn terminals(&self) -> Option<Terminals> {
        self.client().capabilities().terminal.then(|| Terminals { turn: self.clone() })
    }
}

/// The client's terminals. Commands run where the user's files are.
#[derive(Clone, Debug)]
pub struct Terminals {
    turn: Turn,
}

impl Terminals {
    /// Prepares a command: a program, without a shell.
    ///
    /// ```
    /// # use acp_agent::{Result, Turn};
    /// # async fn test(turn: Turn) -> Result<()> {
    /// let Some(terminals) = turn.terminals() else { return Ok(()) };
    /// let result = terminals.command("cargo").args(["test", "--quiet"]).run().await?;
    /// let passed = result.exit_status.is_some_and(|status| status.exit_code == Some(0));
    /// # Ok(()) }
    /// ```
    pub fn command(&self, program: impl Into<String>) -> TerminalCommand {
        let request = CreateTerminalRequest::new(self.turn.session_id(), program);
        TerminalCommand { turn: self.turn.clone(), request: Ok(request) }
    }

    /// Returns a terminal of this session that was [detached](Terminal::detach), for instance by an
    /// earlier turn.
    pub fn attach(&self, id: impl Into<TerminalId>) -> Terminal {
        Terminal::new(self.turn.clone(), id.into())
    }
}

/// A command on its way to a terminal of the client. It is not the command of a local process,
/// nor a slash command.
#[must_use = "nothing runs before `create` or `run`"]
pub struct TerminalCommand {
    turn: Turn,
    request: Result<CreateTerminalRequest>,
}

impl TerminalCommand {
    /// Adds an argument.
    pub fn arg(self, arg: impl Into<String>) -> Self {
        self.args([arg])
    }

    /// Adds arguments.
    pub fn args<A: Into<String>>(self, args: impl IntoIterator<Item = A>) -> Self {
        self.with(|request| request.args.extend(args.into_iter().map(Into::into)))
    }

    /// Sets an environment variable.
    pub fn env(self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.with(|request| request.env.push(EnvVariable::new(name, value)))
    }

    /// Sets the working directory: an absolute path. Without it, the client chooses one.
    pub fn cwd(mut self, path: impl AsRef<Path>) -> Self {
        self.request = self.request.and_then(|request| Ok(request.cwd(absolute(path.as_ref())?)));
        self
    }

    /// Limits the output that is kept, in bytes. The latest output is kept.
    pub fn output_byte_limit(self, bytes: u64) -> Self {
        self.with(|request| request.output_byte_limit = Some(bytes))
    }

    /// Starts the command. The guard releases its terminal when it is dropped.
    ///
    /// # Errors
    /// [`Error::Call`] with the client's error; [`Error::Cancelled`] with the turn; the working
    /// directory is not absolute.
    pub async fn create(self) -> Result<Terminal> {
        let (turn, request) = (self.turn, self.request?);
        turn.check_open()?;
        // In a task. If nobody waits any more when the client has made the terminal, it is dropped
        // there, and so released.
        let creating = tokio::spawn({
            let turn = turn.without_cancel();
            async move {
                let created = turn.client().wire().ask(turn.client().peer(), &request).await?;
                Ok(Terminal::new(turn, created.terminal_id))
            }
        });
        let created =
            turn.heeding(async { creating.await.unwrap_or_else(|error| Err(Error::other(error))) }).await;
        let mut terminal = created.map_err(|error| turn.failed(error))?;
        terminal.turn = turn;
        Ok(terminal)
    }

    /// Runs the command to its end as a tool call of its own, which shows the terminal. The call is
    /// completed if the command ends with exit code 0, otherwise failed. Returns the output and the
    /// exit status.
    ///
    /// # Errors
    /// The errors of [`create`](Self::create) and [`Turn::update`]. A command that fails is not an
    /// error.
    pub async fn run(self) -> Result<TerminalOutputResponse> {
        let request = self.request?;
        let call = ToolCall::execute(command_end::line(&request.command, &request.args));
        let mut tool = self.turn.start_tool(call).await?;
        let command = TerminalCommand { turn: self.turn, request: Ok(request) };
        let ended = command.run_in(&mut tool).await;
        let failure = |result: &TerminalOutputResponse| {
            let status = result.exit_status.as_ref()?;
            command_end::failure(status.exit_code, status.signal.as_deref())
        };
        command_end::end(tool, ended, failure).await
    }

    /// Runs the command to its end and shows its terminal in `tool`, which stays in progress.
    /// Returns the output and the exit status.
    ///
    /// # Errors
    /// The errors of [`create`](Self::create) and [`Turn::update`]. A command that fails is not an
    /// error.
    pub async fn run_in(self, tool: &mut RunningTool) -> Result<TerminalOutputResponse> {
        let terminal = self.create().await?;
        // Before the terminal is released (rule `v1-tool-10`).
        tool.terminal(&terminal).await?;
        terminal.ended().await
    }

    fn with(mut self, change: impl FnOnce(&mut CreateTerminalRequest)) -> Self {
        if let Ok(request) = &mut self.request {
            change(request);
        }
        self
    }
}

/// A command that was started, and its terminal.
///
/// It belongs to the turn: an await on it ends with [`Error::Cancelled`] when the turn is
/// cancelled. Dropped, it is released, which ends the command.
///
/// ```
/// # use acp_agent::{Result, Terminals, types::ToolCall, Turn};
/// # use std::time::Duration;
/// # async fn build(turn: Turn, terminals: Terminals) -> Result<()> {
/// let terminal = terminals.command("make").create().await?;
/// let mut tool = turn.start_tool(ToolCall::execute("make")).await?;
/// tool.terminal(&terminal).await?;
/// if tokio::time::timeout(Duration::from_secs(60), terminal.wait_for_exit()).await.is_err() {
///     terminal.kill().await?;
/// }
/// let output = terminal.output().await?.output;
/// terminal.release().await?;
/// tool.complete_with(output.as_str()).await
/// # }
/// ```
#[must_use = "the drop of a terminal releases it and ends its command"]
pub struct Terminal {
    turn: Turn,
    id: TerminalId,
    release: Release,
}

impl Terminal {
    fn new(turn: Turn, id: TerminalId) -> Self {
        Terminal { turn, id, release: Release { runtime: Handle::try_current().ok() } }
    }

    /// Returns the terminal's id.
    #[must_use]
    pub const fn id(&self) -> &TerminalId {
        &self.id
    }

    /// Returns the output so far, and the exit status if the command has ended.
    ///
    /// # Errors
    /// [`Error::Call`] with the client's error; [`Error::Cancelled`] with the turn.
    pub async fn output(&self) -> Result<TerminalOutputResponse> {
        let request = TerminalOutputRequest::new(self.turn.session_id(), &self.id);
        self.turn.ask_client(&request).await
    }

    /// Waits until the command has ended. `Options::request_timeout` does not hold. An exit status
    /// without code and signal means that the client does not know how it ended.
    ///
    /// # Errors
    /// The errors of [`output`](Self::output).
    pub async fn wait_for_exit(&self) -> Result<TerminalExitStatus> {
        let request = WaitForTerminalExitRequest::new(self.turn.session_id(), &self.id);
        let exit = self.turn.ask_untimed(&request).await?;
        let mut status = TerminalExitStatus::new();
        (status.exit_code, status.signal, status.meta) = (exit.exit_code, exit.signal, exit.meta);
        Ok(status)
    }

    /// Waits until the command has ended, and returns its output and its exit status.
    pub(super) async fn ended(self) -> Result<TerminalOutputResponse> {
        let status = self.wait_for_exit().await?;
        let mut result = self.output().await?;
        result.exit_status = Some(status);
        // Dropped, the terminal is released. A client that fails to do so does not change the
        // result.
        Ok(result)
    }

    /// Ends the command. Its output can still be read.
    ///
    /// # Errors
    /// The errors of [`output`](Self::output).
    pub async fn kill(&self) -> Result<()> {
        let request = KillTerminalRequest::new(self.turn.session_id(), &self.id);
        self.turn.ask_client(&request).await.map(drop)
    }

    /// Releases the terminal, and ends its command if it still runs. Tool calls that show it go on
    /// showing it.
    ///
    /// Unlike a drop, it returns when that is done, and returns the client's error. A cancellation
    /// does not undo it.
    ///
    /// # Errors
    /// The errors of [`output`](Self::output).
    pub async fn release(mut self) -> Result<()> {
        let Some(released) = self.release.start(&self.turn, &self.id) else { return Ok(()) };
        self.turn.heeding(async { released.await.unwrap_or_else(|error| Err(Error::other(error))) }).await
    }

    /// Lets the terminal live on without the guard. It can be [attached](Terminals::attach) by its
    /// id while the session lasts, and should then be released.
    #[must_use = "without its id the terminal cannot be released"]
    pub fn detach(mut self) -> TerminalId {
        self.release.runtime = None;
        self.id.clone()
    }
}

/// Releases a terminal by a request. A drop guard cannot wait for its answer.
struct Release {
    /// `None` once the terminal is released or detached.
    runtime: Option<Handle>,
}

impl Release {
    /// Sends the request, once. It leaves before every later message, as far as there is room for
    /// it.
    fn start(&mut self, turn: &Turn, id: &TerminalId) -> Option<JoinHandle<Result<()>>> {
        let runtime = self.runtime.take()?;
        let request = ReleaseTerminalRequest::new(turn.session_id(), id);
        let client = turn.client().clone();
        let mut work: Pin<Box<dyn Future<Output = Result<()>> + Send>> =
            Box::pin(async move { client.ask_untimed(&request).await.map(drop) });
        // This poll writes the request. The task polls again with a waker, whatever this poll
        // returns.
        let first = work.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        Some(runtime.spawn(async move {
            match first {
                Poll::Ready(result) => result,
                Poll::Pending => work.await,
            }
        }))
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // Nobody waits for the answer.
        drop(self.release.start(&self.turn, &self.id));
    }
}

/// Embeds the terminal in a tool call.
impl From<&Terminal> for ToolCallContent {
    fn from(terminal: &Terminal) -> Self {
        acp_types::v1::Terminal::new(&terminal.id).into()
    }
}

impl fmt::Debug for Terminal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Terminal").field("id", &self.id).finish_non_exhaustive()
    }
}

impl fmt::Debug for TerminalCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TerminalCommand").finish_non_exhaustive()
    }
}
