//! The body of a stream: events, and a comment when there are none for a time.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use http_body::Frame;
use hyper::body::Bytes;
use tokio::time::{Instant, Sleep};

use super::connection::{Busy, Connection};
use crate::server::access::grant::Grant;
use crate::wire::routes::{Next, StreamKey};
use crate::wire::sse;

/// The size from which a piece of the body takes no further event.
const ENOUGH: usize = 16 * 1024;

/// The memory that a piece takes beside its bytes, in the queue of a socket of HTTP/2 above all. It
/// is measured by a test.
const OVERHEAD: usize = 384;

/// A piece of a body. It counts as a part of what waits until it is written.
struct Piece {
    bytes: Vec<u8>,
    connection: Arc<Connection>,
}

impl AsRef<[u8]> for Piece {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Piece {
    /// Returns the memory that a piece takes.
    const fn weight(bytes: &Vec<u8>) -> usize {
        bytes.capacity() + OVERHEAD
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        self.connection.state().routes.release(Self::weight(&self.bytes));
    }
}

/// A reader of a stream. Its drop gives the stream back.
pub(super) struct Events {
    connection: Arc<Connection>,
    stream: StreamKey,
    reader: u64,
    has_begun: bool,
    /// The reader knows the reason of the end.
    has_told: bool,
    silence: Pin<Box<Sleep>>,
    /// The end of the credentials that opened the stream.
    credentials: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
    _busy: Busy,
}

impl Events {
    pub(super) fn new(connection: Arc<Connection>, stream: StreamKey, reader: u64, grant: &Grant) -> Self {
        let silence = Box::pin(tokio::time::sleep(connection.limits.keep_alive));
        let busy = connection.busy(true);
        let credentials = grant.end().map(|end| Box::pin(end) as Pin<Box<dyn Future<Output = ()> + Send>>);
        Self {
            connection,
            stream,
            reader,
            has_begun: false,
            has_told: false,
            silence,
            credentials,
            _busy: busy,
        }
    }

    /// Writes the next events into a piece of the body. Returns true at the end of the stream.
    fn fill(&mut self, piece: &mut Vec<u8>, waker: &Waker) -> bool {
        let mut state = self.connection.state();
        let mut events = 0;
        let has_ended = loop {
            if piece.len() >= ENOUGH {
                break false;
            }
            match state.routes.next(&self.stream, self.reader, waker) {
                Next::Event(id, message) => {
                    // Room for many at once: a buffer that doubles would have too much of it.
                    if events == 1 {
                        piece.reserve_exact(ENOUGH);
                    }
                    events += 1;
                    sse::write_event(piece, id, &message);
                }
                Next::Wait => break false,
                Next::End => break true,
            }
        };
        if has_ended
            && let Some(code) = state.ended
            && !std::mem::replace(&mut self.has_told, true)
        {
            sse::write_close(piece, code);
        }
        if piece.len() < piece.capacity() / 2 {
            piece.shrink_to_fit();
        }
        if !piece.is_empty() {
            state.routes.hold(Piece::weight(piece));
        }
        has_ended
    }

    fn restart(&mut self) {
        match Instant::now().checked_add(self.connection.limits.keep_alive) {
            Some(next) => self.silence.as_mut().reset(next),
            None => self.silence = Box::pin(tokio::time::sleep(self.connection.limits.keep_alive)),
        }
    }
}

impl http_body::Body for Events {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let this = &mut *self;
        if this.credentials.as_mut().is_some_and(|end| end.as_mut().poll(cx).is_ready()) {
            // It may not be polled again.
            this.credentials = Some(Box::pin(std::future::ready(())));
            return Poll::Ready(None);
        }
        let mut piece = Vec::new();
        if !std::mem::replace(&mut this.has_begun, true) {
            // Proxies and browsers see the stream before its first event.
            piece.extend_from_slice(sse::COMMENT);
        }
        let has_ended = this.fill(&mut piece, cx.waker());
        if piece.is_empty() {
            if has_ended {
                return Poll::Ready(None);
            }
            std::task::ready!(this.silence.as_mut().poll(cx));
            this.restart();
            return Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(sse::COMMENT)))));
        }
        this.restart();
        let piece = Piece { bytes: piece, connection: Arc::clone(&this.connection) };
        Poll::Ready(Some(Ok(Frame::data(Bytes::from_owner(piece)))))
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        self.connection.state().routes.close(&self.stream, self.reader);
    }
}
