//! A child process as the peer.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::process::Child as Process;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::time::timeout;

use super::Transport;
use super::group::Group;
use super::stderr::{OnLine, Stderr, Tail};
use crate::error::Exit;

/// How long the stderr of an exited process is read on, should something it started keep it open.
const LAST_STDERR: Duration = Duration::from_millis(250);

/// How to start a child process whose stdin and stdout become a [`Transport`].
pub struct Command {
    program: OsString,
    args: Vec<OsString>,
    inherit_env: bool,
    env: Vec<(OsString, Option<OsString>)>,
    current_dir: Option<PathBuf>,
    grace: Duration,
    stderr_tail: usize,
    on_stderr: Option<OnLine>,
}

impl Command {
    /// A command without arguments, in this process's environment and working directory.
    pub fn new(program: impl Into<OsString>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            inherit_env: true,
            env: Vec::new(),
            current_dir: None,
            grace: Duration::from_secs(2),
            stderr_tail: 8 * 1024,
            on_stderr: None,
        }
    }

    /// Adds an argument.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Adds arguments.
    #[must_use]
    pub fn args<A: Into<OsString>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sets an environment variable.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.env.push((name.into(), Some(value.into())));
        self
    }

    /// Removes an environment variable.
    #[must_use]
    pub fn env_remove(mut self, name: impl Into<OsString>) -> Self {
        self.env.push((name.into(), None));
        self
    }

    /// Starts from an empty environment instead of this process's.
    #[must_use]
    pub const fn env_clear(mut self) -> Self {
        self.inherit_env = false;
        self
    }

    /// Sets the working directory.
    #[must_use]
    pub fn current_dir(mut self, path: impl Into<PathBuf>) -> Self {
        self.current_dir = Some(path.into());
        self
    }

    /// How long the process gets to exit after its stdin was closed, and again after it was asked to
    /// terminate, before it is killed. Default 2 seconds.
    ///
    /// On unix the process leads a process group of its own, and all of the group is ended, so that wrappers
    /// such as `npx` leave nothing behind.
    #[must_use]
    pub const fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    /// How many bytes of stderr are kept for [`Exit::stderr_tail`]. Default 8 KiB.
    #[must_use]
    pub const fn stderr_tail(mut self, bytes: usize) -> Self {
        self.stderr_tail = bytes;
        self
    }

    /// Is given each line of stderr, without its newline; very long lines come in pieces.
    #[must_use]
    pub fn on_stderr(mut self, line: impl FnMut(&str) + Send + 'static) -> Self {
        self.on_stderr = Some(Box::new(line));
        self
    }

    /// The program.
    pub fn program(&self) -> &OsStr {
        &self.program
    }

    fn to_process(&self) -> tokio::process::Command {
        let mut process = tokio::process::Command::new(&self.program);
        process.args(&self.args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if !self.inherit_env {
            process.env_clear();
        }
        for (name, value) in &self.env {
            match value {
                Some(value) => process.env(name, value),
                None => process.env_remove(name),
            };
        }
        if let Some(path) = &self.current_dir {
            process.current_dir(path);
        }
        Group::prepare(&mut process);
        process
    }
}

/// Shows the program and nothing else: arguments and environment may hold secrets.
impl fmt::Debug for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Command").field("program", &self.program).finish_non_exhaustive()
    }
}

/// A handle on a child process, to look at it. The connection owns the process.
#[derive(Clone, Debug)]
pub struct Child {
    pid: u32,
    tail: Tail,
    exit: watch::Receiver<Option<Exit>>,
}

impl Child {
    /// The process id; on unix also the id of its process group.
    pub const fn pid(&self) -> u32 {
        self.pid
    }

    /// The last bytes of stderr so far.
    pub fn stderr_tail(&self) -> String {
        self.tail.text()
    }

    /// Waits until the process has exited.
    pub async fn wait(&self) -> Exit {
        exited(&mut self.exit.clone()).await
    }
}

pub(super) fn spawn(command: Command) -> io::Result<(Transport, Child)> {
    let runtime = Handle::try_current().map_err(io::Error::other)?;
    let mut process = command.to_process().spawn().map_err(|error| {
        let program = command.program.display();
        io::Error::new(error.kind(), format!("cannot start `{program}`: {error}"))
    })?;
    let pid = process.id().ok_or_else(|| io::Error::other("the process has no id"))?;
    let group = Group::of(pid);
    let (Some(stdin), Some(stdout), Some(stderr)) =
        (process.stdin.take(), process.stdout.take(), process.stderr.take())
    else {
        return Err(io::Error::other("the process has no pipes"));
    };
    let tail = Tail::new(command.stderr_tail);
    let stderr = Stderr::new(stderr, tail.clone(), command.on_stderr);
    let (report, exit) = watch::channel(None);
    runtime.spawn(supervise(process, group.stopper(), stderr, report));
    let mut transport = Transport::new(stdout, stdin);
    transport.child = Some(ChildLink { exit: exit.clone(), group: Some(group), grace: command.grace });
    Ok((transport, Child { pid, tail, exit }))
}

/// Reads stderr and waits for the exit, whatever becomes of the connection.
async fn supervise(
    mut process: Process,
    stopper: super::group::Stopper,
    mut stderr: Stderr,
    report: watch::Sender<Option<Exit>>,
) {
    let status = {
        let mut waiting = std::pin::pin!(stopper.wait(&mut process));
        tokio::select! {
            status = &mut waiting => status,
            () = stderr.drain() => waiting.await,
        }
    };
    // Its last words are often the reason why it died.
    let _ = timeout(LAST_STDERR, stderr.drain()).await;
    let (status, signal) = status.map_or((None, None), |status| (status.code(), signal_of(status)));
    report.send_replace(Some(Exit { status, signal, stderr_tail: stderr.tail() }));
}

#[cfg(unix)]
fn signal_of(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal_of(_: ExitStatus) -> Option<i32> {
    None
}

/// The connection's hold on its child process: when it goes, the process goes.
pub(crate) struct ChildLink {
    exit: watch::Receiver<Option<Exit>>,
    group: Option<Group>,
    grace: Duration,
}

impl ChildLink {
    pub(crate) async fn exited(&mut self) -> Exit {
        exited(&mut self.exit).await
    }

    /// Ends the process and all it started. Its stdin has been closed already.
    pub(crate) async fn end(mut self) {
        if let Some(group) = self.group.take() {
            end(group, self.exit.clone(), self.grace).await;
        }
    }
}

/// Dropped without a runtime, or with one that shuts down, the group kills at once.
impl Drop for ChildLink {
    fn drop(&mut self) {
        if let Some(group) = self.group.take()
            && let Ok(runtime) = Handle::try_current()
        {
            runtime.spawn(end(group, self.exit.clone(), self.grace));
        }
    }
}

async fn end(mut group: Group, mut exit: watch::Receiver<Option<Exit>>, grace: Duration) {
    // Closing stdin is how a client says goodbye (rule v1-tr-08); what does not listen is asked, then told.
    let _ = timeout(grace, exited(&mut exit)).await;
    if !group.is_gone() {
        group.terminate();
        let _ = timeout(grace, group.gone()).await;
    }
    group.kill();
    let _ = timeout(grace, exited(&mut exit)).await;
}

async fn exited(exit: &mut watch::Receiver<Option<Exit>>) -> Exit {
    match exit.wait_for(Option::is_some).await {
        Ok(exit) => exit.clone().unwrap_or_default(),
        // The runtime shuts down and nobody watches the process any more.
        Err(_) => Exit::default(),
    }
}
