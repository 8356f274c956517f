//! A child process that is run for its output.

use std::fmt;
use std::io;
use std::process::Stdio;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::timeout;

use crate::command::Command;
use crate::exit::Exit;
use crate::output::Output;
#[cfg(windows)]
use crate::pipe::Rest;
use crate::tree::{self, KILLED, Process, Tree};

/// A process that was started with [`Command::run`].
///
/// A drop kills it, with everything that it has started.
pub struct Running {
    process: Process,
    tree: Tree,
    exit: Option<Exit>,
    grace: Duration,
    #[cfg(windows)]
    rest: Rest,
}

impl Command {
    /// Starts the command for its output, with nothing on its stdin.
    ///
    /// [`on_stderr`](Self::on_stderr) and [`stderr_tail`](Self::stderr_tail) have no effect here.
    /// [`grace`](Self::grace) is the time that [`Running::end`] gives. A tokio runtime with I/O and
    /// time enabled must be there.
    ///
    /// ```no_run
    /// # async fn run() -> std::io::Result<()> {
    /// use acp_process::Command;
    /// use tokio::io::AsyncReadExt;
    ///
    /// let (mut running, mut output) = Command::new("cargo").arg("--version").run()?;
    /// let mut printed = String::new();
    /// output.read_to_string(&mut printed).await?;
    /// assert_eq!(running.exited().await.status, Some(0));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if the process cannot be started.
    pub fn run(&self) -> io::Result<(Running, Output)> {
        Handle::try_current().map_err(io::Error::other)?;
        run(self)
    }

    /// Runs the process as [`run`](Self::run) does, but on a terminal of its own of that size.
    ///
    /// Programs that look for a terminal print as they do for people, with colours and lines that
    /// end in `\r\n`. The terminal is their stdin, too. Nobody types there: a program that reads
    /// comes to the end of the input. The process leads a session and a process group of its own.
    /// An interactive shell puts its commands into groups that [`Running::end`] does not reach.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> std::io::Result<()> {
    /// use acp_process::Command;
    /// use tokio::io::AsyncReadExt;
    ///
    /// let (mut running, mut output) = Command::new("tty").run_on_terminal(80, 24)?;
    /// let mut printed = String::new();
    /// output.read_to_string(&mut printed).await?;
    /// assert!(printed.starts_with("/dev/"));
    /// assert_eq!(running.exited().await.status, Some(0));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if the system gives no terminal, or if the process cannot be started.
    #[cfg(all(feature = "pty", unix))]
    pub fn run_on_terminal(&self, columns: u16, rows: u16) -> io::Result<(Running, Output)> {
        Handle::try_current().map_err(io::Error::other)?;
        run_on_terminal(self, columns, rows)
    }
}

fn run(command: &Command) -> io::Result<(Running, Output)> {
    command.check()?;
    let (reader, writer) = io::pipe()?;
    let output = Output::of_pipe(reader)?;
    let mut process = command.to_process();
    // One pipe for both: two would not show which line came first.
    process.stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer);
    let (tree, process) = tree::spawn(process)?;
    let running = Running {
        process,
        tree,
        exit: None,
        grace: command.grace,
        #[cfg(windows)]
        rest: output.rest(),
    };
    Ok((running, output))
}

#[cfg(all(feature = "pty", unix))]
fn run_on_terminal(command: &Command, columns: u16, rows: u16) -> io::Result<(Running, Output)> {
    let (child, pty) = crate::pty::spawn(command, columns, rows)?;
    let (tree, process) = tree::led_by(child);
    let running = Running { process, tree, exit: None, grace: command.grace };
    Ok((running, Output::of_terminal(pty)))
}

impl Running {
    /// The process id, or `None` once the process has exited. On unix it is the id of the process
    /// group, too.
    #[must_use]
    pub fn pid(&self) -> Option<u32> {
        self.process.id()
    }

    /// Waits until the process has exited. Processes that it has started may live on.
    ///
    /// [`Exit::stderr_tail`] is empty: stderr is part of the [`Output`]. Dropping the future loses
    /// nothing.
    pub async fn exited(&mut self) -> Exit {
        if let Some(exit) = &self.exit {
            return exit.clone();
        }
        let exit = Exit::of(self.process.wait().await.ok());
        #[cfg(windows)]
        self.rest.arrives().await;
        self.exit.insert(exit).clone()
    }

    /// Waits until the process and all that it has started have exited.
    ///
    /// On Windows the exit of the process ends the others. Dropping the future loses nothing.
    pub async fn gone(&mut self) {
        self.exited().await;
        self.process.outlived().await;
    }

    /// Ends the process and everything that it has started, and tells how it ended.
    ///
    /// The processes are asked to terminate, and those that are left after [`Command::grace`] are
    /// killed. Nothing is known of the end of a process that is still there 10 seconds later.
    pub async fn end(&mut self) -> Exit {
        let grace = self.grace;
        self.tree.terminate();
        let _ = timeout(grace, self.gone()).await;
        self.tree.kill();
        timeout(KILLED, self.exited()).await.unwrap_or_default()
    }
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running").field("pid", &self.pid()).field("exit", &self.exit).finish_non_exhaustive()
    }
}
