//! The part of a bridge that both of its sides know.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use acp_agent::types::SessionId;
use acp_agent::{Client, Elicitation};
use tokio::sync::watch;

use super::loss::OnFault;
use super::passing::Passing;
use super::session::Bridged;

/// The client, and the open sessions.
pub(super) struct Shared {
    pub(super) passing: Passing,
    pub(super) on_fault: Option<OnFault>,
    /// Known once the client's `initialize` is being answered.
    client: watch::Sender<Option<Client>>,
    sessions: Mutex<HashMap<SessionId, Arc<Bridged>>>,
    /// The ways to ask the user in requests outside of sessions that run now, the latest one last.
    outside: Mutex<Vec<(u64, Elicitation)>>,
}

/// Locks a table. Nothing but the table is changed under its lock.
fn lock<T>(table: &Mutex<T>) -> MutexGuard<'_, T> {
    table.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    pub(super) fn new(passing: Passing, on_fault: Option<OnFault>) -> Self {
        Self {
            passing,
            on_fault,
            client: watch::Sender::new(None),
            sessions: Mutex::default(),
            outside: Mutex::default(),
        }
    }

    pub(super) fn set_client(&self, client: Client) {
        self.passing.to_client(&client);
        self.client.send_replace(Some(client));
    }

    /// Returns the client. Waits until it is known.
    pub(super) async fn client(&self) -> Client {
        let mut client = self.client.subscribe();
        loop {
            if let Some(client) = &*client.borrow_and_update() {
                return client.clone();
            }
            // The sender lives as long as `self`.
            if client.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }

    pub(super) fn session(&self, id: &SessionId) -> Option<Arc<Bridged>> {
        lock(&self.sessions).get(id).cloned()
    }

    pub(super) fn add(&self, session: &Arc<Bridged>) {
        lock(&self.sessions).insert(session.inner.id().clone(), Arc::clone(session));
    }

    pub(super) fn remove(&self, id: &SessionId) {
        lock(&self.sessions).remove(id);
    }

    /// Lets the agent ask the user until the guard is dropped: a request of the client runs, for
    /// which the agent may have questions.
    pub(super) fn asks_with(self: &Arc<Self>, elicitation: Elicitation) -> AsksGuard {
        let mut outside = lock(&self.outside);
        let number = outside.last().map_or(0, |(last, _)| last + 1);
        outside.push((number, elicitation));
        AsksGuard { shared: Arc::clone(self), number }
    }

    /// Returns the way to ask the user outside of sessions.
    pub(super) fn outside(&self) -> Option<Elicitation> {
        lock(&self.outside).last().map(|(_, elicitation)| elicitation.clone())
    }
}

/// Removes a way to ask the user when it is dropped.
pub(super) struct AsksGuard {
    shared: Arc<Shared>,
    number: u64,
}

impl Drop for AsksGuard {
    fn drop(&mut self) {
        lock(&self.shared.outside).retain(|(number, _)| *number != self.number);
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").field("sessions", &self.sessions).finish_non_exhaustive()
    }
}
