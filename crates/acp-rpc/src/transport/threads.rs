//! Streams that cannot be waited for, such as terminals and files: one thread each.

use std::io::{self, Read, Write};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker, ready};
use std::thread;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, DuplexStream, ReadBuf};
use tokio::runtime::Handle;

/// The bytes that may wait between a thread and the connection.
const CAPACITY: usize = 64 * 1024;

/// Reads a stream on a thread of its own. Before each read the thread asks `is_wanted`, which may
/// wait. The thread ends with the stream, when `is_wanted` returns false, or with the process.
/// `held` is dropped with the reader.
pub(super) fn reader<S: Read + Send + 'static>(
    mut stream: S,
    is_wanted: impl Fn(&S) -> bool + Send + 'static,
    held: impl Send + Unpin + 'static,
) -> io::Result<impl AsyncRead + Send + 'static> {
    let (ours, mut theirs) = tokio::io::duplex(CAPACITY);
    let runtime = Handle::try_current().map_err(io::Error::other)?;
    let progress = ThreadProgress::default();
    let of_thread = progress.clone();
    let read = move || {
        let mut chunk = vec![0; CAPACITY];
        while is_wanted(&stream) {
            let length = match stream.read(&mut chunk) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return of_thread.lock().failure = Some(error),
                Ok(0) => return,
                Ok(length) => length,
            };
            let sent = runtime.block_on(theirs.write_all(chunk.get(..length).unwrap_or_default()));
            if sent.is_err() {
                return;
            }
        }
    };
    thread::Builder::new().name("acp-rpc stdin".into()).spawn(read)?;
    Ok(ThreadReader { stream: ours, progress, _held: held })
}

/// Writes a stream on a thread of its own.
pub(super) fn writer(
    mut stream: impl Write + Send + 'static,
) -> io::Result<impl AsyncWrite + Send + 'static> {
    let (ours, mut theirs) = tokio::io::duplex(CAPACITY);
    let runtime = Handle::try_current().map_err(io::Error::other)?;
    let progress = ThreadProgress::default();
    let of_thread = progress.clone();
    let write = move || {
        let mut chunk = vec![0; CAPACITY];
        while let Ok(length @ 1..) = runtime.block_on(theirs.read(&mut chunk)) {
            let chunk = chunk.get(..length).unwrap_or_default();
            let written = stream.write_all(chunk).and_then(|()| stream.flush());
            let has_failed = written.is_err();
            of_thread.report(length, written);
            if has_failed {
                return;
            }
        }
    };
    thread::Builder::new().name("acp-rpc stdout".into()).spawn(write)?;
    Ok(ThreadWriter { stream: ours, sent: 0, progress })
}

/// The progress of a thread.
#[derive(Clone, Default)]
struct ThreadProgress(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    written: u64,
    /// The error that ended it, if one did.
    failure: Option<io::Error>,
    waiting: Option<Waker>,
}

impl ThreadProgress {
    fn report(&self, length: usize, written: io::Result<()>) {
        let mut state = self.lock();
        state.written += length as u64;
        state.failure = written.err();
        let waiting = state.waiting.take();
        drop(state);
        if let Some(waker) = waiting {
            waker.wake();
        }
    }

    /// Returns the error of a thread, once, or else `otherwise`.
    fn failure_or<T>(&self, otherwise: io::Result<T>) -> io::Result<T> {
        self.lock().failure.take().map_or(otherwise, Err)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct ThreadReader<H> {
    stream: DuplexStream,
    progress: ThreadProgress,
    _held: H,
}

impl<H: Unpin> AsyncRead for ThreadReader<H> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = into.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, into))?;
        let is_end = into.filled().len() == before && into.remaining() > 0;
        Poll::Ready(if is_end { self.progress.failure_or(Ok(())) } else { Ok(()) })
    }
}

/// A writer that is flushed and shut down only when the thread has written everything. The process
/// may end right after that, and failed writes must be reported.
struct ThreadWriter {
    stream: DuplexStream,
    sent: u64,
    progress: ThreadProgress,
}

impl AsyncWrite for ThreadWriter {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.stream).poll_write(cx, bytes));
        Poll::Ready(match written {
            Ok(length) => {
                self.sent += length as u64;
                Ok(length)
            }
            Err(gone) => self.progress.failure_or(Err(gone)),
        })
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut state = self.progress.lock();
        if let Some(error) = state.failure.take() {
            return Poll::Ready(Err(error));
        }
        if state.written >= self.sent {
            return Poll::Ready(Ok(()));
        }
        state.waiting = Some(cx.waker().clone());
        Poll::Pending
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.stream).poll_shutdown(cx))?;
        // The thread never sends anything back: the end of this direction is the end of the thread.
        let mut nothing = [0; 1];
        ready!(Pin::new(&mut self.stream).poll_read(cx, &mut ReadBuf::new(&mut nothing)))?;
        Poll::Ready(self.progress.failure_or(Ok(())))
    }
}
