//! The output of a process that is run for it.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, ReadBuf};

#[cfg(windows)]
use crate::pipe::{Pipe, Rest};

#[cfg(unix)]
enum Stream {
    Pipe(tokio::net::unix::pipe::Receiver),
    #[cfg(feature = "pty")]
    Terminal(pty_process::Pty),
}
#[cfg(windows)]
type Stream = Pipe;

/// The output of a process and of everything that it has started: stdout and stderr, in the order
/// of the writes.
///
/// It ends when no process is left that could write to it.
pub struct Output(Stream);

impl Output {
    #[cfg(unix)]
    pub(crate) fn of_pipe(reader: io::PipeReader) -> io::Result<Self> {
        tokio::net::unix::pipe::Receiver::from_owned_fd(reader.into()).map(|pipe| Self(Stream::Pipe(pipe)))
    }

    #[cfg(windows)]
    pub(crate) fn of_pipe(reader: io::PipeReader) -> io::Result<Self> {
        Pipe::new(reader).map(Self)
    }

    #[cfg(all(feature = "pty", unix))]
    pub(crate) const fn of_terminal(pty: pty_process::Pty) -> Self {
        Self(Stream::Terminal(pty))
    }

    #[cfg(windows)]
    pub(crate) fn rest(&self) -> Rest {
        self.0.rest()
    }

    /// Reads what has been printed so far, without waiting for more. Returns the number of bytes.
    ///
    /// 0 means that nothing is there, at the end or before. After
    /// [`Running::exited`](crate::Running::exited) repeated calls give everything that the process
    /// itself has printed.
    pub fn read_now(&mut self, buffer: &mut [u8]) -> usize {
        #[cfg(unix)]
        {
            // The pipe itself is asked: the runtime may not know yet that bytes are there.
            let read = match &self.0 {
                Stream::Pipe(pipe) => rustix::io::retry_on_intr(|| rustix::io::read(pipe, &mut *buffer)),
                #[cfg(feature = "pty")]
                Stream::Terminal(pty) => rustix::io::retry_on_intr(|| rustix::io::read(pty, &mut *buffer)),
            };
            read.unwrap_or_default()
        }
        #[cfg(windows)]
        return self.0.read_now(buffer);
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
                // Linux reports with this error that nobody has the terminal any more.
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

impl fmt::Debug for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Output").finish_non_exhaustive()
    }
}
