//! Work of the client for an agent. While there is some, the agent's silence means nothing.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use acp_rpc::{Reply, Task};
use tokio::time::Instant;

use crate::sessions::session_state::SessionState;
use crate::wire::work::Work;

/// The requests of an agent in one session that are not answered yet, and the terminals in which
/// commands run.
#[derive(Debug, Default)]
pub(crate) struct Activity {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    requests: usize,
    /// The terminals whose command runs, as far as the agent knows: it has neither waited for the
    /// end nor released the terminal.
    running: HashSet<String>,
    /// The time when the last request was answered.
    since: Option<Instant>,
}

impl Activity {
    /// Returns true while the client works for the agent.
    pub(crate) fn is_busy(&self) -> bool {
        let state = self.state();
        state.requests > 0 || !state.running.is_empty()
    }

    /// Returns the time when the last request was answered.
    pub(crate) fn since(&self) -> Option<Instant> {
        self.state().since
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing but counting is done under this lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Notes a request in its session until `task` has answered it.
pub(crate) fn noted(session: Arc<SessionState>, work: Work, task: Task) -> Task {
    let request = Request::begin(session, work);
    Box::pin(async move {
        let answer = task.await;
        if let Ok(reply) = &answer {
            request.answered(reply);
        }
        answer
    })
}

/// A request of the agent. Its drop ends it.
struct Request {
    session: Arc<SessionState>,
    work: Work,
}

impl Request {
    fn begin(session: Arc<SessionState>, work: Work) -> Self {
        session.activity.state().requests += 1;
        Request { session, work }
    }

    /// Notes a terminal in which a command has begun or ended.
    fn answered(&self, reply: &Reply) {
        let running = || self.session.activity.state();
        match &self.work {
            Work::CreatesTerminal(id) => running().running.extend(id(reply)),
            Work::AwaitsTerminal(id) => drop(running().running.remove(id)),
            Work::ReleasesTerminal(_) | Work::Other => {}
        }
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        let mut state = self.session.activity.state();
        state.requests = state.requests.saturating_sub(1);
        // The agent has done with it, whatever the answer is.
        if let Work::ReleasesTerminal(id) = &self.work {
            state.running.remove(id);
        }
        state.since = Some(Instant::now());
        drop(state);
        // The reader of the turn has another deadline now.
        self.session.inbox.wake();
    }
}
