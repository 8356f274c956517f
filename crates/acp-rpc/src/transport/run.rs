//! A child process that is no peer: it is run for what it prints.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::process::Stdio;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, ReadBuf};
use tokio::time::timeout;

use super::command::Command;
#[cfg(unix)]
use super::group::{self as tree, Process, Tree};
#[cfg(windows)]
use super::job::{self as tree, Process, Tree};
use super::process::{KILLED, exit_of};
use crate::core::error::Exit;

#[cfg(unix)]
enum Stream {
    Pipe(tokio::net::unix::pipe::Receiver),
    #[cfg(feature = "pty")]
    Terminal(pty_process::Pty),
}
#[cfg(windows)]
type Stream = Pin<Box<dyn AsyncRead + Send>>;

/// A process that was started with [`Command::run`]. Dropped, it is killed with everything it started.
pub struct Running {
    process: Process,
    tree: Tree,
    exit: Option<Exit>,
    grace: Duration,
}

/// What a process and everything it started prints, on stdout and on stderr, in the order of their writes. It ends when
/// nobody is left who could write to it.
pub struct Output(Stream);

pub(super) fn run(command: &Command) -> io::Result<(Running, Output)> {
    let (reader, writer) = io::pipe()?;
    let stream = stream(reader)?;
    let mut process = command.to_process();
    // One pipe for both: with two there is no telling what came first.
    process.stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer);
    let (tree, process) = tree::spawn(process)?;
    Ok((Running { process, tree, exit: None, grace: command.grace }, Output(stream)))
}

/// The same on a terminal of its own.
#[cfg(all(feature = "pty", unix))]
pub(super) fn run_on_terminal(command: &Command, columns: u16, rows: u16) -> io::Result<(Running, Output)> {
    let (child, pty) = super::pty::spawn(command, columns, rows)?;
    let (tree, process) = tree::led_by(child);
    let running = Running { process, tree, exit: None, grace: command.grace };
    Ok((running, Output(Stream::Terminal(pty))))
}

#[cfg(unix)]
fn stream(reader: io::PipeReader) -> io::Result<Stream> {
    tokio::net::unix::pipe::Receiver::from_owned_fd(reader.into()).map(Stream::Pipe)
}

#[cfg(windows)]
fn stream(reader: io::PipeReader) -> io::Result<Stream> {
    Ok(Box::pin(super::threads::reader(reader, |_| true, ())?))
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
        let exit = exit_of(self.process.wait().await.ok());
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

impl Output {
    /// What has been printed and not been read, without waiting for more: how much of `buffer` it fills. 0 at the end
    /// and when there is nothing.
    ///
    /// After [`Running::exited`] this is what the process itself has printed.
    pub fn read_now(&mut self, buffer: &mut [u8]) -> usize {
        #[cfg(unix)]
        {
            // The pipe itself is asked: what the runtime knows of it may be older.
            let read = match &self.0 {
                Stream::Pipe(pipe) => rustix::io::retry_on_intr(|| rustix::io::read(pipe, &mut *buffer)),
                #[cfg(feature = "pty")]
                Stream::Terminal(pty) => rustix::io::retry_on_intr(|| rustix::io::read(pty, &mut *buffer)),
            };
            read.unwrap_or_default()
        }
        #[cfg(windows)]
        {
            let mut read = ReadBuf::new(buffer);
            let mut context = Context::from_waker(std::task::Waker::noop());
            let _ = self.0.as_mut().poll_read(&mut context, &mut read);
            read.filled().len()
        }
    }
}

impl AsyncRead for Output {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        #[cfg(windows)]
        return Pin::new(&mut self.0).poll_read(cx, buffer);
        #[cfg(unix)]
        match &mut self.0 {
            Stream::Pipe(pipe) => Pin::new(pipe).poll_read(cx, buffer),
            #[cfg(feature = "pty")]
            Stream::Terminal(pty) => match Pin::new(pty).poll_read(cx, buffer) {
                // That is how Linux says that nobody has the terminal any more.
                Poll::Ready(Err(error))
                    if error.raw_os_error() == Some(rustix::io::Errno::IO.raw_os_error()) =>
                {
                    Poll::Ready(Ok(()))
                }
                read => read,
            },
        }
    }
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running").field("pid", &self.pid()).field("exit", &self.exit).finish_non_exhaustive()
    }
}

impl fmt::Debug for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Output").finish_non_exhaustive()
    }
}
