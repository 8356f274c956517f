//! Terminals of this machine, as a client serves them.

use std::ffi::OsString;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use acp_rpc::{Output, Running};
use acp_types::method::Method;
use acp_types::v1::methods::{
    TerminalCreate, TerminalKill, TerminalOutput, TerminalRelease, TerminalWaitForExit,
};
use acp_types::v1::{
    CreateTerminalRequest, CreateTerminalResponse, ErrorCode, KillTerminalResponse, ReleaseTerminalResponse,
    SessionId, TerminalExitStatus, TerminalId, TerminalOutputRequest, WaitForTerminalExitResponse,
};
use tokio::sync::{Semaphore, watch};

use super::command::Launch;
use super::terminal::{Screen, Terminal};
use super::terminal_table::{Host, Listed, LookedAfter, Slot};
use crate::parts::refusal::{invalid, refusal};
use crate::sessions::session_state::SessionState;
use crate::{Client, Context, Handlers, RpcError};

/// The number of answers with a terminal's output that may wait until the agent reads them.
const OUTPUTS: usize = 16;

/// Serves the `terminal/…` methods with processes on this machine.
///
/// A command runs with the rights of this program. It runs in the session's directory, unless the
/// agent names another one, and its stdin is empty. No shell is involved unless
/// [`shell_lines`](Self::shell_lines) sets one. Its output on stdout and stderr is kept as one
/// text, in the order in which it was written. Only the newest part is kept, cut between
/// characters. Bytes that are not UTF-8 become U+FFFD.
///
/// A command ends with everything that it has started: when the agent kills it or releases its
/// terminal, when the session is closed or nobody holds it any more, and with the connection. It is
/// asked to end, and killed after a [grace](Self::grace). On unix that reaches its process group,
/// but not processes that have left it. If this program is killed, its commands are ended as
/// [`Command::grace`](crate::Command::grace) says.
///
/// On unix a command has no terminal, even if this program has one, unless `on_terminal` gives it
/// one of its own.
///
/// A failure is answered with a JSON-RPC error that names the field and the session. The code is
/// -32002 for a terminal that does not exist or was released, -32602 for a command that cannot be
/// started, is one too many, or was not [allowed](Self::ask), and -32603 for an error of the
/// system.
///
/// ```no_run
/// # async fn start() -> Result<(), Box<dyn std::error::Error>> {
/// use acp_client::{Command, LocalTerminals};
///
/// let terminals = LocalTerminals::new().max_terminals(8).ask(async |request| {
///     // … show the command to the user …
///     request.command == "cargo"
/// });
/// let agent = acp_client::spawn(Command::new("my-agent")).terminals(terminals).await?;
/// # Ok(()) }
/// ```
///
/// Clones share their terminals, so a clone can [look at them](Self::get).
#[derive(Clone)]
pub struct LocalTerminals {
    launch: Launch,
    contained: bool,
    max_terminals: usize,
    max_output_bytes: usize,
    max_time: Option<Duration>,
    gate: Option<Gate>,
    host: Arc<Host>,
}

type Allowed = Pin<Box<dyn Future<Output = bool> + Send>>;
type Gate = Arc<dyn Fn(CreateTerminalRequest) -> Allowed + Send + Sync>;

/// The terminals of one connection.
struct ConnectionTerminals {
    terminals: Arc<LocalTerminals>,
    connection: u64,
}

impl LocalTerminals {
    /// Creates one that serves any command, at most 64 at a time, with 1 MiB of output each.
    #[must_use]
    pub fn new() -> Self {
        Self {
            launch: Launch {
                #[cfg(all(feature = "pty", unix))]
                size: None,
                shell: None,
                inherited: None,
                env: Vec::new(),
                grace: Duration::from_secs(2),
            },
            contained: false,
            max_terminals: 64,
            max_output_bytes: 1024 * 1024,
            max_time: None,
            gate: None,
            host: Arc::default(),
        }
    }

    /// Asks `callback` before a command is started; false refuses it. The `cwd` of the request is
    /// set. The callback is dropped if the agent withdraws the request, the turn is cancelled, or
    /// the session is closed.
    #[must_use]
    pub fn ask<F>(mut self, callback: impl Fn(CreateTerminalRequest) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = bool> + Send + 'static,
    {
        self.gate = Some(Arc::new(move |request| Box::pin(callback(request))));
        self
    }

    /// Takes a command without arguments for a line of shell, and runs this shell with `args` and
    /// the line. Some agents send whole lines, although the protocol means a program.
    ///
    /// ```
    /// # use acp_client::LocalTerminals;
    /// let terminals = LocalTerminals::new().shell_lines("sh", ["-c"]);
    /// ```
    #[must_use]
    pub fn shell_lines<A: Into<OsString>>(
        mut self,
        shell: impl Into<OsString>,
        args: impl IntoIterator<Item = A>,
    ) -> Self {
        self.launch.shell = Some((shell.into(), args.into_iter().map(Into::into).collect()));
        self
    }

    /// Sets an environment variable for every command. The agent's own variables override it.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.launch.env.push((name.into(), value.into()));
        self
    }

