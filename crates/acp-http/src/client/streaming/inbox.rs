//! Messages of the server on their way to the peer of this side.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures_core::Stream;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::client::error::Error;

/// The most bytes that wait. One message more may be there.
const BUDGET: usize = 1024 * 1024;

/// The end that streams put messages into. They wait there for room.
#[derive(Clone)]
pub(super) struct Inbox {
    queue: UnboundedSender<Item>,
    room: Arc<Semaphore>,
}

enum Item {
    Message(Received),
    End(Option<Error>),
}

/// A message, and the room that it takes.
pub(super) struct Received {
    message: Vec<u8>,
    _room: OwnedSemaphorePermit,
}

/// The end that the peer reads.
pub(super) struct Incoming {
    queue: UnboundedReceiver<Item>,
    is_over: bool,
}

pub(super) fn inbox() -> (Inbox, Incoming) {
    let (sender, receiver) = unbounded_channel();
    let inbox = Inbox { queue: sender, room: Arc::new(Semaphore::new(BUDGET)) };
    (inbox, Incoming { queue: receiver, is_over: false })
}

impl Inbox {
    /// Puts a message in as soon as there is room. After the end it is dropped.
    pub(super) async fn put(&self, message: Vec<u8>) {
        let room = u32::try_from(message.len().clamp(1, BUDGET)).unwrap_or(u32::MAX);
        let Ok(room) = Arc::clone(&self.room).acquire_many_owned(room).await else { return };
        let _ = self.queue.send(Item::Message(Received { message, _room: room }));
    }

    /// Ends the messages, behind those that are there.
    pub(super) fn end(&self, error: Option<Error>) {
        self.room.close();
        let _ = self.queue.send(Item::End(error));
    }
}

impl AsRef<[u8]> for Received {
    fn as_ref(&self) -> &[u8] {
        &self.message
    }
}

impl Stream for Incoming {
    type Item = io::Result<Received>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.is_over {
            return Poll::Ready(None);
        }
        Poll::Ready(match ready!(self.queue.poll_recv(cx)) {
            Some(Item::Message(message)) => Some(Ok(message)),
            Some(Item::End(error)) => {
                self.is_over = true;
                error.map(|error| Err(error.into()))
            }
            None => None,
        })
    }
}
