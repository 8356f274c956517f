//! The sum of all sessions' events that nobody reads.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::queue::{CAPACITY, Queue};

/// The most bytes of [`weight`](super::weight) that all sessions may keep unread together: sixteen
/// full inboxes.
const LIMIT: usize = 16 * CAPACITY;

/// The sum of the events that nobody reads. Above [`LIMIT`] the sessions that have been unread for
/// longest lose their oldest events, and their readers learn the number.
///
/// Sessions with a reader do not count. There the agent waits, and another session's reader cannot
/// change that. So an unread session never holds up one that is read.
///
/// Lock a queue before this, never the other way round.
#[derive(Debug, Default)]
pub(crate) struct Unread {
    total: AtomicUsize,
    queues: Mutex<Queues>,
}

/// The queues with unread events, in the order in which they became unread.
#[derive(Debug, Default)]
struct Queues {
    numbers: u64,
    by_number: BTreeMap<u64, Weak<Mutex<Queue>>>,
}

impl Unread {
    /// Adjusts the sum. Call it after each change of a queue, under the lock of the queue.
    pub(super) fn settle(&self, shared: &Arc<Mutex<Queue>>, queue: &mut Queue) {
        let (before, now) = (queue.share.weight, queue.unread());
        if before == now {
            return;
        }
        if now > before {
            self.total.fetch_add(now - before, Ordering::Relaxed);
        } else {
            self.total.fetch_sub(before - now, Ordering::Relaxed);
        }
        queue.share.weight = now;
        if now == 0 {
            let number = queue.share.number.take();
            number.and_then(|number| self.queues().by_number.remove(&number));
        } else if queue.share.number.is_none() {
            let mut queues = self.queues();
            queues.numbers += 1;
            let number = queues.numbers;
            queues.by_number.insert(number, Arc::downgrade(shared));
            queue.share.number = Some(number);
        }
    }

    /// Drops events until the sum is within the limit. Call it without the lock of a queue.
    pub(super) fn keep_to_limit(&self) {
        while self.is_over() {
            let Some(queue) = self.longest() else { return };
            let mut locked = queue.lock().unwrap_or_else(PoisonError::into_inner);
            // A reader may have come meanwhile, and then the queue does not count.
            while locked.unread() > 0 && self.is_over() && locked.drop_oldest() {
                self.settle(&queue, &mut locked);
            }
        }
    }

    fn is_over(&self) -> bool {
        self.total.load(Ordering::Relaxed) > LIMIT
    }

    /// Returns the queue that has been unread for longest.
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
