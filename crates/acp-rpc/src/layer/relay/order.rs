//! The order of messages toward one peer.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

/// The messages that wait for their turn, the next one first.
#[derive(Default)]
pub(super) struct Order {
    places: Mutex<VecDeque<Arc<Notify>>>,
}

/// The place of a message. The next one has its turn when this is dropped.
pub(super) struct Place {
    order: Arc<Order>,
    turn: Arc<Notify>,
}

impl Order {
    /// Takes the last place.
    pub(super) fn place(self: &Arc<Self>) -> Place {
        let turn = Arc::<Notify>::default();
        let mut places = self.places();
        if places.is_empty() {
            turn.notify_one();
        }
        places.push_back(Arc::clone(&turn));
        Place { order: Arc::clone(self), turn }
    }

    fn places(&self) -> MutexGuard<'_, VecDeque<Arc<Notify>>> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    /// Waits until all earlier places are free. It may be called once.
    pub(super) async fn turn(&self) {
        self.turn.notified().await;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut places = self.order.places();
        if !places.front().is_some_and(|first| Arc::ptr_eq(first, &self.turn)) {
            places.retain(|place| !Arc::ptr_eq(place, &self.turn));
            return;
        }
        places.pop_front();
        if let Some(next) = places.front() {
            next.notify_one();
        }
    }
}
