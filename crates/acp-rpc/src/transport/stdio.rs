//! This process's stdin and stdout.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream as StdUnixStream;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll};

use rustix::fs::{FileType, OFlags, Stat, fcntl_getfl, fcntl_setfl, fstat};
use rustix::io::fcntl_dupfd_cloexec;
use rustix::stdio::{dup2_stdin, dup2_stdout, stderr, stdin, stdout};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::UnixStream;
use tokio::net::unix::pipe;

use super::device::{Device, connected};
use super::pipe::widen;
use super::{Transport, threads};

/// The flags of stdin and stdout while they carry a connection: one at a time.
static TAKEN: Mutex<Option<Weak<Flags>>> = Mutex::new(None);

/// A choice of how [`Transport::stdio`] takes over stdin and stdout.
#[derive(Clone, Copy, Debug)]
pub struct Stdio {
    guard: bool,
}

impl Default for Stdio {
    fn default() -> Self {
        Self::new()
    }
}

impl Stdio {
    /// Creates one with the guard on.
    #[must_use]
    pub const fn new() -> Self {
        Self { guard: true }
    }

    /// Sets whether descriptor 0 reads as empty and descriptor 1 leads to stderr as long as the
    /// connection lives. Default on.
    #[must_use]
    pub const fn guard(mut self, guard: bool) -> Self {
        self.guard = guard;
        self
    }

    /// Takes stdin and stdout. Both are given back, as they were, when the transport is dropped.
    ///
    /// Pipes and sockets are read and written without blocking. Anything else gets a thread: a
    /// terminal that is made non-blocking is so for every other program on it.
    ///
    /// # Errors
    ///
    /// Fails if a descriptor cannot be used, or if stdio already carries another connection.
    pub fn open(self) -> io::Result<Transport> {
        let taken_over = Arc::new(Taken::take(self.guard)?);
        let reader = reader(taken_over.was.stdin.as_fd())?;
        let writer = writer(taken_over.was.stdout.as_fd())?;
        let reader = Holding { stream: reader, _taken: Arc::clone(&taken_over) };
        Ok(Transport::new(reader, Holding { stream: writer, _taken: taken_over }))
    }
}

fn reader(fd: BorrowedFd<'_>) -> io::Result<Pin<Box<dyn AsyncRead + Send>>> {
    let own = private(fd)?;
    Ok(match waitable(fd)? {
        Some(FileType::Fifo) => {
            widen(&own);
            Box::pin(pipe::Receiver::from_owned_fd(own)?)
        }
        Some(_) => Box::pin(socket(own)?),
        None => {
            let (ended, connected) = connected()?;
            let is_wanted = move |device: &Device| device.is_wanted(&ended);
            Box::pin(threads::reader(Device::new(own.into()), is_wanted, connected)?)
        }
    })
}

fn writer(fd: BorrowedFd<'_>) -> io::Result<Pin<Box<dyn AsyncWrite + Send>>> {
    let own = private(fd)?;
    Ok(match waitable(fd)? {
        Some(FileType::Fifo) => {
            widen(&own);
            Box::pin(pipe::Sender::from_owned_fd(own)?)
        }
        Some(_) => Box::pin(socket(own)?),
        None => Box::pin(threads::writer(Device::new(own.into()))?),
    })
}

/// Node gives its children sockets instead of pipes.
fn socket(fd: OwnedFd) -> io::Result<UnixStream> {
    let stream = StdUnixStream::from(fd);
    stream.set_nonblocking(true)?;
    UnixStream::from_std(stream)
}

/// Returns the type of a descriptor that may be made non-blocking.
fn waitable(fd: BorrowedFd<'_>) -> io::Result<Option<FileType>> {
    let stat = fstat(fd)?;
    let file_type = FileType::from_raw_mode(stat.st_mode);
    // O_NONBLOCK belongs to the open file, not to the descriptor. If stderr is the same file,
    // prints to it would fail (and `eprintln!` would panic) whenever the pipe is full.
    let is_stderr = fstat(stderr()).is_ok_and(|other| same_file(&stat, &other));
    Ok(matches!(file_type, FileType::Fifo | FileType::Socket).then_some(file_type).filter(|_| !is_stderr))
}

