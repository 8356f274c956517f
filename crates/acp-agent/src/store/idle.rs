//! Sessions in which nothing happens: only a few of them keep their log.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::mpsc::WeakUnboundedSender;

use super::writer::Job;

/// How many of a connection keep it: those that were used last.
const OF_A_CONNECTION: usize = 16;
/// How many of all connections of the process do, in which each may have one then.
const OF_ALL: usize = 128;

/// How many do in this process.
static KEPT: AtomicUsize = AtomicUsize::new(0);

/// The idle sessions of a connection that keep their log, the one that was used last at the end.
#[derive(Default)]
pub(super) struct Idle {
    places: Mutex<VecDeque<Arc<Asked>>>,
}

/// Who lets go of a log when he is asked to.
type Asked = WeakUnboundedSender<Job>;

impl Idle {
    /// A place for a session, which is not taken yet.
    pub(super) fn place(self: &Arc<Self>, session: Asked) -> Place {
        Place { idle: Arc::clone(self), session: Arc::new(session) }
    }

    fn places(&self) -> MutexGuard<'_, VecDeque<Arc<Asked>>> {
        // Nothing under this lock can leave the list half-changed.
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The place of one session among the idle ones. Dropped, it is free.
pub(super) struct Place {
    idle: Arc<Idle>,
    session: Arc<Asked>,
}

impl Place {
    /// The session is idle from now on, and keeps its log until it is told to let go of it: others may be, too.
    pub(super) fn take(&self) {
        for other in self.enter() {
            if let Some(other) = other.upgrade() {
                let _ = other.send(Job::LetGo);
            }
        }
    }

    /// Enters this one, and gives those for which there is no place any more.
    fn enter(&self) -> Vec<Arc<Asked>> {
        let mut places = self.idle.places();
        remove(&mut places, &self.session);
        places.push_back(Arc::clone(&self.session));
        KEPT.fetch_add(1, Ordering::AcqRel);
        let mut gone = Vec::new();
        while places.len() > OF_A_CONNECTION || places.len() > 1 && KEPT.load(Ordering::Acquire) > OF_ALL {
            gone.extend(places.pop_front());
            KEPT.fetch_sub(1, Ordering::AcqRel);
        }
        gone
    }

    /// The session is in use from now on, or has no log.
    pub(super) fn leave(&self) {
        remove(&mut self.idle.places(), &self.session);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.leave();
    }
}

fn remove(places: &mut VecDeque<Arc<Asked>>, session: &Arc<Asked>) {
    if let Some(at) = places.iter().position(|place| Arc::ptr_eq(place, session)) {
        places.remove(at);
        KEPT.fetch_sub(1, Ordering::AcqRel);
    }
}
