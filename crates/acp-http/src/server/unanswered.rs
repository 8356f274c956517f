//! The requests over a WebSocket that are not answered yet, for a server that shuts down.

use std::collections::HashSet;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use acp_rpc::Id;
use memchr::memmem::Finder;
use tokio::sync::Notify;

use crate::wire::head::{Head, Kind};

/// The most ids that are kept. Requests beyond them are not waited for.
const MOST: usize = 1024;
/// Bytes that an answer has. Most messages of an agent have none of them, and are not read.
static SIGNS: LazyLock<[Finder<'static>; 2]> =
    LazyLock::new(|| [Finder::new("\"result\""), Finder::new("\"error\"")]);
/// Bytes that a request has.
static METHOD: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("\"method\""));

/// The requests of a client that are not answered yet.
#[derive(Debug, Default)]
pub(crate) struct Unanswered {
    ids: Mutex<HashSet<Id>>,
    /// Fires when none is left.
    emptied: Notify,
}

impl Unanswered {
    /// Notes a message of the client.
    pub(crate) fn asked(&self, message: &[u8]) {
        if METHOD.find(message).is_none() {
            return;
        }
        if let Ok(Head { kind: Kind::Request { id, .. }, .. }) = Head::read(message) {
            let mut ids = self.ids();
            if ids.len() < MOST {
                ids.insert(id);
            }
        }
    }

    /// Notes a message of the agent.
    pub(crate) fn answered(&self, message: &[u8]) {
        if self.ids().is_empty() || SIGNS.iter().all(|sign| sign.find(message).is_none()) {
            return;
        }
        if let Ok(Head { kind: Kind::Answer { id: Some(id), .. }, .. }) = Head::read(message) {
            let mut ids = self.ids();
            if ids.remove(&id) && ids.is_empty() {
                self.emptied.notify_one();
            }
        }
    }

    /// Waits until every request is answered.
    pub(crate) async fn none(&self) {
        while !self.ids().is_empty() {
            self.emptied.notified().await;
        }
    }

    fn ids(&self) -> MutexGuard<'_, HashSet<Id>> {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
