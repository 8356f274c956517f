//! A connection over HTTP, and the table of them all.

use std::collections::HashMap;
use std::fmt;
use std::future::poll_fn;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, mpsc, oneshot};
use tokio::time::Instant;

use crate::server::access::connection_id::ConnectionId;
use crate::server::access::principal::Principal;
use crate::server::agent::Closing;
use crate::server::options::Limits;
use crate::wire::routes::{Initialized, Routes};

/// A connection: its streams, and the way to its agent.
pub(crate) struct Connection {
    pub(crate) id: ConnectionId,
    pub(crate) principal: Principal,
    pub(crate) closing: Closing,
    pub(crate) limits: Limits,
    pub(super) to_agent: mpsc::Sender<Vec<u8>>,
    state: Mutex<State>,
    /// The messages on their way to the agent, and the bytes of their bodies.
    pub(super) posts: AtomicUsize,
    pub(super) post_bytes: AtomicUsize,
    activity: Mutex<Activity>,
    /// Fires when the activity changes, and when all work is finished.
    pub(super) changed: Notify,
}

pub(super) struct State {
    pub(super) routes: Routes,
    /// The code with which the connection has ended.
    pub(super) ended: Option<u16>,
    /// Waits for the answer to `initialize`.
    pub(super) initializing: Option<oneshot::Sender<Initialized>>,
}

/// Requests that use the connection now.
struct Activity {
    users: usize,
    had_stream: bool,
    idle_since: Option<Instant>,
}

impl Connection {
    pub(super) fn new(
        id: ConnectionId,
        principal: Principal,
        closing: Closing,
        limits: Limits,
        to_agent: mpsc::Sender<Vec<u8>>,
    ) -> Self {
        let routes = Routes::new(limits.sizes);
        Self {
            id,
            principal,
            closing,
            limits,
            to_agent,
            state: Mutex::new(State { routes, ended: None, initializing: None }),
            posts: AtomicUsize::new(0),
            post_bytes: AtomicUsize::new(0),
            activity: Mutex::new(Activity { users: 0, had_stream: false, idle_since: Some(Instant::now()) }),
            changed: Notify::new(),
        }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a message of the agent on its way.
    pub(super) fn place(&self, message: Vec<u8>) {
        let mut state = self.state();
        let (was_finished, initialized) = (state.routes.is_finished(), state.routes.place(message));
        if !was_finished && state.routes.is_finished() {
            self.changed.notify_one();
        }
        let Some(answer) = initialized else { return };
        if let Some(waiting) = state.initializing.take() {
            // Nobody waits any more if the client has gone.
            let _ = waiting.send(answer);
        }
    }

    /// Returns true if no request waits for its answer, and no turn runs.
    pub(super) fn is_finished(&self) -> bool {
        self.state().routes.is_finished()
    }

    /// Waits until a message may be placed.
    pub(super) async fn room(&self) {
        poll_fn(|cx| self.state().routes.poll_room(cx.waker())).await;
    }

    /// Ends the streams: the agent has ended. Their readers are told the code.
    pub(super) fn end(&self, code: u16) {
        let mut state = self.state();
        state.ended = Some(code);
        state.routes.end();
        state.initializing = None;
    }

    /// Ends the input of the agent, as a closed stdin does.
    pub(crate) fn close(&self, code: u16) {
        self.state().routes.client_left();
        self.closing.close(code);
    }

    /// Keeps the connection from being idle as long as the guard lives.
    pub(super) fn busy(self: &Arc<Self>, is_stream: bool) -> Busy {
        let mut activity = self.activity();
        activity.users += 1;
        activity.had_stream |= is_stream;
        activity.idle_since = None;
        Busy(Arc::clone(self))
    }

    /// Returns the moment at which the connection has been idle for too long.
    pub(super) fn idle_until(&self) -> Option<Instant> {
        let activity = self.activity();
        let limit = if activity.had_stream { self.limits.idle } else { self.limits.first_stream };
        activity.idle_since.and_then(|since| since.checked_add(limit))
    }

    fn activity(&self) -> MutexGuard<'_, Activity> {
        self.activity.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("id", &self.id).finish_non_exhaustive()
    }
}

/// A use of a connection.
#[derive(Debug)]
pub(super) struct Busy(Arc<Connection>);

impl Drop for Busy {
    fn drop(&mut self) {
        let mut activity = self.0.activity();
        activity.users -= 1;
        if activity.users == 0 {
            activity.idle_since = Some(Instant::now());
            drop(activity);
            self.0.changed.notify_one();
        }
    }
}

/// A message on its way to the agent: it counts until its drop.
#[derive(Debug)]
pub(super) struct Posting {
    connection: Arc<Connection>,
    bytes: usize,
    _busy: Busy,
}

impl Posting {
    /// Counts one more, unless there are too many.
    pub(super) fn start(connection: &Arc<Connection>) -> Option<Self> {
        let busy = connection.busy(false);
        let before = connection.posts.fetch_add(1, Ordering::AcqRel);
        // From here on the drop takes it back.
        let this = Self { connection: Arc::clone(connection), bytes: 0, _busy: busy };
        (before < connection.limits.posts).then_some(this)
    }

    /// Counts bytes of the body. Returns false if all bodies together have too many. A body alone
    /// always has room.
    pub(super) fn add(&mut self, bytes: usize) -> bool {
        let before = self.connection.post_bytes.fetch_add(bytes, Ordering::AcqRel);
        self.bytes += bytes;
        before + bytes <= self.connection.limits.message.saturating_mul(2)
    }
}

impl Drop for Posting {
    fn drop(&mut self) {
        self.connection.posts.fetch_sub(1, Ordering::AcqRel);
        self.connection.post_bytes.fetch_sub(self.bytes, Ordering::AcqRel);
    }
}

/// The connections by their ids.
#[derive(Debug, Default)]
pub(crate) struct Connections(Mutex<HashMap<Arc<str>, Arc<Connection>>>);

impl Connections {
    /// Finds a connection of this principal. Those of others do not exist for it.
    pub(crate) fn find(&self, id: &str, principal: &Principal) -> Option<Arc<Connection>> {
        self.table().get(id).filter(|connection| connection.principal == *principal).cloned()
    }

    pub(super) fn insert(&self, connection: &Arc<Connection>) {
        self.table().insert(connection.id.as_str().into(), Arc::clone(connection));
    }

    pub(crate) fn remove(&self, id: &ConnectionId) {
        self.table().remove(id.as_str());
    }

    fn table(&self) -> MutexGuard<'_, HashMap<Arc<str>, Arc<Connection>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
