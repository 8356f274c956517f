//! Windows: a child process and what it started, as a job object.

use std::io;
use std::process::ExitStatus;

use process_wrap::tokio::{ChildWrapper, CommandWrap, CommandWrapper, JobObject, KillOnDrop};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};
use tokio_util::sync::CancellationToken;

/// The process waits until it has been put into its job.
const CREATE_SUSPENDED: u32 = 0x0000_0004;
/// The process has a console of its own that nobody sees.
const CREATE_NO_WINDOW: u32 = 0x0800_0000;

/// Starts a process in a job of its own. The job ends with its handle, even if this process is killed.
pub(crate) fn spawn(command: Command) -> io::Result<(Tree, Process)> {
    let mut command = CommandWrap::from(command);
    command.wrap(KillOnDrop).wrap(JobObject).wrap(NoWindow);
    let child = command.spawn()?;
    let (stop, gone) = (CancellationToken::new(), CancellationToken::new());
    Ok((Tree { stop: stop.clone(), gone: gone.clone() }, Process { child, stop, gone }))
}

/// Keeps windows from opening, and the process from the console of this one. It comes after [`JobObject`], which sets
/// flags of its own and resumes the process.
#[derive(Debug)]
struct NoWindow;

impl CommandWrapper for NoWindow {
    fn pre_spawn(&mut self, command: &mut Command, _: &CommandWrap) -> io::Result<()> {
        command.creation_flags(CREATE_SUSPENDED | CREATE_NO_WINDOW);
        Ok(())
    }
}

/// A job, ended on drop.
pub(crate) struct Tree {
    stop: CancellationToken,
    gone: CancellationToken,
}

impl Tree {
    /// There is no polite way: closing stdin was it.
    pub(crate) fn terminate(&self) {
        self.kill();
    }

    pub(crate) fn kill(&self) {
        self.stop.cancel();
    }

    pub(crate) fn is_gone(&self) -> bool {
        self.gone.is_cancelled()
    }

    pub(crate) async fn gone(&self) {
        self.gone.cancelled().await;
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The first process of the job, and the job's only handle.
pub(crate) struct Process {
    child: Box<dyn ChildWrapper>,
    stop: CancellationToken,
    gone: CancellationToken,
}

impl Process {
    pub(crate) fn id(&self) -> Option<u32> {
        self.child.id()
    }

    pub(crate) fn pipes(&mut self) -> Option<(ChildStdin, ChildStdout, ChildStderr)> {
        Some((self.child.stdin().take()?, self.child.stdout().take()?, self.child.stderr().take()?))
    }

    /// Waits for the exit; ends the job when told to, and after the exit in any case.
    pub(crate) async fn wait(&mut self) -> io::Result<ExitStatus> {
        // Not the job: its own `wait` is about all that the process has left behind.
        let status = tokio::select! {
            status = self.child.inner_mut().wait() => status,
            () = self.stop.cancelled() => {
                self.child.start_kill()?;
                self.child.inner_mut().wait().await
            }
        };
        let _ = self.child.start_kill();
        self.gone.cancel();
        status
    }

    /// What an exited process has left behind has ended with it.
    pub(crate) async fn outlived(&self) {}
}

impl Drop for Process {
    fn drop(&mut self) {
        // It ends the job, not only the process.
        let _ = self.child.start_kill();
        self.gone.cancel();
    }
}
