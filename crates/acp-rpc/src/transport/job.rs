//! Windows: a child process and what it started, as a job object.

use std::io;
use std::process::ExitStatus;

use process_wrap::tokio::{ChildWrapper, CommandWrap, JobObject, KillOnDrop};
use tokio::process::Command;
use tokio_util::sync::CancellationToken;

use super::process::Pipes;

/// Starts a process in a job of its own. The job ends with its handle, even if this process is killed.
pub(super) fn spawn(command: Command) -> io::Result<(Tree, Process)> {
    let mut command = CommandWrap::from(command);
    command.wrap(KillOnDrop).wrap(JobObject);
    let child = command.spawn()?;
    let (stop, gone) = (CancellationToken::new(), CancellationToken::new());
    Ok((Tree { stop: stop.clone(), gone: gone.clone() }, Process { child, stop, gone }))
}

/// A job, ended on drop.
pub(super) struct Tree {
    stop: CancellationToken,
    gone: CancellationToken,
}

impl Tree {
    /// There is no polite way: closing stdin was it.
    pub(super) fn terminate(&self) {
        self.kill();
    }

    pub(super) fn kill(&self) {
        self.stop.cancel();
    }

    pub(super) fn is_gone(&self) -> bool {
        self.gone.is_cancelled()
    }

    pub(super) async fn gone(&self) {
        self.gone.cancelled().await;
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The first process of the job, and the job's only handle.
pub(super) struct Process {
    child: Box<dyn ChildWrapper>,
    stop: CancellationToken,
    gone: CancellationToken,
}

impl Process {
    pub(super) fn id(&self) -> Option<u32> {
        self.child.id()
    }

    pub(super) fn pipes(&mut self) -> Option<Pipes> {
        Some((self.child.stdin().take()?, self.child.stdout().take()?, self.child.stderr().take()?))
    }

    /// Waits for the exit; ends the job when told to.
    pub(super) async fn wait(&mut self) -> io::Result<ExitStatus> {
        tokio::select! {
            status = self.child.wait() => return status,
            () = self.stop.cancelled() => {}
        }
        self.child.start_kill()?;
        self.child.wait().await
    }

    /// What an exited process has left behind ends with the handle.
    pub(super) async fn outlived(&self) {}
}

impl Drop for Process {
    fn drop(&mut self) {
        // It ends the job, not only the process.
        let _ = self.child.start_kill();
        self.gone.cancel();
    }
}
