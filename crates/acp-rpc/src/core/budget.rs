//! The byte budget of input that has arrived and is not dealt with yet.

use std::mem::size_of_val;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Notify;

use crate::wire::weight::block;

/// The memory of a task besides its future: the record of the runtime, and its entry in the set.
const TASK: usize = 384;
/// The memory of a job that waits in a lane, besides the job: its place in a queue that may be
/// growing.
pub(crate) const JOB: usize = 96;
/// The memory of a lane besides its name and its runner: its place in a map, and its queue.
pub(crate) const LANE: usize = 384;
/// The memory of a request in flight besides its id, its method and its task: its place in a map
/// that may be growing, and its token.
pub(crate) const REQUEST: usize = 512;

/// The most handlers that may be started before the first of them has run.
const STARTS: usize = 64;

/// Tells whether a table has so much spare room that it should shrink. That is rare enough to be
/// cheap.
pub(crate) const fn is_slack(capacity: usize, length: usize) -> bool {
    capacity > 256 && length < capacity / 8
}

/// Returns the weight of a future as a task.
pub(crate) fn task<F: Future>(future: &F) -> usize {
    TASK + block(size_of_val(future))
}

/// Counts the bytes of notifications, and of answers in lanes, that wait or are being handled.
///
/// Over the budget the reader pauses, so that the peer feels it. It also pauses if the peer does
/// not take the reader's own answers.
///
/// While somebody on this side waits for the peer, the reader goes on: the jobs that hold the
/// budget may be waiting for the answer, and a peer that waits for room itself gets it only if this
/// side reads. At the ceiling those who wait fail, and the reader pauses.
#[derive(Debug)]
pub(crate) struct Intake {
    budget: usize,
    ceiling: usize,
    held: AtomicUsize,
    /// Bytes of the reader's own answers since there was last room to write.
    refused: AtomicUsize,
    waiting: AtomicUsize,
    /// Handlers of requests that were started and have not run yet.
    unstarted: AtomicUsize,
    /// Answers of handlers that wait for room to write.
    answers: AtomicUsize,
    resume: Notify,
    flood: Notify,
}

/// Some bytes on the budget. They are given back on drop.
#[derive(Debug)]
pub(crate) struct Charge {
    intake: Arc<Intake>,
    bytes: usize,
}

/// Somebody who waits for the peer: for room for a message, or for the answer to a request outside
/// lanes.
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

    /// Tells whether those who wait must fail, because no more can be read for their sake.
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

    /// Counts the task of a handler that was spawned.
    pub(crate) fn spawned(&self) {
        self.unstarted.fetch_add(1, Ordering::SeqCst);
    }

    /// Counts a spawned handler that has run, or never will.
    pub(crate) fn started(&self) {
        let before = self.unstarted.fetch_sub(1, Ordering::SeqCst);
        if before == STARTS || before == 1 {
            self.resume.notify_one();
        }
    }

    /// Tells whether so many handlers have not run yet that they come first.
    pub(crate) fn is_ahead(&self) -> bool {
        self.unstarted.load(Ordering::SeqCst) >= STARTS
    }

    /// Tells whether the number of requests in flight will fall without more input: some have not
    /// run yet, or only the peer keeps their answers from leaving.
    pub(crate) fn is_draining(&self) -> bool {
        self.unstarted.load(Ordering::SeqCst) > 0
            || (self.answers.load(Ordering::SeqCst) > 0 && self.waiting.load(Ordering::SeqCst) == 0)
    }

    /// Counts an answer that waits for room to write, until the result is dropped.
    pub(crate) fn answer_waits(&self) -> impl Drop + '_ {
        self.answers.fetch_add(1, Ordering::SeqCst);
        WaitingAnswer(self)
    }

    /// Counts an answer that the reader has written past the outgoing budget.
    pub(crate) fn refused(&self, bytes: usize) {
        self.refused.fetch_add(bytes, Ordering::SeqCst);
    }

    /// Notes that there is room to write again.
    pub(crate) fn has_room(&self) {
        // It is called for every line, and usually nothing was refused. Then it writes nothing.
        if self.refused.load(Ordering::SeqCst) > 0 {
            self.refused.store(0, Ordering::SeqCst);
        }
    }

    /// Resolves when those who wait have to fail.
    pub(crate) fn flooded(&self) -> impl Future<Output = ()> + '_ {
        self.flood.notified()
    }

    /// Lets all fail who wait for room.
    pub(crate) fn give_up(&self) {
        self.flood.notify_waiters();
    }

    /// Resolves when something changed that may end a pause. Only the driver waits here.
    pub(crate) async fn resumed(&self) {
        self.resume.notified().await;
    }

    pub(crate) fn charge(self: &Arc<Self>, bytes: usize) -> Charge {
        self.held.fetch_add(bytes, Ordering::SeqCst);
        Charge { intake: Arc::clone(self), bytes }
    }

    /// Gives back bytes that are dealt with. That may wake the reader.
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
    /// Adds bytes.
    pub(crate) fn add(&mut self, bytes: usize) {
        self.bytes += bytes;
        self.intake.held.fetch_add(bytes, Ordering::SeqCst);
    }

    /// Leaves so many bytes for the caller to [release](Intake::release).
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
