//! A child process that is no peer: it is run for what it prints.

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

/// A process that was started with [`Command::run`]. Dropped, it is killed with everything it started.
pub struct Running {
    process: Process,
    tree: Tree,
    exit: Option<Exit>,
    grace: Duration,
    #[cfg(windows)]
    rest: Rest,
}

impl Command {
    /// Starts the command for what it prints: no peer, and nothing on its stdin. [`on_stderr`](Self::on_stderr) and
    /// [`stderr_tail`](Self::stderr_tail) are of no effect; [`grace`](Self::grace) is, for [`Running::end`]. Needs a tokio
    /// runtime with I/O and time enabled.
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
    /// If the process cannot be started.
    pub fn run(&self) -> io::Result<(Running, Output)> {
        Handle::try_current().map_err(io::Error::other)?;
        run(self)
    }

    /// Runs the process as [`run`](Self::run) does, but on a terminal of its own of that size: programs that look for one
    /// print as they do for people, with colours and lines that end in `\r\n`.
    ///
    /// Its stdin is the terminal, where nobody types: who reads from it comes to the end of the input. The process leads
    /// a session and a process group of its own; shells that a person could use put what they start into groups that
    /// [`Running::end`] does not reach.
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
    /// If there is no terminal to be had, or the process cannot be started.
    #[cfg(all(feature = "pty", unix))]
    pub fn run_on_terminal(&self, columns: u16, rows: u16) -> io::Result<(Running, Output)> {
        Handle::try_current().map_err(io::Error::other)?;
        run_on_terminal(self, columns, rows)
    }
}

fn run(command: &Command) -> io::Result<(Running, Output)> {
    let (reader, writer) = io::pipe()?;
    let output = Output::of_pipe(reader)?;
    let mut process = command.to_process();
    // One pipe for both: with two there is no telling what came first.
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

/// The same on a terminal of its own.
#[cfg(all(feature = "pty", unix))]
fn run_on_terminal(command: &Command, columns: u16, rows: u16) -> io::Result<(Running, Output)> {
    let (child, pty) = crate::pty::spawn(command, columns, rows)?;
    let (tree, process) = tree::led_by(child);
    let running = Running { process, tree, exit: None, grace: command.grace };
    Ok((running, Output::of_terminal(pty)))
}

impl Running {
    /// The process id; on unix also the id of its process group. `None` once it has exited.
    #[must_use]
    pub fn pid(&self) -> Option<u32> {
        self.process.id()
    }

    /// Waits until the process has exited. What it started may live on. [`Exit::stderr_tail`] is empty: see [`Output`].
    /// Dropping the future loses nothing.
    pub async fn exited(&mut self) -> Exit {
        if let Some(exit) = &self.exit {
            return exit.clone();
        }
        let exit = Exit::of(self.process.wait().await.ok());
        #[cfg(windows)]
        self.rest.arrives().await;
        self.exit.insert(exit).clone()
    }

    /// Waits until the process has exited and nothing runs any more that it started. On Windows the first ends the second.
    /// Dropping the future loses nothing.
    pub async fn gone(&mut self) {
        self.exited().await;
        self.process.outlived().await;
    }

    /// Ends the process and everything it started: asks it to, and kills what is left after [`Command::grace`]. Says
    /// how the process ended; nothing of that is known of one that has not gone 10 seconds after that.
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
