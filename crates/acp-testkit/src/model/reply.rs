//! The body of an answer: whole, or said event by event.

use std::convert::Infallible;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use hyper::body::{Body, Bytes, Frame, SizeHint};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep};

use super::answer::{Finish, Plan};
use super::event::{Event, Stream};

/// The time between two pieces of a slow answer, and between two signs of life of a silent one.
const BEAT: Duration = Duration::from_millis(200);

/// The body of an answer.
pub(super) enum Reply {
    Whole(Option<Bytes>),
    /// The beginning of a body, and then the end of the connection.
    Cut(Option<Bytes>),
    Events(mpsc::Receiver<Result<Bytes, Dropped>>),
    /// Nothing but the end of the connection.
    Ended,
}

/// The reason why a stream ends in its middle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dropped;

impl fmt::Display for Dropped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a directive ends the connection")
    }
}

impl std::error::Error for Dropped {}

impl From<Infallible> for Dropped {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}

impl Body for Reply {
    type Data = Bytes;
    type Error = Dropped;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Dropped>>> {
        match &mut *self {
            Reply::Whole(bytes) => return Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes)))),
            Reply::Events(events) => match ready!(events.poll_recv(cx)) {
                Some(Err(Dropped)) => {}
                next => return Poll::Ready(next.map(|next| next.map(Frame::data))),
            },
            Reply::Cut(bytes) => {
                if let Some(bytes) = bytes.take() {
                    return Poll::Ready(Some(Ok(Frame::data(bytes))));
                }
            }
            Reply::Ended => return Poll::Ready(Some(Err(Dropped))),
        }
        // The connection writes what it has before it asks again.
        *self = Reply::Ended;
        cx.waker().wake_by_ref();
        Poll::Pending
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Reply::Whole(bytes) => SizeHint::with_exact(bytes.as_ref().map_or(0, Bytes::len) as u64),
            Reply::Cut(_) | Reply::Events(_) | Reply::Ended => SizeHint::default(),
        }
    }
}

/// The writing end of a stream.
pub(super) struct Events(mpsc::Sender<Result<Bytes, Dropped>>);

/// Nobody reads the stream any more.
struct Gone;

/// Returns both ends of a stream.
pub(super) fn events() -> (Events, Reply) {
    let (sender, receiver) = mpsc::channel(16);
    (Events(sender), Reply::Events(receiver))
}

impl Events {
    /// Says an answer, until it ends or nobody reads it any more.
    pub(super) async fn say(self, plan: Plan, stream: Box<dyn Stream>) {
        // The client may leave at any time.
        let _ = self.say_all(plan, stream).await;
    }

    async fn say_all(&self, plan: Plan, mut stream: Box<dyn Stream>) -> Result<(), Gone> {
        self.send(stream.begin()).await?;
        if !plan.thought.is_empty() {
            self.send(stream.thought(&plan.thought)).await?;
        }
        self.hang(plan.hang).await?;
        if plan.finish != Finish::Refusal {
            self.send(stream.begin_text()).await?;
            let Some(text) = self.text(&plan, &mut *stream).await? else { return Ok(()) };
            self.send(stream.end_text(&text)).await?;
        }
        for call in &plan.calls {
            self.send(stream.call(call)).await?;
        }
        self.send(stream.end(plan.finish)).await
    }

    /// Says nothing for so long, but for signs of life.
    async fn hang(&self, time: Duration) -> Result<(), Gone> {
        let end = Instant::now() + time;
        while Instant::now() < end {
            self.bytes(Bytes::from_static(b": waiting\n\n")).await?;
            sleep(BEAT).await;
        }
        Ok(())
    }

    /// Says the text and returns it. `None` means that the connection was dropped.
    async fn text(&self, plan: &Plan, stream: &mut dyn Stream) -> Result<Option<String>, Gone> {
        let mut said = String::new();
        let end = Instant::now() + plan.slow;
        let mut number = 0;
        while Instant::now() < end {
            number += 1;
            let words = format!("{number} ");
            self.send(vec![stream.words(&words)]).await?;
            said.push_str(&words);
            sleep(BEAT).await;
        }
        for words in plan.text.split_inclusive(' ') {
            self.send(vec![stream.words(words)]).await?;
            said.push_str(words);
            if plan.drops {
                break;
            }
        }
        if plan.drops {
            self.0.send(Err(Dropped)).await.map_err(|_| Gone)?;
            return Ok(None);
        }
        Ok(Some(said))
    }

    async fn send(&self, events: Vec<Event>) -> Result<(), Gone> {
        for Event { name, data } in events {
            let name = name.map(|name| format!("event: {name}\n")).unwrap_or_default();
            self.bytes(format!("{name}data: {data}\n\n").into()).await?;
        }
        Ok(())
    }

    async fn bytes(&self, bytes: Bytes) -> Result<(), Gone> {
        self.0.send(Ok(bytes)).await.map_err(|_| Gone)
    }
}
