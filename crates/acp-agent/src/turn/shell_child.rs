//! A command as a child process of this agent.

use std::pin::pin;
use std::time::Duration;

use acp_process::{Command, Exit, Output, Running, Scrollback};
use tokio::io::AsyncReadExt;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::error::shell_error::ShellProblem;
use crate::error::{Error, Result};
use crate::turn::shell::{Shell, ShellOutput};
use crate::turn::shell_view::View;

/// The number of children that run at a time. Each takes descriptors and memory for its output.
static PERMITS: Semaphore = Semaphore::const_new(64);

/// The time to end for a child, before it is killed. A cancelled handler has more.
const GRACE: Duration = Duration::from_secs(1);
/// The number of bytes that are read at a time.
const CHUNK: usize = 16 * 1024;
/// The capacity of the largest pipe that a process without special rights can make.
const PIPE: usize = 1024 * 1024;

/// Runs the command to its end. Dropped, it kills the child and everything that it has started.
pub(super) async fn run(shell: &Shell, view: View<'_>) -> Result<ShellOutput> {
    shell.turn.check_open()?;
    let _permit = shell.turn.heeding(permit()).await?;
    let (running, output) = shell.turn.heeding(start(shell)).await?;
    let child = Child { output, kept: Scrollback::new(shell.kept), chunk: vec![0; CHUNK], view };
    child.run(shell, running).await
}

async fn permit() -> Result<SemaphorePermit<'static>> {
    // Nobody closes the semaphore.
    PERMITS.acquire().await.map_err(Error::other)
}

/// Starts the command on a thread that may block, because the disk may be slow. If nobody waits any
/// more when it has started, it is dropped there, and so ended.
async fn start(shell: &Shell) -> Result<(Running, Output)> {
    let directory = shell.directory();
    let mut command = Command::new(&shell.program).args(&shell.args).current_dir(&directory).grace(GRACE);
    for (name, value) in &shell.env {
        command = command.env(name, value);
    }
    let started = tokio::task::spawn_blocking(move || {
        // The error of the system does not tell a missing directory from a missing program.
        if directory.is_dir() {
            command.run().map_err(ShellProblem::Start)
        } else {
            Err(ShellProblem::NoDirectory)
        }
    });
    started.await.map_err(Error::other)?.map_err(|problem| shell.failed(problem))
}

/// The output of a child that runs.
struct Child<'a> {
    output: Output,
    kept: Scrollback,
    chunk: Vec<u8>,
    view: View<'a>,
}

impl Child<'_> {
    async fn run(mut self, shell: &Shell, mut running: Running) -> Result<ShellOutput> {
        let ended = loop {
            tokio::select! {
                biased;
                error = shell.turn.closed() => break Err(error),
                exit = running.exited() => break Ok(Some(exit)),
                () = self.view.cancelled() => break Ok(None),
                () = self.view.is_due() => {
                    if let Err(error) = self.view.show(&self.kept).await {
                        break Err(error);
                    }
                }
                length = read(&mut self.output, &mut self.chunk) => self.take(length),
            }
        };
        self.read_rest();
        // The others that it has started end here, and the command itself unless it has exited.
        let exit = {
            let mut ending = pin!(running.end());
            loop {
                tokio::select! {
                    exit = &mut ending => break exit,
                    length = read(&mut self.output, &mut self.chunk) => self.take(length),
                }
            }
        };
        let exit = match &ended {
            Ok(Some(exit)) => exit.clone(),
            _ => exit,
        };
        self.read_rest();
        self.kept.end();
        let shown = self.view.end(&self.kept, &exit).await;
        ended?;
        shown?;
        Ok(self.into_output(&exit))
    }

    /// Takes in the output so far. From processes that never stop, it takes no more than a pipe can
    /// hold.
    fn read_rest(&mut self) {
        for _ in 0..PIPE / CHUNK {
            match self.output.read_now(&mut self.chunk) {
                0 => return,
                length => self.take(length),
            }
        }
    }

    /// Takes in the bytes that were read.
    fn take(&mut self, length: usize) {
        let bytes = self.chunk.get(..length).unwrap_or_default();
        self.kept.push(bytes);
        self.view.printed(bytes);
    }

    fn into_output(self, exit: &Exit) -> ShellOutput {
        ShellOutput {
            output: self.kept.text(),
            truncated: self.kept.is_truncated(),
            // On Windows some codes have the highest bit set.
            exit_code: exit.status.map(i32::cast_unsigned),
            signal: exit.signal_name(),
        }
    }
}

/// Reads a piece of output, and returns its length. At the end of the output it waits for ever.
async fn read(output: &mut Output, chunk: &mut [u8]) -> usize {
    match output.read(chunk).await {
        Ok(length @ 1..) => length,
        Ok(0) | Err(_) => std::future::pending().await,
    }
}
