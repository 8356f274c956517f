//! Messages of the peer of this side on their way to the server.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker, ready};

use futures_sink::Sink;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;

/// The most bytes that wait for their turn, or for the answer to their POST. One message more may
/// be there.
const BUDGET: usize = 1024 * 1024;

/// The end that the peer writes to.
pub(super) struct Outgoing {
    /// `None` once this side has closed.
    queue: Option<UnboundedSender<Sent>>,
    budget: Arc<Budget>,
    /// Ready when the connection has ended at the server, too.
    done: oneshot::Receiver<()>,
}

/// A message, and the room that it takes.
pub(super) struct Sent {
    pub(super) message: Vec<u8>,
    _room: Room,
}

#[derive(Default)]
struct Budget(Mutex<Used>);

#[derive(Default)]
struct Used {
    bytes: usize,
    writer: Option<Waker>,
}

struct Room {
    budget: Arc<Budget>,
    bytes: usize,
}

/// Makes the two ends. The last part says that the connection is over, when it is used or dropped.
pub(super) fn outbox() -> (Outgoing, Outbox, oneshot::Sender<()>) {
    let (sender, queue) = unbounded_channel();
    let (over, done) = oneshot::channel();
    let budget = Arc::new(Budget::default());
    let outbox = Outbox { queue, own: sender.downgrade(), budget: Arc::clone(&budget) };
    (Outgoing { queue: Some(sender), budget, done }, outbox, over)
}

/// The end that the carrier takes messages from.
pub(super) struct Outbox {
    pub(super) queue: UnboundedReceiver<Sent>,
    own: tokio::sync::mpsc::WeakUnboundedSender<Sent>,
    budget: Arc<Budget>,
}

/// Sends messages of the transport itself. It does not keep the connection open.
pub(super) struct Own {
    queue: tokio::sync::mpsc::WeakUnboundedSender<Sent>,
    budget: Arc<Budget>,
}

impl Outbox {
    pub(super) fn own(&self) -> Own {
        Own { queue: self.own.clone(), budget: Arc::clone(&self.budget) }
    }
}

impl Own {
    pub(super) fn send(&self, message: Vec<u8>) {
        if let Some(queue) = self.queue.upgrade() {
            let _ = queue.send(Sent::new(message, &self.budget));
        }
    }
}

impl Sent {
    fn new(message: Vec<u8>, budget: &Arc<Budget>) -> Self {
        let bytes = message.len();
        budget.lock().bytes += bytes;
        Self { message, _room: Room { budget: Arc::clone(budget), bytes } }
    }
}

impl Budget {
    fn lock(&self) -> MutexGuard<'_, Used> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        let mut used = self.budget.lock();
        used.bytes = used.bytes.saturating_sub(self.bytes);
        let writer = used.writer.take();
        drop(used);
        if let Some(writer) = writer {
            writer.wake();
        }
    }
}

impl Sink<Vec<u8>> for Outgoing {
    type Error = io::Error;

    fn poll_ready(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut used = self.budget.lock();
        if used.bytes < BUDGET {
            return Poll::Ready(Ok(()));
        }
        used.writer = Some(cx.waker().clone());
        Poll::Pending
    }

    fn start_send(self: Pin<&mut Self>, message: Vec<u8>) -> io::Result<()> {
        if let Some(queue) = &self.queue {
            // If the connection is over, the reader says why.
            let _ = queue.send(Sent::new(message, &self.budget));
        }
        Ok(())
    }

    /// A message has left this side when it has been handed over.
    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_close(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.queue = None;
        // An error means that the carrier has gone, so it is over as well.
        let _ = ready!(Pin::new(&mut self.done).poll(cx));
        Poll::Ready(Ok(()))
    }
}
