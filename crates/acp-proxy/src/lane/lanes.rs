//! Lanes: the messages of one session in one direction, one after the other.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tokio::sync::oneshot;

use super::budget::{Budget, Charge};

/// The memory of a job besides its message.
const JOB: usize = 128;

/// The lanes of one direction of a proxy.
#[derive(Clone)]
pub(crate) struct Lanes {
    queues: Arc<Mutex<HashMap<Box<str>, VecDeque<Waiting>>>>,
    budget: Arc<Budget>,
}

/// A message that waits, and its bytes.
type Waiting = (Job, Charge);

/// The work on a message when its turn comes.
pub(crate) enum Job {
    /// Passes the message on.
    Pass(Box<dyn FnOnce() + Send>),
    /// Starts a handler. The next job begins when the turn is dropped.
    Handle(Box<dyn FnOnce(Turn) + Send>),
}

/// The turn of a message. Messages behind it wait until it is dropped.
#[derive(Debug)]
pub(crate) struct Turn {
    _over: oneshot::Sender<()>,
    held: Arc<()>,
}

/// Tells whether a turn is still held.
#[derive(Clone, Debug)]
pub(crate) struct Holding(Weak<()>);

impl Turn {
    pub(crate) fn holding(&self) -> Holding {
        Holding(Arc::downgrade(&self.held))
    }
}

impl Holding {
    pub(crate) fn is_held(&self) -> bool {
        self.0.strong_count() > 0
    }
}

impl Lanes {
    pub(crate) fn new(budget: &Arc<Budget>) -> Self {
        Self { queues: Arc::default(), budget: Arc::clone(budget) }
    }

    pub(crate) const fn budget(&self) -> &Arc<Budget> {
        &self.budget
    }

    /// Tells whether no message waits and no handler has its turn.
    pub(crate) fn are_idle(&self) -> bool {
        self.queues().is_empty()
    }

    /// Tells whether a lane has a message that waits or is handled.
    pub(crate) fn is_busy(&self, lane: &str) -> bool {
        self.queues().contains_key(lane)
    }

    /// Adds a job at the end of a lane, for a message of so many bytes.
    pub(crate) fn add(&self, lane: &str, job: Job, bytes: usize) {
        let waiting = (job, self.budget.charge(bytes + JOB));
        {
            let mut queues = self.queues();
            if let Some(queue) = queues.get_mut(lane) {
                queue.push_back(waiting);
                return;
            }
            queues.insert(lane.into(), VecDeque::from([waiting]));
        }
        let (lanes, lane) = (self.clone(), Box::<str>::from(lane));
        tokio::spawn(async move { lanes.run(&lane).await });
    }

    /// Runs the jobs of a lane until there are none.
    async fn run(&self, lane: &str) {
        while let Some((job, charge)) = self.next(lane) {
            match job {
                Job::Pass(pass) => pass(),
                Job::Handle(start) => {
                    let (turn, over) = oneshot::channel();
                    start(Turn { _over: turn, held: Arc::default() });
                    // Nothing is ever sent: the drop is the sign.
                    let _ = over.await;
                }
            }
            drop(charge);
        }
    }

    fn next(&self, lane: &str) -> Option<Waiting> {
        let mut queues = self.queues();
        let next = queues.get_mut(lane)?.pop_front();
        if next.is_none() {
            queues.remove(lane);
        }
        next
    }

    fn queues(&self) -> MutexGuard<'_, HashMap<Box<str>, VecDeque<Waiting>>> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Lanes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lanes").field("budget", &self.budget).finish_non_exhaustive()
    }
}
