//! The body of an answer.

use std::convert::Infallible;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use http_body::{Frame, SizeHint};
use hyper::body::Bytes;

/// The body of an answer of [`Server`](super::Server): nothing, a message, or a stream of events.
pub struct Body(Kind);

enum Kind {
    Whole(Option<Bytes>),
    /// An answer, and a guard that is told when the answer is taken.
    Watched(Option<(Bytes, Box<dyn Taken>)>),
    Events(Pin<Box<dyn http_body::Body<Data = Bytes, Error = Infallible> + Send>>),
}

/// Learns that a body was taken to be sent. If it is dropped before, the client got nothing.
pub(crate) trait Taken: Send {
    fn taken(self: Box<Self>);
}

impl Body {
    pub(crate) const fn empty() -> Self {
        Self(Kind::Whole(None))
    }

    pub(crate) fn whole(bytes: Vec<u8>) -> Self {
        Self(Kind::Whole(Some(Bytes::from(bytes))))
    }

    pub(crate) fn watched(bytes: Vec<u8>, guard: impl Taken + 'static) -> Self {
        Self(Kind::Watched(Some((Bytes::from(bytes), Box::new(guard)))))
    }

    pub(crate) fn events(
        events: impl http_body::Body<Data = Bytes, Error = Infallible> + Send + 'static,
    ) -> Self {
        Self(Kind::Events(Box::pin(events)))
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match &mut self.0 {
            Kind::Whole(bytes) => Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes)))),
            Kind::Watched(watched) => Poll::Ready(watched.take().map(|(bytes, guard)| {
                guard.taken();
                Ok(Frame::data(bytes))
            })),
            Kind::Events(events) => events.as_mut().poll_frame(cx),
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.0 {
            Kind::Whole(bytes) => bytes.is_none(),
            Kind::Watched(watched) => watched.is_none(),
            Kind::Events(events) => events.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Kind::Whole(bytes) => SizeHint::with_exact(bytes.as_ref().map_or(0, Bytes::len) as u64),
            Kind::Watched(watched) => {
                SizeHint::with_exact(watched.as_ref().map_or(0, |(bytes, _)| bytes.len()) as u64)
            }
            Kind::Events(events) => events.size_hint(),
        }
    }
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match &self.0 {
            Kind::Whole(_) | Kind::Watched(_) => "Body(whole)",
            Kind::Events(_) => "Body(events)",
        })
    }
}
