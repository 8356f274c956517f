//! Streams of whole messages as streams of bytes.

use std::error::Error;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_core::Stream;
use futures_sink::Sink;
use memchr::memchr;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// An error of a stream or sink.
pub(super) type Cause = Box<dyn Error + Send + Sync>;

/// An I/O error of a stream keeps its kind.
fn io_error(error: impl Into<Cause>) -> io::Error {
    match error.into().downcast::<io::Error>() {
        Ok(error) => *error,
        Err(error) => io::Error::other(error),
    }
}

/// Messages that come in, one a line.
pub(super) struct Reader<S, M> {
    stream: Pin<Box<S>>,
    message: Option<M>,
    /// The bytes of the message that have been read.
    read: usize,
    /// The end of the stream, or its error, behind messages that were read with it.
    end: Option<io::Result<()>>,
}

impl<S, M> Reader<S, M> {
    pub(super) fn new(stream: S) -> Self {
        Self { stream: Box::pin(stream), message: None, read: 0, end: None }
    }
}

impl<S, M: AsRef<[u8]>> Reader<S, M> {
    /// Puts as much of the message into the buffer as has room. Returns true once all of it is
    /// there.
    fn put_message(&mut self, buffer: &mut ReadBuf<'_>) -> bool {
        let Some(message) = &self.message else { return true };
        let rest = message.as_ref().get(self.read..).unwrap_or_default();
        let chunk = rest.get(..buffer.remaining()).unwrap_or(rest);
        put(buffer, chunk);
        self.read += chunk.len();
        let is_whole = chunk.len() == rest.len() && buffer.remaining() > 0;
        if is_whole {
            buffer.put_slice(b"\n");
            self.message = None;
            self.read = 0;
        }
        is_whole
    }
}

impl<S, M, E> AsyncRead for Reader<S, M>
where
    S: Stream<Item = Result<M, E>>,
    M: AsRef<[u8]> + Unpin,
    E: Into<Cause>,
{
    /// Reads all messages that are there, as a pipe gives all lines that are in it.
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        let before = buffer.filled().len();
        while this.end.is_none() {
            if !this.put_message(buffer) || buffer.remaining() == 0 {
                return Poll::Ready(Ok(()));
            }
            match this.stream.as_mut().poll_next(cx) {
                Poll::Ready(Some(Ok(message))) => this.message = Some(message),
                Poll::Ready(Some(Err(error))) => this.end = Some(Err(io_error(error))),
                Poll::Ready(None) => this.end = Some(Ok(())),
                Poll::Pending if buffer.filled().len() > before => return Poll::Ready(Ok(())),
                Poll::Pending => return Poll::Pending,
            }
        }
        if buffer.filled().len() > before {
            return Poll::Ready(Ok(()));
        }
        // After an error there is nothing more.
        Poll::Ready(this.end.replace(Ok(())).unwrap_or(Ok(())))
    }
}

/// A newline within a message can only be white space, but it would cut the message in two.
fn put(buffer: &mut ReadBuf<'_>, chunk: &[u8]) {
    let start = buffer.filled().len();
    buffer.put_slice(chunk);
    if memchr(b'\n', chunk).is_some()
        && let Some(added) = buffer.filled_mut().get_mut(start..)
    {
        added.iter_mut().filter(|byte| **byte == b'\n').for_each(|byte| *byte = b' ');
    }
}

/// Lines that go out, one message each.
pub(super) struct MessageWriter<S> {
    sink: Pin<Box<S>>,
    /// The message so far.
    message: Vec<u8>,
    /// Set when the message is whole and waits for the sink.
    complete: bool,
}

impl<S> MessageWriter<S> {
    pub(super) fn new(sink: S) -> Self {
        Self { sink: Box::pin(sink), message: Vec::new(), complete: false }
    }
}

impl<S: Sink<Vec<u8>, Error: Into<Cause>>> MessageWriter<S> {
    /// Hands a complete message to the sink.
    fn poll_hand_over(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.complete {
            ready!(self.sink.as_mut().poll_ready(cx)).map_err(io_error)?;
            self.complete = false;
            let message = std::mem::take(&mut self.message);
            self.sink.as_mut().start_send(message).map_err(io_error)?;
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: Sink<Vec<u8>, Error: Into<Cause>>> AsyncWrite for MessageWriter<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let mut taken = 0;
        while let Some(rest) = bytes.get(taken..).filter(|rest| !rest.is_empty()) {
            match self.poll_hand_over(cx)? {
                Poll::Pending if taken == 0 => return Poll::Pending,
                Poll::Pending => break,
                Poll::Ready(()) => {}
            }
            let end = memchr(b'\n', rest);
            let line = end.and_then(|end| rest.get(..end)).unwrap_or(rest);
            self.message.extend_from_slice(line);
            self.complete = end.is_some();
            taken += line.len() + usize::from(self.complete);
        }
        Poll::Ready(Ok(taken))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_hand_over(cx))?;
        self.sink.as_mut().poll_flush(cx).map_err(io_error)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_hand_over(cx))?;
        self.sink.as_mut().poll_close(cx).map_err(io_error)
    }
}