const fn same_file(one: &Stat, other: &Stat) -> bool {
    one.st_dev == other.st_dev && one.st_ino == other.st_ino
}

/// Duplicates a descriptor beyond the standard ones. Child processes do not inherit it.
fn private(fd: BorrowedFd<'_>) -> io::Result<OwnedFd> {
    Ok(fcntl_dupfd_cloexec(fd, 3)?)
}

/// Restores the flags that stdin and stdout had before a connection took them. Call it in a process
/// that is about to end without dropping its transport, such as by a signal: otherwise a program
/// that shares a pipe with it would find the pipe non-blocking for good.
///
/// The connection is useless after that. Without a connection nothing happens. Unix only.
pub fn restore_stdio() {
    let flags = taken().as_ref().and_then(Weak::upgrade);
    if let Some(flags) = flags {
        flags.restore();
    }
}

fn taken() -> MutexGuard<'static, Option<Weak<Flags>>> {
    TAKEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Stdin and stdout, with the flags that they had.
struct Flags {
    stdin: OwnedFd,
    stdin_flags: OFlags,
    stdout: OwnedFd,
    stdout_flags: OFlags,
}

impl Flags {
    fn restore(&self) {
        // If one part fails, the best is to go on with the rest.
        let _ = fcntl_setfl(&self.stdin, self.stdin_flags);
        let _ = fcntl_setfl(&self.stdout, self.stdout_flags);
    }
}

/// Stdin and stdout as they were before. Puts them back when dropped.
struct Taken {
    was: Arc<Flags>,
    is_guarded: bool,
}

impl Taken {
    fn take(guard: bool) -> io::Result<Self> {
        let mut taken = taken();
        if taken.is_some() {
            let message = "stdin and stdout already carry another connection";
            return Err(io::Error::new(io::ErrorKind::AddrInUse, message));
        }
        let taken_over = Self::duplicate(guard)?;
        *taken = Some(Arc::downgrade(&taken_over.was));
        Ok(taken_over)
    }

    fn duplicate(guard: bool) -> io::Result<Self> {
        let (stdin, stdout) = (private(stdin())?, private(stdout())?);
        // Both are read before either is changed: they may be one and the same open file.
        let (stdin_flags, stdout_flags) = (fcntl_getfl(&stdin)?, fcntl_getfl(&stdout)?);
        if guard {
            let nothing = OpenOptions::new().read(true).write(true).open("/dev/null")?;
            dup2_stdin(&nothing)?;
            lead_stdout_away(&nothing)?;
        }
        let was = Arc::new(Flags { stdin, stdin_flags, stdout, stdout_flags });
        Ok(Self { was, is_guarded: guard })
    }
}

fn lead_stdout_away(nothing: &File) -> io::Result<()> {
    Ok(dup2_stdout(stderr()).or_else(|_| dup2_stdout(nothing))?)
}

impl Drop for Taken {
    fn drop(&mut self) {
        if self.is_guarded {
            // Prints that are still buffered go where other prints went meanwhile.
            let _ = io::stdout().flush();
            let _ = dup2_stdin(&self.was.stdin);
            let _ = dup2_stdout(&self.was.stdout);
        }
        self.was.restore();
        *taken() = None;
    }
}

/// A stream that holds stdin and stdout as long as it lives.
struct Holding<S: ?Sized> {
    stream: Pin<Box<S>>,
    _taken: Arc<Taken>,
}

impl<S: AsyncRead + ?Sized> AsyncRead for Holding<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.stream.as_mut().poll_read(cx, into)
    }
}

impl<S: AsyncWrite + ?Sized> AsyncWrite for Holding<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.stream.as_mut().poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream.as_mut().poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream.as_mut().poll_shutdown(cx)
    }
}
