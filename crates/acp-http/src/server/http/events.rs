//! The body of a stream: events, and a comment when there are none for a time.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use http_body::Frame;
use hyper::body::Bytes;
use tokio::time::{Instant, Sleep};

use super::connection::{Busy, Connection};
use crate::wire::routes::{Next, StreamKey};
use crate::wire::sse;

/// The size from which a piece of the body takes no further event.
const ENOUGH: usize = 16 * 1024;

/// A reader of a stream. Its drop gives the stream back.
pub(super) struct Events {
    connection: Arc<Connection>,
    stream: StreamKey,
    reader: u64,
    has_begun: bool,
    silence: Pin<Box<Sleep>>,
    _busy: Busy,
}

impl Events {
    pub(super) fn new(connection: Arc<Connection>, stream: StreamKey, reader: u64) -> Self {
        let silence = Box::pin(tokio::time::sleep(connection.limits.keep_alive));
        let busy = connection.busy(true);
        Self { connection, stream, reader, has_begun: false, silence, _busy: busy }
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
        let mut piece = Vec::new();
        if !std::mem::replace(&mut this.has_begun, true) {
            // Proxies and browsers see the stream before its first event.
            piece.extend_from_slice(sse::COMMENT);
        }
        let has_ended = loop {
            if piece.len() >= ENOUGH {
                break false;
            }
            let next = this.connection.state().routes.next(&this.stream, this.reader, cx.waker());
            match next {
                Next::Event(id, message) => sse::write_event(&mut piece, id, &message),
                Next::Wait => break false,
                Next::End => break true,
            }
        };
        if piece.is_empty() {
            if has_ended {
                return Poll::Ready(None);
            }
            std::task::ready!(this.silence.as_mut().poll(cx));
            piece.extend_from_slice(sse::COMMENT);
        }
        this.restart();
        Poll::Ready(Some(Ok(Frame::data(Bytes::from(piece)))))
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        self.connection.state().routes.close(&self.stream, self.reader);
    }
}