    /// Starts commands with an empty environment instead of this program's.
    #[must_use]
    pub fn env_clear(mut self) -> Self {
        self.launch.inherited = Some(Vec::new());
        self
    }

    /// Starts commands with these variables of this program's environment and no others. Further
    /// calls add variables. This keeps secrets from commands. A program without a folder needs
    /// `PATH` to be found.
    ///
    /// ```
    /// # use acp_client::LocalTerminals;
    /// let terminals = LocalTerminals::new().env_inherit(["PATH", "HOME", "LANG"]).env("CI", "1");
    /// ```
    #[must_use]
    pub fn env_inherit<N: Into<OsString>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        let inherited = self.launch.inherited.get_or_insert_default();
        inherited.extend(names.into_iter().map(Into::into));
        self
    }

    /// Refuses a command whose folder lies outside of the session's directories. These are its
    /// `cwd` and the additional ones, as they were when it was opened.
    ///
    /// It is not a sandbox: a running command can reach everything that this program can.
    #[must_use]
    pub const fn contained(mut self) -> Self {
        self.contained = true;
        self
    }

    /// Runs commands on a terminal of their own, of this size. They print as they do for people,
    /// with colours and lines that end in `\r\n`, and `TERM` is `xterm-256color`. Nobody types
    /// there: reading gives the end of the input.
    ///
    /// A command ends as it does without a terminal. But process groups that a shell with job
    /// control has made only learn that the terminal is gone.
    #[cfg(all(feature = "pty", unix))]
    #[must_use]
    pub const fn on_terminal(mut self, columns: u16, rows: u16) -> Self {
        self.launch.size = Some((columns, rows));
        self
    }

    /// Limits the number of terminals in all sessions together. Beyond it the agent is refused
    /// until it releases some.
    #[must_use]
    pub const fn max_terminals(mut self, count: usize) -> Self {
        self.max_terminals = count;
        self
    }

    /// Limits the bytes of output that are kept of each command. The agent may ask for less.
    #[must_use]
    pub const fn max_output_bytes(mut self, bytes: usize) -> Self {
        self.max_output_bytes = bytes;
        self
    }

    /// Limits the time of a command, which is then ended like by a kill. By default a command may
    /// run for ever.
    #[must_use]
    pub fn max_time(mut self, time: impl Into<Option<Duration>>) -> Self {
        self.max_time = time.into();
        self
    }

    /// Sets the time between asking a command to end and killing it. The default is 2 seconds.
    #[must_use]
    pub const fn grace(mut self, grace: Duration) -> Self {
        self.launch.grace = grace;
        self
    }

    /// Returns the terminal with this id, to show it; `None` if there is none or it was released.
    /// Tool calls name terminals in their [content](crate::v1::ToolCallContent::Terminal).
    #[must_use]
    pub fn get(&self, id: &TerminalId) -> Option<Terminal> {
        self.host.table().get(id).map(|listed| Terminal::new(Arc::clone(&listed.screen)))
    }
}

impl Default for LocalTerminals {
    fn default() -> Self {
        Self::new()
    }
}

impl Client for LocalTerminals {
    fn register(self: Arc<Self>, handlers: &mut Handlers) {
        handlers.special.needs_roots |= self.contained;
        let connection = self.host.number();
        let served = Arc::new(ConnectionTerminals { terminals: self, connection });
        let (looked_at, room) = (Arc::clone(&served), Arc::new(Semaphore::new(OUTPUTS)));
        handlers
            .request::<TerminalCreate, _, _>(&served, |served, request, context| async move {
                served.create(request, context).await
            })
            .raw_request(TerminalOutput::NAME, move |request: TerminalOutputRequest, context: Context| {
                let (served, room) = (Arc::clone(&looked_at), Arc::clone(&room));
                async move {
                    // Kept until the text is on its way, so that an agent that does not read gets
                    // no more texts into memory.
                    let place = context.unless_withdrawn(room.acquire_owned()).await?;
                    let output = served.find(&request.terminal_id, &request.session_id)?.output();
                    Ok(context.wire().answer(output).after(move |_| drop(place)))
                }
            })
            .request::<TerminalWaitForExit, _, _>(&served, |served, request, context| async move {
                let screen = served.find(&request.terminal_id, &request.session_id)?;
                let TerminalExitStatus { exit_code, signal, .. } =
                    context.unless_withdrawn(screen.exited()).await?;
                let mut response = WaitForTerminalExitResponse::new();
                (response.exit_code, response.signal) = (exit_code, signal);
                Ok(response)
            })
            .request::<TerminalKill, _, _>(&served, |served, request, context| async move {
                let screen = served.find(&request.terminal_id, &request.session_id)?;
                context.unless_withdrawn(screen.kill()).await?;
                Ok(KillTerminalResponse::new())
            })
            .request::<TerminalRelease, _, _>(&served, |served, request, context| async move {
                let screen = served.find(&request.terminal_id, &request.session_id)?;
                served.terminals.host.forget(screen.id());
                context.unless_withdrawn(screen.release()).await?;
                Ok(ReleaseTerminalResponse::new())
            });
    }
}

