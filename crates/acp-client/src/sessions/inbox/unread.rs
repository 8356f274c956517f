//! The sum of what the sessions of a connection keep while nobody reads them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::queue::{CAPACITY, Queue};

/// How much that may be together, in bytes of [`weight`](super::weight): sixteen full inboxes.
const LIMIT: usize = 16 * CAPACITY;

/// The sum over the sessions that nobody reads. Beyond [`LIMIT`] the sessions that have been left unread for longest lose
/// their oldest events, and their readers are told.
///
/// Those that somebody reads are not in it: there the agent waits, which no other session's reader can change. So a
/// session that is not read never holds up one that is.
///
/// A queue is locked before this, never the other way round.
#[derive(Debug, Default)]
pub(crate) struct Unread {
    total: AtomicUsize,
    queues: Mutex<Queues>,
}

/// The queues that have something which nobody reads, in the order in which that began.
#[derive(Debug, Default)]
struct Queues {
    numbers: u64,
    by_number: BTreeMap<u64, Weak<Mutex<Queue>>>,
}

impl Unread {
    /// To be called when a queue has changed, before it is let go.
    pub(super) fn settle(&self, shared: &Arc<Mutex<Queue>>, queue: &mut Queue) {
        let (before, now) = (queue.place.weight, queue.unread());
        if before == now {
            return;
        }
        if now > before {
            self.total.fetch_add(now - before, Ordering::Relaxed);
        } else {
            self.total.fetch_sub(before - now, Ordering::Relaxed);
        }
        queue.place.weight = now;
        if now == 0 {
            let number = queue.place.number.take();
            number.and_then(|number| self.queues().by_number.remove(&number));
        } else if queue.place.number.is_none() {
            let mut queues = self.queues();
            queues.numbers += 1;
            let number = queues.numbers;
            queues.by_number.insert(number, Arc::downgrade(shared));
            queue.place.number = Some(number);
        }
    }

    /// Lets events go until no more is kept than may be. To be called without a queue.
    pub(super) fn keep_to_limit(&self) {
        while self.is_over() {
            let Some(queue) = self.longest() else { return };
            let mut locked = queue.lock().unwrap_or_else(PoisonError::into_inner);
            // Somebody may read it by now, and then it is no longer here.
            while locked.unread() > 0 && self.is_over() && locked.drop_oldest() {
                self.settle(&queue, &mut locked);
            }
        }
    }

    fn is_over(&self) -> bool {
        self.total.load(Ordering::Relaxed) > LIMIT
    }

    /// The queue that has been left unread for longest.
    fn longest(&self) -> Option<Arc<Mutex<Queue>>> {
        let mut queues = self.queues();
        loop {
            let first = queues.by_number.first_entry()?;
            match first.get().upgrade() {
                Some(queue) => return Some(queue),
                None => drop(first.remove()),
            }
        }
    }

    fn queues(&self) -> MutexGuard<'_, Queues> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
