//! The sessions of one connection, and what each of them is doing.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use acp_rpc::LaneKey;
use acp_types::v1::SessionId;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::inbox::Inbox;

/// How many sessions may have updates before anything has named them to us. Some agents report on a session before
/// they answer the request that makes it (its id is in that answer), or on one they forked by themselves.
const UNNAMED: usize = 16;

/// Every session that this connection has heard of.
#[derive(Debug, Default)]
pub(crate) struct Sessions {
    known: Mutex<HashMap<Arc<str>, Known>>,
}

#[derive(Debug)]
struct Known {
    state: Arc<SessionState>,
    named: bool,
}

/// What is going on in one session.
#[derive(Debug)]
pub(crate) struct SessionState {
    id: SessionId,
    lane: LaneKey,
    pub(crate) inbox: Inbox,
    phase: Mutex<Phase>,
    turn_ended: Notify,
}

#[derive(Debug, Default)]
struct Phase {
    turn: Option<Running>,
    /// The turn whose events somebody is to read to the end; it may be over already.
    unread: Option<u64>,
    /// How many turns there have been.
    turns: u64,
    /// Fires for the permission requests that a cancel withdraws. One that has fired stays in place until the turn
    /// is over, so that requests which come late are withdrawn too.
    asks: CancellationToken,
}

#[derive(Debug, Default)]
struct Running {
    number: u64,
    cancelled: bool,
    /// Nobody holds the turn any more.
    abandoned: bool,
}

/// A turn of the session is running or not read to its end, and somebody holds it.
#[derive(Debug)]
pub(crate) struct Busy;

impl Sessions {
    /// The session that the agent speaks of; `None` when too many wait to be named.
    pub(crate) fn heard_of(&self, id: &SessionId) -> Option<Arc<SessionState>> {
        let mut known = self.known();
        if let Some(found) = known.get(id.as_str()) {
            return Some(Arc::clone(&found.state));
        }
        if known.values().filter(|session| !session.named).count() >= UNNAMED {
            return None;
        }
        Some(insert(&mut known, id, false))
    }

    /// The session that a request names or an answer has named, with the updates that came before.
    pub(crate) fn name(&self, id: &SessionId) -> Arc<SessionState> {
        let mut known = self.known();
        match known.get_mut(id.as_str()) {
            Some(found) => {
                found.named = true;
                Arc::clone(&found.state)
            }
            None => insert(&mut known, id, true),
        }
    }

    /// The token that withdraws a permission request of this session.
    pub(crate) fn asks(&self, id: &SessionId) -> CancellationToken {
        self.heard_of(id).map(|session| session.phase().asks.clone()).unwrap_or_default()
    }

    /// The connection is over.
    pub(crate) fn close(&self) {
        for session in self.known().values() {
            session.state.inbox.close();
        }
    }

    fn known(&self) -> MutexGuard<'_, HashMap<Arc<str>, Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn insert(known: &mut HashMap<Arc<str>, Known>, id: &SessionId, named: bool) -> Arc<SessionState> {
    let lane: LaneKey = Arc::from(id.as_str());
    let state = Arc::new(SessionState {
        id: id.clone(),
        lane: Arc::clone(&lane),
        inbox: Inbox::default(),
        phase: Mutex::default(),
        turn_ended: Notify::new(),
    });
    known.insert(lane, Known { state: Arc::clone(&state), named });
    state
}

impl SessionState {
    pub(crate) const fn id(&self) -> &SessionId {
        &self.id
    }

    pub(crate) fn lane(&self) -> LaneKey {
        Arc::clone(&self.lane)
    }

    /// Starts a turn and says which it is. One that was dropped unfinished is waited for first: what was sent to the
    /// agent to end it must not meet the new one.
    pub(crate) async fn begin_turn(&self) -> Result<u64, Busy> {
        loop {
            let ended = self.turn_ended.notified();
            tokio::pin!(ended);
            ended.as_mut().enable();
            let begun = self.phase().begin()?;
            match begun {
                Some(number) => return Ok(number),
                None => ended.await,
            }
        }
    }

    /// Cancels a turn, or whichever is running: once, and not when it is over. Has the open permission requests
    /// answered with `cancelled`, and until the turn is over those still to come.
    ///
    /// `send` runs under the lock, so that no other turn can begin before it: a cancel belongs to its turn and never
    /// touches the next one.
    pub(crate) fn cancel_turn<E>(
        &self,
        turn: Option<u64>,
        send: impl FnOnce() -> Result<(), E>,
    ) -> Result<(), E> {
        let mut phase = self.phase();
        let is_wanted = match &mut phase.turn {
            Some(running) if turn.is_none_or(|number| number == running.number) => {
                !std::mem::replace(&mut running.cancelled, true)
            }
            Some(_) => false,
            None => turn.is_none(),
        };
        if !is_wanted {
            return Ok(());
        }
        let sent = send();
        // After the notification, so that the agent learns why.
        phase.asks.cancel();
        if phase.turn.is_none() {
            phase.asks = CancellationToken::new();
        }
        sent
    }

    /// Somebody is going to read this turn's events.
    pub(crate) fn begin_reading(&self, number: u64) {
        self.phase().unread = Some(number);
        self.inbox.add_reader();
    }

    /// This turn has been read to its end, or nobody wants to: what is left and what comes is the session's.
    pub(crate) fn end_reading(&self, number: u64) {
        let mut phase = self.phase();
        if phase.unread != Some(number) {
            return;
        }
        phase.unread = None;
        drop(phase);
        self.inbox.remove_reader();
        self.inbox.wake();
    }

    /// Nobody waits for this turn any more. False when it is over.
    pub(crate) fn abandon_turn(&self, number: u64) -> bool {
        match &mut self.phase().turn {
            Some(running) if running.number == number => {
                running.abandoned = true;
                true
            }
            _ => false,
        }
    }

    pub(crate) fn end_turn(&self) {
        let mut phase = self.phase();
        phase.turn = None;
        if phase.asks.is_cancelled() {
            phase.asks = CancellationToken::new();
        }
        drop(phase);
        self.turn_ended.notify_waiters();
        self.inbox.wake();
    }

    /// Whether what comes is a turn's: one is running, or has not been read to its end.
    pub(crate) fn has_turn(&self) -> bool {
        let phase = self.phase();
        phase.turn.is_some() || phase.unread.is_some()
    }

    fn phase(&self) -> MutexGuard<'_, Phase> {
        self.phase.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Phase {
    /// The new turn's number; `None` when an abandoned one is still running.
    fn begin(&mut self) -> Result<Option<u64>, Busy> {
        match &self.turn {
            // It would take the other turn's events.
            None if self.unread.is_some() => Err(Busy),
            None => {
                self.turns += 1;
                self.turn = Some(Running { number: self.turns, cancelled: false, abandoned: false });
                Ok(Some(self.turns))
            }
            Some(running) if running.abandoned => Ok(None),
            Some(_) => Err(Busy),
        }
    }
}

/// Keeps the updates of a session coming: from before its id is sent to the agent until nobody holds it any more.
#[derive(Debug)]
pub(crate) struct Attached(Arc<SessionState>);

impl Attached {
    pub(crate) fn new(state: Arc<SessionState>) -> Self {
        state.inbox.attach();
        Self(state)
    }
}

impl std::ops::Deref for Attached {
    type Target = Arc<SessionState>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl Drop for Attached {
    fn drop(&mut self) {
        self.0.inbox.detach();
    }
}
