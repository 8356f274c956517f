//! Idle sessions. Only a few of them keep their log.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::mpsc::WeakUnboundedSender;

use super::writer::Job;

/// The number of sessions of a connection that keep their log: those that were used last.
const OF_A_CONNECTION: usize = 16;
/// The number of sessions of all connections of the process that do. Each connection may have one
/// more.
const OF_ALL: usize = 128;

/// The number of sessions of this process that keep their log now.
static KEPT: AtomicUsize = AtomicUsize::new(0);

/// The idle sessions of a connection that keep their log. The one that was used last is at the end.
#[derive(Default)]
pub(super) struct Idle {
    places: Mutex<VecDeque<Arc<Asked>>>,
}

/// The session that lets go of its log when asked to.
type Asked = WeakUnboundedSender<Job>;

impl Idle {
    /// Returns a place for a session. The session does not have it yet.
    pub(super) fn place(self: &Arc<Self>, session: Asked) -> IdlePlace {
        IdlePlace { idle: Arc::clone(self), session: Arc::new(session) }
    }

    fn places(&self) -> MutexGuard<'_, VecDeque<Arc<Asked>>> {
        // Nothing under this lock can leave the list half-changed.
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The place of one session among the idle ones. Its drop frees it.
pub(super) struct IdlePlace {
    idle: Arc<Idle>,
    session: Arc<Asked>,
}

impl IdlePlace {
    /// Enters the session, which is idle from now on. It keeps its log until it has to let go of
    /// it, and so do the others.
    pub(super) fn take(&self) {
        for other in self.enter() {
            if let Some(other) = other.upgrade() {
                let _ = other.send(Job::LetGo);
            }
        }
    }

    /// Enters this session, and returns those that have lost their places.
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

    /// Leaves the place, because the session is in use from now on or has no log.
    pub(super) fn leave(&self) {
        remove(&mut self.idle.places(), &self.session);
    }
}

impl Drop for IdlePlace {
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
