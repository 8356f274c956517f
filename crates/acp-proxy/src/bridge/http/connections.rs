//! The connections that are open: those that have shown a token, and strangers.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use acp_rpc::CancellationToken;

/// The time in which a new connection has to show a token.
const TOKEN_TIME: Duration = Duration::from_secs(10);
/// The most strangers at once. The oldest one gives way to a new one, so that nobody who has a
/// token waits for those who have none.
const MOST_STRANGERS: usize = 64;
/// The most connections at once that have shown a token.
const MOST_ADMITTED: usize = 256;

/// The connections of one listener.
#[derive(Default)]
pub(super) struct Connections(Mutex<State>);

#[derive(Default)]
struct State {
    /// The oldest one first.
    strangers: VecDeque<(u64, CancellationToken)>,
    admitted: usize,
    last: u64,
}

/// A connection. It counts until it is dropped.
pub(super) struct Connection {
    all: Arc<Connections>,
    number: u64,
    /// Fires if it has to give way. That of a connection with a token never does.
    gives_way: CancellationToken,
    admission: Mutex<Admission>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Admission {
    Stranger,
    Admitted,
}

impl Connections {
    /// Counts a new connection, which is a stranger.
    pub(super) fn add(self: &Arc<Self>) -> Connection {
        let gives_way = CancellationToken::new();
        let (number, oldest) = {
            let mut state = self.state();
            state.last += 1;
            let number = state.last;
            state.strangers.push_back((number, gives_way.clone()));
            let is_full = state.strangers.len() > MOST_STRANGERS;
            (number, is_full.then(|| state.strangers.pop_front()).flatten())
        };
        if let Some((_, oldest)) = oldest {
            oldest.cancel();
        }
        let admission = Mutex::new(Admission::Stranger);
        Connection { all: Arc::clone(self), number, gives_way, admission }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Forgets a stranger. Returns false if it had to give way.
    fn remove(&mut self, number: u64) -> bool {
        let before = self.strangers.len();
        self.strangers.retain(|(stranger, _)| *stranger != number);
        self.strangers.len() < before
    }
}

impl Connection {
    /// Notes that it has shown a token. Returns false if there are too many that have.
    pub(super) fn admit(&self) -> bool {
        let mut admission = self.admission();
        if *admission == Admission::Admitted {
            return true;
        }
        let mut state = self.all.state();
        if state.admitted >= MOST_ADMITTED || !state.remove(self.number) {
            return false;
        }
        state.admitted += 1;
        *admission = Admission::Admitted;
        true
    }

    /// Waits until it has to end because it is a stranger.
    pub(super) async fn expelled(&self) {
        let _ = tokio::time::timeout(TOKEN_TIME, self.gives_way.cancelled()).await;
        if *self.admission() == Admission::Admitted {
            std::future::pending::<()>().await;
        }
    }

    fn admission(&self) -> MutexGuard<'_, Admission> {
        self.admission.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let admission = *self.admission();
        let mut state = self.all.state();
        match admission {
            Admission::Admitted => state.admitted -= 1,
            Admission::Stranger => {
                state.remove(self.number);
            }
        }
    }
}
