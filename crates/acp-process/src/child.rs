//! A child process that is talked to: its start, its exit, and the end of all that it has started.

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

/// The time for which the stderr of an exited process is read on, if a child of it keeps the pipe
/// open.
const LAST_STDERR: Duration = Duration::from_millis(250);

/// A handle to look at a child process. The [`ChildGuard`] decides how long the process lives.
#[derive(Clone, Debug)]
pub struct Child {
    pid: u32,
    tail: Tail,
    exit: watch::Receiver<Option<Exit>>,
}

impl Child {
    /// The process id. On unix it is the id of the process group, too.
    #[must_use]
    pub const fn pid(&self) -> u32 {
        self.pid
    }

    /// The last bytes of stderr so far.
    #[must_use]
    pub fn stderr_tail(&self) -> String {
        self.tail.text()
    }

    /// Waits until the process has exited, and tells how it ended.
    pub async fn wait(&self) -> Exit {
        exited(&mut self.exit.clone()).await
    }
}

/// A child process that has just been started.
#[derive(Debug)]
#[non_exhaustive]
pub struct Spawned {
    /// The input of the process. Dropped, it tells the process that the conversation is over.
    pub stdin: ChildStdin,
    /// The output of the process.
    pub stdout: ChildStdout,
    /// The handle to look at the process.
    pub child: Child,
    /// The guard that ends the process.
    pub guard: ChildGuard,
}

impl Command {
    /// Starts the process with pipes as its stdin, stdout and stderr.
    ///
    /// Stderr is read all the time, so that the process never blocks on it: see
    /// [`on_stderr`](Self::on_stderr). A tokio runtime with I/O and time enabled must be there.
    ///
    /// # Errors
    ///
    /// Fails if the process cannot be started.
    pub fn spawn(self) -> io::Result<Spawned> {
        let runtime = Handle::try_current().map_err(io::Error::other)?;
        self.check()?;
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

/// Reads stderr and waits for the exit, independently of the guard.
async fn supervise(mut process: Process, mut stderr: Stderr, report: watch::Sender<Option<Exit>>) {
    let status = {
        let mut waiting = std::pin::pin!(process.wait());
        tokio::select! {
            status = &mut waiting => status,
            () = stderr.drain() => waiting.await,
        }
    };
    let last_words = async {
        // The last words are often the reason of the exit.
        let _ = timeout(LAST_STDERR, stderr.drain()).await;
        stderr.drain_now();
        report.send_replace(Some(Exit { stderr_tail: stderr.tail(), ..Exit::of(status.ok()) }));
    };
    tokio::join!(last_words, process.outlived());
}

/// Ends a child process, and everything that it has started, when it is dropped.
///
/// A drop does the work of [`end`](Self::end) in a task. Without a runtime it kills at once.
pub struct ChildGuard {
    exit: watch::Receiver<Option<Exit>>,
    tree: Option<Tree>,
    grace: Duration,
}

impl ChildGuard {
    /// Waits until the process has exited. Dropping the future loses nothing, and it may outlive
    /// the guard.
    pub fn exited(&self) -> impl Future<Output = Exit> + Send + use<> {
        let mut exit = self.exit.clone();
        async move { exited(&mut exit).await }
    }

    /// Ends the process and everything that it has started. Close its stdin before.
    ///
    /// It waits for the exit, then asks the remaining processes to terminate, and then kills them:
    /// see [`Command::grace`]. Dropping the future kills them at once.
    pub async fn end(mut self) {
        if let Some(tree) = self.tree.take() {
            end(tree, self.exit.clone(), self.grace).await;
        }
    }
}

impl Drop for ChildGuard {
    fn drop(&mut self) {
        if let Some(tree) = self.tree.take()
            && let Ok(runtime) = Handle::try_current()
        {
            // A runtime that shuts down drops the task, and so kills the tree.
            runtime.spawn(end(tree, self.exit.clone(), self.grace));
        }
    }
}

async fn end(tree: Tree, mut exit: watch::Receiver<Option<Exit>>, grace: Duration) {
    // The end of stdin is the first request to exit (rules v1-tr-08 and mcp-neg-36).
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
        // The runtime shuts down, so nobody watches the process any more.
        Err(_) => Exit::default(),
    }
}

impl fmt::Debug for ChildGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChildGuard").finish_non_exhaustive()
    }
}
