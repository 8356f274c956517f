//! Ordered lanes: jobs of one lane run one at a time, in the order in which they came.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::core::budget::{Charge, Intake, is_slack};
use crate::core::fault::{Fault, Origin};
use crate::core::job::{BoxFuture, LaneKey};
use crate::core::panics::{caught, guarded};
use crate::service::Service;

/// The room of the largest queue that is kept after its lane has run dry.
const IDLE_JOBS: usize = 1024;

/// The lanes of a connection.
#[derive(Clone)]
pub(crate) struct Lanes {
    table: Arc<Mutex<Table>>,
    intake: Arc<Intake>,
}

#[derive(Default)]
struct Table {
    /// A lane is in here exactly as long as its runner lives. There are usually few, and then
    /// comparing their names is quicker than hashing one.
    lanes: BTreeMap<LaneKey, Lane>,
    /// The empty queue of the lane that ran dry last, so that the next lane need not grow its own.
    idle: VecDeque<LaneJob>,
    /// The number of jobs done, ever.
    finished: usize,
}

struct Lane {
    waiting: VecDeque<LaneJob>,
    /// The bytes of the jobs that wait, and of the one at work.
    charge: Charge,
}

/// A job and its weight.
struct LaneJob {
    job: BoxFuture,
    bytes: usize,
}

impl Lanes {
    pub(crate) fn new(intake: Arc<Intake>) -> Self {
        Self { table: Arc::default(), intake }
    }

    /// Adds a job, which weighs `bytes` on the budget until it is done. If the lane has no runner,
    /// returns one, which the caller must spawn.
    pub(crate) fn enqueue(
        &self,
        key: &LaneKey,
        job: BoxFuture,
        bytes: usize,
        service: &Arc<dyn Service>,
    ) -> Option<impl Future<Output = ()> + Send + 'static> {
        let job = LaneJob { job, bytes };
        {
            let mut table = self.table();
            if let Some(lane) = table.lanes.get_mut(key) {
                lane.charge.add(bytes);
                lane.waiting.push_back(job);
                return None;
            }
            let waiting = std::mem::take(&mut table.idle);
            let lane = Lane { waiting, charge: self.intake.charge(bytes) };
            table.lanes.insert(Arc::clone(key), lane);
        }
        Some(self.clone().run(Arc::clone(key), job, Arc::clone(service)))
    }

    /// Tells whether a job of the lane is at work or waits.
    pub(crate) fn is_busy(&self, key: &LaneKey) -> bool {
        self.table().lanes.contains_key(key)
    }

    /// Returns the number of jobs done, ever. It tells whether there is progress.
    pub(crate) fn finished(&self) -> usize {
        self.table().finished
    }

    async fn run(self, key: LaneKey, first: LaneJob, service: Arc<dyn Service>) {
        let mut next = Some(first);
        while let Some(LaneJob { job, bytes }) = next {
            let _done = caught(job, |panic: &str| panicked(&*service, &key, panic)).await;
            let (job, done) = self.table().next(&key, bytes);
            // Released after the lock of the table, because it may wake the reader.
            self.intake.release(done);
            next = job;
        }
    }

    /// Drops the jobs that wait.
    pub(crate) fn clear(&self, service: &dyn Service) {
        let lanes = std::mem::take(&mut self.table().lanes);
        for (key, lane) in lanes {
            for LaneJob { job, .. } in lane.waiting {
                if let Err(panic) = guarded(|| drop(job)) {
                    panicked(service, &key, &panic);
                }
            }
        }
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        // No code under this lock can leave the table half changed.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    /// Returns the next job of a lane whose job is done, and the bytes to release.
    fn next(&mut self, key: &LaneKey, done: usize) -> (Option<LaneJob>, usize) {
        self.finished += 1;
        let Some(lane) = self.lanes.get_mut(key) else { return (None, 0) };
        lane.charge.leave(done);
        let job = lane.waiting.pop_front();
        let length = lane.waiting.len();
        if is_slack(lane.waiting.capacity(), length) {
            lane.waiting.shrink_to(2 * length);
        }
        if job.is_none()
            && let Some(Lane { waiting, .. }) = self.lanes.remove(key)
            && waiting.capacity() <= IDLE_JOBS
        {
            self.idle = waiting;
        }
        (job, done)
    }
}

fn panicked(service: &dyn Service, key: &str, message: &str) {
    Fault::Panicked { origin: Origin::Lane(key), message }.report(service);
}
