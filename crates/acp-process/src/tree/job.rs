//! Windows: a child process and all that it starts, as a job object.

use std::io;
use std::process::ExitStatus;

use process_wrap::tokio::{ChildWrapper, CommandWrap, CommandWrapper, JobObject, KillOnDrop};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};
use tokio_util::sync::CancellationToken;

/// The flag of a process that waits until it is in its job.
const CREATE_SUSPENDED: u32 = 0x0000_0004;
/// The flag of a process that has a console of its own, without a window.
const CREATE_NO_WINDOW: u32 = 0x0800_0000;

/// Starts a process in a job of its own. The job ends with its handle, also if this process is
/// killed.
pub(crate) fn spawn(command: Command) -> io::Result<(Tree, Process)> {
    let mut command = CommandWrap::from(command);
    command.wrap(KillOnDrop).wrap(JobObject).wrap(NoWindow);
    let child = command.spawn()?;
    let (stop, gone) = (CancellationToken::new(), CancellationToken::new());
    Ok((Tree { stop: stop.clone(), gone: gone.clone() }, Process { child, stop, gone }))
}

/// Keeps the process from the console of this process, and from opening a window.
///
/// It stands after [`JobObject`], which overwrites the flags and later resumes the process.
#[derive(Debug)]
struct NoWindow;

impl CommandWrapper for NoWindow {
    fn pre_spawn(&mut self, command: &mut Command, _: &CommandWrap) -> io::Result<()> {
        command.creation_flags(CREATE_SUSPENDED | CREATE_NO_WINDOW);
        Ok(())
    }
}

/// A job. A drop ends it.
pub(crate) struct Tree {
    stop: CancellationToken,
    gone: CancellationToken,
}

impl Tree {
    /// Kills the job: Windows has no way to ask.
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

/// The first process of the job, with the only handle of the job.
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

    /// Waits for the exit. Ends the job after it, and before it when [`Tree::kill`] is called.
    pub(crate) async fn wait(&mut self) -> io::Result<ExitStatus> {
        // The wrapper's own `wait` would wait for the whole job.
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

    /// Returns at once: the job has ended with the process.
    pub(crate) async fn outlived(&self) {}
}

impl Drop for Process {
    fn drop(&mut self) {
        // The wrapper kills the whole job.
        let _ = self.child.start_kill();
        self.gone.cancel();
    }
}
