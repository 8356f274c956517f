//! The byte budget of what has arrived and is not yet dealt with.

use std::mem::size_of_val;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Notify;

use crate::wire::weight::block;

/// What the runtime keeps for a task besides its future: the task's own record, and its entry in the set.
const TASK: usize = 384;
/// What a job that waits in a lane takes besides itself: its place in a queue that may be growing.
pub(crate) const JOB: usize = 96;
/// What a lane takes besides its name and its runner: its place in a map, and its queue.
pub(crate) const LANE: usize = 384;
/// What a request in flight takes besides its id, its method and its task: its place in a map that may be
/// growing, and its token.
pub(crate) const REQUEST: usize = 512;

/// How many handlers may be started before the first of them has run.
const STARTS: usize = 64;

/// Whether a table has so much more room than it needs that it should shrink: seldom enough to be cheap.
pub(crate) const fn is_slack(capacity: usize, length: usize) -> bool {
    capacity > 256 && length < capacity / 8
}

/// What a future weighs as a task.
pub(crate) fn task<F: Future>(future: &F) -> usize {
    TASK + block(size_of_val(future))
}

/// Counts the bytes of notifications, and of answers in lanes, that wait or are being handled.
///
/// Over budget the reader pauses, so that the peer feels it; so it does when the peer does not take what the
/// reader refuses. But while somebody on this side waits for the peer it reads on: the answer may be what the
/// jobs that hold the budget are waiting for, and a peer that waits for room as well gets it only from a reader
/// that goes on. It does so up to the ceiling; then those who wait fail, and it pauses all the same.
#[derive(Debug)]
pub(crate) struct Intake {
    budget: usize,
    ceiling: usize,
    held: AtomicUsize,
    /// Bytes that the reader has answered by itself since there was last room to write.
    refused: AtomicUsize,
    waiting: AtomicUsize,
    /// Handlers of requests that were started and have not run yet.
    unstarted: AtomicUsize,
    /// Answers of handlers that wait for room to write.
    answers: AtomicUsize,
    resume: Notify,
    flood: Notify,
}

/// Some bytes on the budget, given back on drop.
#[derive(Debug)]
pub(crate) struct Charge {
    intake: Arc<Intake>,
    bytes: usize,
}

/// Something that waits for the peer: a message for room, or a request outside lanes for its answer.
#[derive(Debug)]
pub(crate) struct Waiting {
    intake: Arc<Intake>,
}

impl Intake {
    pub(crate) fn new(budget: usize, ceiling: usize) -> Arc<Self> {
        Arc::new(Self {
            budget,
            ceiling,
            held: AtomicUsize::new(0),
            refused: AtomicUsize::new(0),
            waiting: AtomicUsize::new(0),
            unstarted: AtomicUsize::new(0),
            answers: AtomicUsize::new(0),
            resume: Notify::new(),
            flood: Notify::new(),
        })
    }

    pub(crate) fn is_paused(&self) -> bool {
        self.is_full() && (self.waiting.load(Ordering::SeqCst) == 0 || self.is_at_ceiling())
    }

    /// Whether those who wait must be given up, because no more can be read for their sake.
    pub(crate) fn is_flooded(&self) -> bool {
        self.waiting.load(Ordering::SeqCst) > 0 && self.is_at_ceiling()
    }

    fn is_full(&self) -> bool {
        self.held.load(Ordering::SeqCst) >= self.budget || self.refused.load(Ordering::SeqCst) > 0
    }

    fn is_at_ceiling(&self) -> bool {
        let most = self.held.load(Ordering::SeqCst).max(self.refused.load(Ordering::SeqCst));
        most >= self.ceiling.max(self.budget)
    }

    /// The task of a handler was spawned.
    pub(crate) fn spawned(&self) {
        self.unstarted.fetch_add(1, Ordering::SeqCst);
    }

    /// A handler that was spawned has run, or never will.
    pub(crate) fn started(&self) {
        let before = self.unstarted.fetch_sub(1, Ordering::SeqCst);
        if before == STARTS || before == 1 {
            self.resume.notify_one();
        }
    }

    /// Tells whether so many handlers have not run yet that those come first.
    pub(crate) fn is_ahead(&self) -> bool {
        self.unstarted.load(Ordering::SeqCst) >= STARTS
    }

    /// Tells whether the requests in flight will become fewer without anything that is still to be read: some have not
    /// run yet, or nothing but the peer keeps their answers from leaving.
    pub(crate) fn is_draining(&self) -> bool {
        self.unstarted.load(Ordering::SeqCst) > 0
            || (self.answers.load(Ordering::SeqCst) > 0 && self.waiting.load(Ordering::SeqCst) == 0)
    }

    /// An answer waits for room to write, as long as what this returns lives.
    pub(crate) fn answer_waits(&self) -> impl Drop + '_ {
        self.answers.fetch_add(1, Ordering::SeqCst);
        WaitingAnswer(self)
    }

    /// The reader has answered something by itself, past the outgoing budget.
    pub(crate) fn refused(&self, bytes: usize) {
        self.refused.fetch_add(bytes, Ordering::SeqCst);
    }

    /// There is room to write again.
    pub(crate) fn has_room(&self) {
        // Asked at every line, when as a rule nothing was refused: then nothing is written.
        if self.refused.load(Ordering::SeqCst) > 0 {
            self.refused.store(0, Ordering::SeqCst);
        }
    }

    /// Resolves when those who wait are given up.
    pub(crate) fn flooded(&self) -> impl Future<Output = ()> + '_ {
        self.flood.notified()
    }

    /// Gives up all who wait for room.
    pub(crate) fn give_up(&self) {
        self.flood.notify_waiters();
    }

    /// Something changed that may end a pause. Only the driver waits here.
    pub(crate) async fn resumed(&self) {
        self.resume.notified().await;
    }

    pub(crate) fn charge(self: &Arc<Self>, bytes: usize) -> Charge {
        self.held.fetch_add(bytes, Ordering::SeqCst);
        Charge { intake: Arc::clone(self), bytes }
    }

    /// So many bytes are dealt with. That may wake the reader.
    pub(crate) fn release(&self, bytes: usize) {
        let before = self.held.fetch_sub(bytes, Ordering::SeqCst);
        if before >= self.budget && before - bytes < self.budget {
            self.resume.notify_one();
        }
    }

    pub(crate) fn wait(self: &Arc<Self>) -> Waiting {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        if self.is_full() || self.answers.load(Ordering::SeqCst) > 0 {
            self.resume.notify_one();
        }
        Waiting { intake: Arc::clone(self) }
    }
}

/// An answer that waits for room.
struct WaitingAnswer<'a>(&'a Intake);

impl Drop for WaitingAnswer<'_> {
    fn drop(&mut self) {
        self.0.answers.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Charge {
    /// So many bytes more.
    pub(crate) fn add(&mut self, bytes: usize) {
        self.bytes += bytes;
        self.intake.held.fetch_add(bytes, Ordering::SeqCst);
    }

    /// Leaves so many of them to be [released](Intake::release) by the caller.
    pub(crate) fn leave(&mut self, bytes: usize) {
        self.bytes -= bytes;
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.intake.release(self.bytes);
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.intake.waiting.fetch_sub(1, Ordering::SeqCst);
    }
}
