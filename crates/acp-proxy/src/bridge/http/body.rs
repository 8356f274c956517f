//! The body of an answer: nothing, one message, or a stream of events.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http_body::Frame;
use hyper::body::Bytes;
use tokio::time::{Instant, Sleep};

use crate::bridge::conversation::Conversation;
use crate::bridge::outbox::{Outbox, Outgoing};

/// The time after which a comment is sent in a stream without events.
const SILENCE: Duration = Duration::from_secs(20);
const COMMENT: &[u8] = b":\n\n";

/// The body of an answer.
pub(super) enum Body {
    Whole(Option<Bytes>),
    Events(Box<Events>),
}

/// A stream of events. Its drop tells that nobody reads it any more.
pub(super) struct Events {
    next: Pin<Box<dyn Future<Output = Option<Outgoing>> + Send>>,
    silence: Pin<Box<Sleep>>,
    has_begun: bool,
    reader: Reader,
    /// The end of the server, until it has come.
    gone: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
}

/// The client that reads a stream. If it goes, its outbox is abandoned, and a request that stands
/// alone is withdrawn.
pub(super) struct Reader {
    pub(super) outbox: Arc<Outbox>,
    pub(super) conversation: Arc<Conversation>,
    /// The conversation is one request of the modern era.
    pub(super) is_alone: bool,
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.outbox.abandon();
        if self.is_alone {
            self.conversation.end();
        }
    }
}

impl Body {
    pub(super) const fn empty() -> Self {
        Self::Whole(None)
    }

    pub(super) fn whole(bytes: Vec<u8>) -> Self {
        Self::Whole(Some(Bytes::from(bytes)))
    }

    /// Makes a stream that begins with a message that has left the outbox already.
    pub(super) fn events(reader: Reader, first: Option<Outgoing>) -> Self {
        let next = match first {
            Some(first) => {
                Box::pin(std::future::ready(Some(first))) as Pin<Box<dyn Future<Output = _> + Send>>
            }
            None => Box::pin(Arc::clone(&reader.outbox).next()),
        };
        let silence = Box::pin(tokio::time::sleep(SILENCE));
        let gone = reader.conversation.offer.gone.clone();
        let gone: Pin<Box<dyn Future<Output = ()> + Send>> = Box::pin(async move { gone.cancelled().await });
        Self::Events(Box::new(Events { next, silence, has_begun: false, reader, gone: Some(gone) }))
    }
}

impl Events {
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if !std::mem::replace(&mut self.has_begun, true) {
            // The client sees that the stream is there.
            return Poll::Ready(Some(Bytes::from_static(COMMENT)));
        }
        if self.gone.as_mut().is_some_and(|gone| gone.as_mut().poll(context).is_ready()) {
            self.gone = None;
            // Requests are answered first.
            self.reader.conversation.end();
            self.reader.outbox.finish();
        }
        if let Poll::Ready(next) = self.next.as_mut().poll(context) {
            let Some(Outgoing { text, .. }) = next else {
                self.next = Box::pin(std::future::ready(None));
                return Poll::Ready(None);
            };
            self.next = Box::pin(Arc::clone(&self.reader.outbox).next());
            self.silence.as_mut().reset(Instant::now() + SILENCE);
            let event = [b"event: message\ndata: ".as_slice(), &text, b"\n\n"].concat();
            return Poll::Ready(Some(Bytes::from(event)));
        }
        if self.silence.as_mut().poll(context).is_ready() {
            self.silence.as_mut().reset(Instant::now() + SILENCE);
            return Poll::Ready(Some(Bytes::from_static(COMMENT)));
        }
        Poll::Pending
    }
}

impl hyper::body::Body for Body {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let bytes = match &mut *self {
            Self::Whole(bytes) => Poll::Ready(bytes.take()),
            Self::Events(events) => events.poll(context),
        };
        bytes.map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Self::Whole(None))
    }

    fn size_hint(&self) -> http_body::SizeHint {
        match self {
            Self::Whole(bytes) => {
                http_body::SizeHint::with_exact(bytes.as_ref().map_or(0, Bytes::len) as u64)
            }
            Self::Events(_) => http_body::SizeHint::default(),
        }
    }
}
