//! Streams that cannot be waited for, such as terminals and files: one thread each.

use std::io::{self, Read, Write};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::thread;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, DuplexStream, ReadBuf};
use tokio::runtime::Handle;

/// How much waits between a thread and the connection.
const CAPACITY: usize = 64 * 1024;

/// Reads a stream on a thread of its own. The thread ends with the stream, or with the process.
pub(super) fn reader(mut stream: impl Read + Send + 'static) -> io::Result<impl AsyncRead + Send + 'static> {
    let (ours, mut theirs) = tokio::io::duplex(CAPACITY);
    let runtime = Handle::try_current().map_err(io::Error::other)?;
    let read = move || {
        let mut chunk = vec![0; CAPACITY];
        loop {
            let length = match stream.read(&mut chunk) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Ok(0) | Err(_) => return,
                Ok(length) => length,
            };
            let sent = runtime.block_on(theirs.write_all(chunk.get(..length).unwrap_or_default()));
            if sent.is_err() {
                return;
            }
        }
    };
    thread::Builder::new().name("acp-rpc stdin".into()).spawn(read)?;
    Ok(ours)
}

/// Writes a stream on a thread of its own.
pub(super) fn writer(
    mut stream: impl Write + Send + 'static,
) -> io::Result<impl AsyncWrite + Send + 'static> {
    let (ours, mut theirs) = tokio::io::duplex(CAPACITY);
    let runtime = Handle::try_current().map_err(io::Error::other)?;
    let write = move || {
        let mut chunk = vec![0; CAPACITY];
        while let Ok(length @ 1..) = runtime.block_on(theirs.read(&mut chunk)) {
            let chunk = chunk.get(..length).unwrap_or_default();
            if stream.write_all(chunk).and_then(|()| stream.flush()).is_err() {
                return;
            }
        }
    };
    thread::Builder::new().name("acp-rpc stdout".into()).spawn(write)?;
    Ok(ThreadWriter { stream: ours })
}

/// Shut down only when the thread has written everything: the process may end right after.
struct ThreadWriter {
    stream: DuplexStream,
}

impl AsyncWrite for ThreadWriter {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.stream).poll_shutdown(cx))?;
        // The thread never sends anything back: the end of this direction is the end of the thread.
        let mut nothing = [0; 1];
        Pin::new(&mut self.stream).poll_read(cx, &mut ReadBuf::new(&mut nothing))
    }
}
