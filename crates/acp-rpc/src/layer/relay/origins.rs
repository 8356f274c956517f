//! The ids of requests that are being passed on.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use acp_json::Node;

use crate::wire::message::Id;

/// The ids of the requests that a [`Relay`](super::Relay) is passing on. A request has another id
/// on each connection. Messages that name one by its id, such as a question about it, can be
/// translated with this.
#[derive(Clone, Debug, Default)]
pub struct Origins {
    ids: Arc<Mutex<HashMap<i64, Id>>>,
}

/// An id that is known until this is dropped.
pub(super) struct Origin {
    origins: Origins,
    id: i64,
}

impl Origins {
    /// Returns the id that the sender of a request gave to it, as JSON. `id` is that with which it
    /// was passed on. Returns `None` once the request is answered, and for any other id.
    #[must_use]
    pub fn of(&self, id: &Node<'_>) -> Option<Node<'static>> {
        self.ids().get(&id.as_i64()?).map(Id::to_node)
    }

    pub(super) fn note(&self, id: i64, origin: &Id) -> Origin {
        self.ids().insert(id, origin.clone());
        Origin { origins: self.clone(), id }
    }

    fn ids(&self) -> MutexGuard<'_, HashMap<i64, Id>> {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Origin {
    fn drop(&mut self) {
        self.origins.ids().remove(&self.id);
    }
}
