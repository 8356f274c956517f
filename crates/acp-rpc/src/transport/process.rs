//! A child process as the peer.

use std::io;
use std::process::ExitStatus;
use std::time::Duration;

use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::time::timeout;

use super::Transport;
use super::command::Command;
#[cfg(unix)]
use super::group::{self as tree, Process, Tree};
#[cfg(windows)]
use super::job::{self as tree, Process, Tree};
use super::stderr::{Stderr, Tail};
use crate::error::Exit;

/// How long the stderr of an exited process is read on, should something it started keep it open.
const LAST_STDERR: Duration = Duration::from_millis(250);

/// How long to wait for the exit of what was killed. The system sees to that; it can take time where a process is in
/// the middle of I/O, but not for ever.
pub(super) const KILLED: Duration = Duration::from_secs(10);

/// Stdin, stdout and stderr of a child process.
pub(super) type Pipes = (ChildStdin, ChildStdout, ChildStderr);

/// A handle on a child process, to look at it. The connection owns the process.
#[derive(Clone, Debug)]
pub struct Child {
    pid: u32,
    tail: Tail,
    exit: watch::Receiver<Option<Exit>>,
}

impl Child {
    /// The process id; on unix also the id of its process group.
    #[must_use]
    pub const fn pid(&self) -> u32 {
        self.pid
    }

    /// The last bytes of stderr so far.
    #[must_use]
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
    let (tree, mut process) = tree::spawn(command.to_process()).map_err(|error| {
        let program = command.program().display();
        io::Error::new(error.kind(), format!("cannot start `{program}`: {error}"))
    })?;
    let pid = process.id().ok_or_else(|| io::Error::other("the process has no id"))?;
    let Some((stdin, stdout, stderr)) = process.pipes() else {
        return Err(io::Error::other("the process has no pipes"));
    };
    #[cfg(unix)]
    {
        super::pipe::widen(&stdin);
        super::pipe::widen(&stdout);
    }
    let tail = Tail::new(command.stderr_tail);
    let stderr = Stderr::new(stderr, tail.clone(), command.on_stderr);
    let (report, exit) = watch::channel(None);
    runtime.spawn(supervise(process, stderr, report));
    let mut transport = Transport::new(stdout, stdin);
    transport.child = Some(ChildLink { exit: exit.clone(), tree: Some(tree), grace: command.grace });
    Ok((transport, Child { pid, tail, exit }))
}

/// Reads stderr and waits for the exit, whatever becomes of the connection.
async fn supervise(mut process: Process, mut stderr: Stderr, report: watch::Sender<Option<Exit>>) {
    let status = {
        let mut waiting = std::pin::pin!(process.wait());
        tokio::select! {
            status = &mut waiting => status,
            () = stderr.drain() => waiting.await,
        }
    };
    let last_words = async {
        // They are often the reason why it died.
        let _ = timeout(LAST_STDERR, stderr.drain()).await;
        stderr.drain_now();
        report.send_replace(Some(Exit { stderr_tail: stderr.tail(), ..exit_of(status.ok()) }));
    };
    tokio::join!(last_words, process.outlived());
}

pub(super) fn exit_of(status: Option<ExitStatus>) -> Exit {
    let (status, signal) = status.map_or((None, None), |status| (status.code(), signal_of(status)));
    Exit { status, signal, stderr_tail: String::new() }
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
    tree: Option<Tree>,
    grace: Duration,
}

impl ChildLink {
    pub(crate) async fn exited(&mut self) -> Exit {
        exited(&mut self.exit).await
    }

    /// Ends the process and all it started. Its stdin has been closed already.
    pub(crate) async fn end(mut self) {
        if let Some(tree) = self.tree.take() {
            end(tree, self.exit.clone(), self.grace).await;
        }
    }
}

/// Dropped without a runtime, or with one that shuts down, the tree is killed at once.
impl Drop for ChildLink {
    fn drop(&mut self) {
        if let Some(tree) = self.tree.take()
            && let Ok(runtime) = Handle::try_current()
        {
            runtime.spawn(end(tree, self.exit.clone(), self.grace));
        }
    }
}

async fn end(tree: Tree, mut exit: watch::Receiver<Option<Exit>>, grace: Duration) {
    // Closing stdin is how a client says goodbye (rule v1-tr-08); what does not listen is asked, then told.
    let _ = timeout(grace, exited(&mut exit)).await;
    if !tree.is_gone() {
        tree.terminate();
        let _ = timeout(grace, tree.gone()).await;
    }
    tree.kill();
    let _ = timeout(KILLED, exited(&mut exit)).await;
}

async fn exited(exit: &mut watch::Receiver<Option<Exit>>) -> Exit {
    match exit.wait_for(Option::is_some).await {
        Ok(exit) => exit.clone().unwrap_or_default(),
        // The runtime shuts down and nobody watches the process any more.
        Err(_) => Exit::default(),
    }
}
