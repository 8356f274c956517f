//! Messages that came on another stream, and must not overtake those on the stream of a session.

use std::time::Duration;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio::time::{Instant, sleep_until};

/// The time after which a moment without events is silence enough. A turn that runs has no longer
/// ones.
const PATIENCE: Duration = Duration::from_secs(2);
/// The time after which a message goes even if there was no such moment.
pub(super) const LONGEST: Duration = Duration::from_secs(4);

/// A message that waits, and the room that it takes.
pub(super) struct Behind {
    message: Vec<u8>,
    /// The silence after which nothing more is expected before it. `None` is as soon as nothing is
    /// there.
    silence: Option<Duration>,
    since: Instant,
    _room: OwnedSemaphorePermit,
    _waiting: Waiting,
}

/// Counts a message until it is dropped.
struct Waiting(watch::Sender<usize>);

/// The end that messages are put into, in their order.
pub(super) struct Queue {
    messages: UnboundedSender<Behind>,
    waiting: watch::Sender<usize>,
}

/// Makes the two ends. The room that is given with each message limits the queue.
pub(super) fn queue() -> (Queue, UnboundedReceiver<Behind>) {
    let (messages, receiver) = unbounded_channel();
    (Queue { messages, waiting: watch::Sender::new(0) }, receiver)
}

impl Queue {
    /// Puts a message in. It comes back if nobody takes it any more.
    pub(super) fn put(
        &self,
        message: Vec<u8>,
        silence: Option<Duration>,
        room: OwnedSemaphorePermit,
    ) -> Result<(), Vec<u8>> {
        let waiting = Waiting::new(&self.waiting);
        let behind = Behind { message, silence, since: Instant::now(), _room: room, _waiting: waiting };
        self.messages.send(behind).map_err(|returned| returned.0.message)
    }

    /// Returns true if a message waits, or is being handed over.
    pub(super) fn holds(&self) -> bool {
        *self.waiting.borrow() > 0
    }

    /// Returns the number of messages that wait.
    pub(super) fn waiting(&self) -> watch::Receiver<usize> {
        self.waiting.subscribe()
    }
}

impl Waiting {
    fn new(count: &watch::Sender<usize>) -> Self {
        count.send_modify(|count| *count += 1);
        Self(count.clone())
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}

impl Behind {
    /// Takes the message out. What is left keeps its place.
    pub(super) fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.message)
    }

    /// Waits until nothing more is expected before it. Events start that anew, for a limited time.
    pub(super) async fn quiet(&self) {
        if let Some(silence) = self.silence {
            sleep_until((Instant::now() + silence).min(self.since + PATIENCE)).await;
        }
    }

    /// Returns true if it goes whatever is there. A peer that reads slowly is waited for if only
    /// the order of the messages is of interest.
    pub(super) fn is_overdue(&self) -> bool {
        self.silence.is_some() && self.since.elapsed() >= LONGEST
    }
}
