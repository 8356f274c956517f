//! The pipe: bytes in to the framer, the output buffer out.

use std::io;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite};

use super::flush_barrier::FlushBarrier;
use super::idle::Idle;
use crate::core::job::BoxFuture;
use crate::tap::Observer;
use crate::wire::codec::{BUSY_CAPACITY, Framer};
use crate::wire::writer::{IDLE_CAPACITY, Writer};

/// Both directions of a transport, with the bytes on their way in each.
pub(crate) struct Pump {
    pub(crate) framer: Framer,
    reader: Pin<Box<dyn AsyncRead + Send>>,
    writer: Pin<Box<dyn AsyncWrite + Send>>,
    observer: Observer,
    barrier: Option<FlushBarrier>,
    outgoing: Vec<u8>,
    /// The work that `outgoing` waits for.
    unfinished: Option<BoxFuture>,
    /// The bytes of `outgoing` that have left.
    sent: usize,
    flushed: bool,
    idle: Idle,
    /// The peer may still send.
    pub(crate) reading: bool,
    /// The peer may still be sent to.
    pub(crate) writing: bool,
}

/// The outcome of one attempt at both directions.
pub(crate) struct Moved {
    /// Bytes that were read (0 is the end), if anything happened.
    pub(crate) read: Option<io::Result<usize>>,
    /// The outcome of writing, if anything happened.
    pub(crate) wrote: Option<io::Result<()>>,
}

impl Pump {
    pub(crate) fn new(
        framer: Framer,
        reader: Pin<Box<dyn AsyncRead + Send>>,
        writer: Pin<Box<dyn AsyncWrite + Send>>,
        observer: Observer,
        barrier: Option<FlushBarrier>,
    ) -> Self {
        Self {
            framer,
            reader,
            writer,
            observer,
            barrier,
            outgoing: Vec::new(),
            unfinished: None,
            sent: 0,
            flushed: true,
            idle: Idle::default(),
            reading: true,
            writing: true,
        }
    }

    /// Makes one attempt at each direction, so that neither a flood of input nor a flood of output
    /// can starve the other.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>, queue: &Writer, may_read: bool) -> Poll<Moved> {
        let wrote = if self.writing { self.poll_write(cx, queue) } else { Poll::Pending };
        let read = if may_read && self.reading { self.poll_read(cx) } else { Poll::Pending };
        if self.idle.poll(cx) {
            self.framer.give_back();
            self.outgoing.shrink_to(IDLE_CAPACITY);
            queue.give_back();
        }
        if wrote.is_pending() && read.is_pending() {
            return Poll::Pending;
        }
        Poll::Ready(Moved { read: ready_of(read), wrote: ready_of(wrote) })
    }

    fn poll_read(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        // The future holds nothing between polls, so a new one each time loses nothing.
        let read = ready!(pin!(self.reader.read_buf(self.framer.space())).poll(cx));
        if self.framer.is_busy() {
            self.idle.used();
        }
        Poll::Ready(read)
    }

    fn poll_write(&mut self, cx: &mut Context<'_>, queue: &Writer) -> Poll<io::Result<()>> {
        if self.outgoing.is_empty() && queue.poll_take(cx, &mut self.outgoing).is_ready() {
            self.observer.sent(&self.outgoing);
            self.flushed = false;
            self.unfinished = self.barrier.as_ref().and_then(FlushBarrier::ask);
        }
        if let Some(unfinished) = &mut self.unfinished {
            ready!(unfinished.as_mut().poll(cx));
            self.unfinished = None;
        }
        let rest = self.outgoing.get(self.sent..).unwrap_or_default();
        if !rest.is_empty() {
            let written = ready!(self.writer.as_mut().poll_write(cx, rest))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.sent += written;
            if self.sent == self.outgoing.len() {
                self.reset_outgoing(queue);
            }
            return Poll::Ready(Ok(()));
        }
        if self.flushed {
            return Poll::Pending;
        }
        ready!(self.writer.as_mut().poll_flush(cx))?;
        self.flushed = true;
        Poll::Ready(Ok(()))
    }

    /// Gives up writing: nothing more leaves.
    pub(crate) fn stop_writing(&mut self, queue: &Writer) {
        self.writing = false;
        queue.close();
        self.reset_outgoing(queue);
    }

    /// Tells whether all queued output has left, or cannot leave any more.
    pub(crate) fn is_flushed(&self, queue: &Writer) -> bool {
        !self.writing || (self.flushed && queue.is_empty())
    }

    /// Closes the way out.
    pub(crate) async fn shutdown(&mut self) -> io::Result<()> {
        std::future::poll_fn(|cx| self.writer.as_mut().poll_shutdown(cx)).await
    }

    /// Drops the way out and returns the way in.
    pub(crate) fn close(self) -> Pin<Box<dyn AsyncRead + Send>> {
        self.reader
    }

    fn reset_outgoing(&mut self, queue: &Writer) {
        queue.written(self.outgoing.len());
        self.unfinished = None;
        if self.outgoing.len() > IDLE_CAPACITY {
            self.idle.used();
        }
        self.outgoing.clear();
        if self.outgoing.capacity() > BUSY_CAPACITY {
            self.outgoing.shrink_to(IDLE_CAPACITY);
        }
        self.sent = 0;
    }
}

fn ready_of<T>(poll: Poll<T>) -> Option<T> {
    match poll {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}
