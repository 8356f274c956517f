//! A child process that is talked to: it is started, watched, and ended with all it started.

use std::fmt;
use std::io;
use std::time::Duration;

use tokio::process::{ChildStdin, ChildStdout};
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::time::timeout;

use crate::command::Command;
use crate::exit::Exit;
use crate::stderr::{Stderr, Tail};
use crate::tree::{self, KILLED, Process, Tree};

/// How long the stderr of an exited process is read on, should something it started keep it open.
const LAST_STDERR: Duration = Duration::from_millis(250);

/// A handle on a child process, to look at it. Its [`ChildGuard`] decides how long it lives.
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

/// A child process that has just been started.
#[derive(Debug)]
#[non_exhaustive]
pub struct Spawned {
    /// The way to the process.
    pub stdin: ChildStdin,
    /// The way back.
    pub stdout: ChildStdout,
    /// The handle to look at it with.
    pub child: Child,
    /// The hold on it.
    pub guard: ChildGuard,
}

impl Command {
    /// Starts the process, with pipes as its stdin, stdout and stderr. The last one is read, so that the process never
    /// blocks on it: see [`on_stderr`](Self::on_stderr). Needs a tokio runtime with I/O and time enabled.
    ///
    /// # Errors
    ///
    /// If the process cannot be started.
    pub fn spawn(self) -> io::Result<Spawned> {
        let runtime = Handle::try_current().map_err(io::Error::other)?;
        let (tree, mut process) = tree::spawn(self.to_process())?;
        let pid = process.id().ok_or_else(|| io::Error::other("the process has no id"))?;
        let Some((stdin, stdout, stderr)) = process.pipes() else {
            return Err(io::Error::other("the process has no pipes"));
        };
        let tail = Tail::new(self.stderr_tail);
        let stderr = Stderr::new(stderr, tail.clone(), self.on_stderr);
        let (report, exit) = watch::channel(None);
        runtime.spawn(supervise(process, stderr, report));
        let guard = ChildGuard { exit: exit.clone(), tree: Some(tree), grace: self.grace };
        Ok(Spawned { stdin, stdout, child: Child { pid, tail, exit }, guard })
    }
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
        report.send_replace(Some(Exit { stderr_tail: stderr.tail(), ..Exit::of(status.ok()) }));
    };
    tokio::join!(last_words, process.outlived());
}

/// The hold on a child process. Dropped, it ends the process and all it started as [`end`](Self::end) does, in a task.
pub struct ChildGuard {
    exit: watch::Receiver<Option<Exit>>,
    tree: Option<Tree>,
    grace: Duration,
}

impl ChildGuard {
    /// Waits until the process has exited. Dropping the future loses nothing.
    pub async fn exited(&mut self) -> Exit {
        exited(&mut self.exit).await
    }

    /// Ends the process and all it started, once its stdin has been closed: waits for its exit, asks what is left to
    /// terminate, and kills what is left after that. See [`Command::grace`].
    pub async fn end(mut self) {
        if let Some(tree) = self.tree.take() {
            end(tree, self.exit.clone(), self.grace).await;
        }
    }
}

/// Dropped without a runtime, or with one that shuts down, the tree is killed at once.
impl Drop for ChildGuard {
    fn drop(&mut self) {
        if let Some(tree) = self.tree.take()
            && let Ok(runtime) = Handle::try_current()
        {
            runtime.spawn(end(tree, self.exit.clone(), self.grace));
        }
    }
}

async fn end(tree: Tree, mut exit: watch::Receiver<Option<Exit>>, grace: Duration) {
    // Closing stdin is how a client says goodbye (rules v1-tr-08 and mcp-neg-36); what does not listen is asked, then told.
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

impl fmt::Debug for ChildGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChildGuard").finish_non_exhaustive()
    }
}
