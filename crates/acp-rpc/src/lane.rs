//! Ordered lanes: jobs of one lane run one at a time, in the order they came.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::budget::{Charge, is_slack};
use crate::fault::{Fault, Origin};
use crate::service::{BoxFuture, LaneKey, Service};
use crate::task::{caught, guarded};

/// The jobs that wait, by lane. A lane is in the map exactly as long as its runner lives.
#[derive(Clone, Default)]
pub(crate) struct Lanes {
    queues: Arc<Mutex<HashMap<LaneKey, VecDeque<LaneJob>>>>,
    finished: Arc<AtomicUsize>,
}

/// A job and the bytes it answers for.
pub(crate) struct LaneJob {
    pub(crate) job: BoxFuture,
    pub(crate) charge: Charge,
}

impl Lanes {
    /// Adds a job. `Some` is the runner of a lane that had none: to be spawned.
    pub(crate) fn enqueue(
        &self,
        lane: &LaneKey,
        job: LaneJob,
        service: &Arc<dyn Service>,
    ) -> Option<impl Future<Output = ()> + Send + 'static> {
        {
            let mut queues = self.lock();
            if let Some(queue) = queues.get_mut(lane) {
                queue.push_back(job);
                return None;
            }
            queues.insert(Arc::clone(lane), VecDeque::new());
        }
        Some(self.clone().run(Arc::clone(lane), job, Arc::clone(service)))
    }

    /// Whether a job of the lane is at work or waits.
    pub(crate) fn is_busy(&self, lane: &LaneKey) -> bool {
        self.lock().contains_key(lane)
    }

    /// How many jobs have been done, ever: whether there is progress.
    pub(crate) fn finished(&self) -> usize {
        self.finished.load(Ordering::Relaxed)
    }

    async fn run(self, lane: LaneKey, first: LaneJob, service: Arc<dyn Service>) {
        let mut next = Some(first);
        while let Some(LaneJob { job, charge }) = next {
            let report = |panic: &str| panicked(&*service, &lane, panic);
            let _done = caught(job, report).await;
            drop(charge);
            self.finished.fetch_add(1, Ordering::Relaxed);
            next = self.next_of(&lane);
        }
    }

    /// Drops the jobs that wait.
    pub(crate) fn clear(&self, service: &dyn Service) {
        let queues = std::mem::take(&mut *self.lock());
        for (lane, queue) in queues {
            for LaneJob { job, .. } in queue {
                if let Err(panic) = guarded(|| drop(job)) {
                    panicked(service, &lane, &panic);
                }
            }
        }
    }

    fn next_of(&self, lane: &LaneKey) -> Option<LaneJob> {
        let mut queues = self.lock();
        let queue = queues.get_mut(lane)?;
        let job = queue.pop_front();
        if is_slack(queue.capacity(), queue.len()) {
            queue.shrink_to(2 * queue.len());
        }
        if job.is_none() {
            queues.remove(lane);
            if is_slack(queues.capacity(), queues.len()) {
                let twice = 2 * queues.len();
                queues.shrink_to(twice);
            }
        }
        job
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<LaneKey, VecDeque<LaneJob>>> {
        // Nothing runs under this lock that could leave the map half changed.
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn panicked(service: &dyn Service, lane: &str, message: &str) {
    Fault::Panicked { origin: Origin::Lane(lane), message }.report(service);
}