impl ConnectionTerminals {
    async fn create(
        &self,
        mut request: CreateTerminalRequest,
        context: Context,
    ) -> Result<CreateTerminalResponse, RpcError> {
        let session = context.session(&request.session_id);
        let session =
            session.ok_or_else(|| invalid("sessionId", "is not an open session", &request.session_id))?;
        let cwd = request.cwd.take().or_else(|| session.roots().map(|roots| roots.cwd().to_owned()));
        let cwd = cwd.ok_or_else(|| invalid("cwd", "must be given", &request.session_id))?;
        Launch::check(&request, &cwd)?;
        let cwd = self.contain(cwd, &session).await?;
        let request = request.cwd(cwd.clone());
        let slot = self.slot(&request.session_id)?;
        self.pass(&request, &session, &context).await?;
        // The disk may be slow, and so may the start of a process.
        let launch = self.terminals.launch.clone();
        let held = (slot, context.guest());
        let started = tokio::task::spawn_blocking(move || {
            let started = launch.run(&request, &cwd);
            (request, started, held)
        });
        let Ok((request, started, held)) = started.await else {
            return Err(RpcError::internal("starting the command was interrupted"));
        };
        let id = self.open(request, started?, &session, held);
        Ok(CreateTerminalResponse::new(id))
    }

    /// Returns the folder, if a command may run in it.
    async fn contain(&self, cwd: String, session: &SessionState) -> Result<String, RpcError> {
        if !self.terminals.contained {
            return Ok(cwd);
        }
        let (roots, id) = (session.roots().unwrap_or_default(), session.id().clone());
        let found = tokio::task::spawn_blocking(move || Launch::contain(&roots, &cwd, &id)).await;
        found.unwrap_or_else(|_| Err(RpcError::internal("looking for the folder was interrupted")))
    }

    /// Asks the callback, if there is one.
    async fn pass(
        &self,
        request: &CreateTerminalRequest,
        session: &SessionState,
        context: &Context,
    ) -> Result<(), RpcError> {
        let Some(gate) = &self.terminals.gate else { return Ok(()) };
        tokio::select! {
            biased;
            () = session.asks().cancelled_owned() => Err(RpcError::cancelled()),
            allowed = context.unless_withdrawn(gate(request.clone())) => {
                if allowed? { Ok(()) } else { Err(invalid("command", "was not allowed", &request.session_id)) }
            }
        }
    }

    fn slot(&self, session: &SessionId) -> Result<Slot, RpcError> {
        let (host, max) = (&self.terminals.host, self.terminals.max_terminals);
        let more = |taken: usize| (taken < max).then_some(taken + 1);
        match host.taken.fetch_update(Ordering::AcqRel, Ordering::Acquire, more) {
            Ok(_) => Ok(Slot(Arc::clone(host))),
            Err(_) => {
                let problem = format!("exceeds the limit of {max} terminals: release some first");
                Err(invalid("command", &problem, session))
            }
        }
    }

    /// Lists a started command and supervises it from now on.
    fn open(
        &self,
        request: CreateTerminalRequest,
        (running, output): (Running, Output),
        session: &SessionState,
        held: (Slot, watch::Receiver<()>),
    ) -> TerminalId {
        let host = &self.terminals.host;
        let id = TerminalId::from(format!("terminal-{}", host.number()));
        let max = self.terminals.max_output_bytes;
        let limit = request.output_byte_limit.and_then(|limit| usize::try_from(limit).ok());
        let limit = limit.map_or(max, |limit| limit.min(max));
        let screen = Arc::new(Screen::new(id.clone(), request, limit, session.over().child_token()));
        let listed = Listed { connection: self.connection, screen: Arc::clone(&screen) };
        host.table().insert(id.clone(), listed);
        let looked_after = LookedAfter { host: Arc::clone(host), screen };
        let time = self.terminals.max_time;
        tokio::spawn(async move {
            looked_after.screen.supervise(running, output, time).await;
            looked_after.screen.finish();
            looked_after.screen.released().await;
            drop((looked_after, held));
        });
        id
    }

    fn find(&self, id: &TerminalId, session: &SessionId) -> Result<Arc<Screen>, RpcError> {
        let table = self.terminals.host.table();
        let found = table.get(id).filter(|found| found.connection == self.connection);
        let found = found.map(|found| &found.screen).filter(|screen| screen.session() == session);
        found.cloned().ok_or_else(|| {
            refusal(
                ErrorCode::RESOURCE_NOT_FOUND.0,
                "terminalId",
                "is not a terminal, or was released",
                session,
            )
        })
    }
}

/// Leaves out the environment, which may hold secrets.
impl fmt::Debug for LocalTerminals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalTerminals")
            .field("max_terminals", &self.max_terminals)
            .field("max_output_bytes", &self.max_output_bytes)
            .field("max_time", &self.max_time)
            .field("terminals", &self.host.table().keys().collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}
