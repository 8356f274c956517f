//! Threads on which journals wait for the disk.
//!
//! The runtime's threads for blocking work would not do. Messages to a client wait for a journal,
//! and handlers that wait for a client may occupy all of those threads.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;

use crate::store::StoreError;

/// The greatest number of threads, of each kind, for all journals of the process.
const MOST: usize = 16;
/// The time after which an idle thread ends.
const PATIENCE: Duration = Duration::from_secs(10);

/// Threads that add to sessions. Nothing on them waits for anything but the disk.
pub(super) static WRITING: Threads = Threads::new("journal-write");
/// Threads for everything else. They also call the user's hook.
pub(super) static READING: Threads = Threads::new("journal-read");

type Work = Box<dyn FnOnce() + Send>;

/// Threads that start when they are needed, and end when they are not.
pub(super) struct Threads {
    name: &'static str,
    state: Mutex<State>,
    work: Condvar,
}

struct State {
    /// A session has one job at a time, and so has each of its readers.
    jobs: VecDeque<Work>,
    threads: usize,
    /// The number of idle threads.
    idle: usize,
}

impl Threads {
    const fn new(name: &'static str) -> Self {
        let state = State { jobs: VecDeque::new(), threads: 0, idle: 0 };
        Threads { name, state: Mutex::new(state), work: Condvar::new() }
    }

    /// Runs `work` on one of the threads. It runs to its end, even if nobody waits for it any more.
    pub(super) async fn run<T: Send + 'static>(
        &'static self,
        work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (done, outcome) = oneshot::channel();
        self.start(Box::new(move || {
            let _ = done.send(work());
        }));
        outcome.await.unwrap_or_else(|_| Err(StoreError::other("sessions: the work on a file has panicked")))
    }

    fn start(&'static self, job: Work) {
        let mut state = self.state();
        state.jobs.push_back(job);
        if state.jobs.len() <= state.idle {
            self.work.notify_one();
        } else if state.threads < MOST {
            state.threads += 1;
            drop(state);
            let started = std::thread::Builder::new().name(self.name.to_owned()).spawn(|| self.serve());
            if started.is_err() {
                self.do_without();
            }
        }
    }

    /// Does without a new thread, because the system gives none. Another thread does the work
    /// later, or this one does it here.
    fn do_without(&self) {
        let mut state = self.state();
        state.threads -= 1;
        let job = if state.threads == 0 { state.jobs.pop_front() } else { None };
        drop(state);
        if let Some(job) = job {
            job();
        }
    }

    fn serve(&self) {
        let mut state = self.state();
        loop {
            while let Some(job) = state.jobs.pop_front() {
                drop(state);
                // The waiting caller notices, because this drops its channel.
                let _ = catch_unwind(AssertUnwindSafe(job));
                state = self.state();
            }
            state.idle += 1;
            let (waited, timeout) =
                self.work.wait_timeout(state, PATIENCE).unwrap_or_else(PoisonError::into_inner);
            state = waited;
            state.idle -= 1;
            if timeout.timed_out() && state.jobs.is_empty() {
                state.threads -= 1;
                return;
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No job runs under this lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
