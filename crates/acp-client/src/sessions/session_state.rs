//! What is going on in one session: its turn, and whether it is being closed.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use acp_rpc::LaneKey;
use acp_types::v1::SessionId;
use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

use crate::sessions::config::Config;
use crate::sessions::inbox::{Inbox, Unread};
use crate::sessions::roots::Roots;

/// A session, as long as somebody holds it or its turn runs.
#[derive(Debug)]
pub(crate) struct SessionState {
    id: SessionId,
    lane: LaneKey,
    pub(crate) inbox: Inbox,
    pub(crate) config: Config,
    /// Where it works, once it is held.
    roots: Mutex<Option<Arc<Roots>>>,
    /// Fires when it is closed, or nobody holds it, or the connection is over.
    over: CancellationToken,
    phase: Mutex<Phase>,
    turn_ended: Notify,
}

#[derive(Debug)]
struct Phase {
    turn: Option<Running>,
    /// The turn whose events somebody is to read to the end; it may be over already.
    unread: Option<u64>,
    /// How many turns there have been.
    turns: u64,
    /// Fires for the permission requests that a cancel withdraws. One that has fired stays in place until the turn
    /// is over, so that requests which come late are withdrawn too.
    asks: CancellationToken,
    /// Fires when the connection is being closed: its children withdraw the requests of a session.
    all_asks: CancellationToken,
    /// How many requests are under way that close the session.
    closings: usize,
    is_closed: bool,
}

#[derive(Debug)]
struct Running {
    number: u64,
    /// When the agent was told to stop.
    cancelled: Option<Instant>,
    /// Nobody holds the turn any more.
    abandoned: bool,
}

/// Why no turn can begin.
#[derive(Debug)]
pub(crate) enum NoTurn {
    /// A turn is running or not read to its end, and somebody holds it.
    Busy,
    /// The session is closed, or about to be.
    Closed,
    /// The turn before was cancelled, and the agent does not end it.
    Overdue,
}

enum Begun {
    /// The number of the new turn.
    Now(u64),
    /// Once the turn is over that was cancelled then.
    After(Instant),
}

impl SessionState {
    pub(crate) fn new(id: SessionId, all_asks: CancellationToken, unread: Arc<Unread>) -> Self {
        let lane = LaneKey::from(id.as_str());
        Self {
            id,
            lane,
            inbox: Inbox::new(unread),
            config: Config::default(),
            roots: Mutex::default(),
            over: CancellationToken::new(),
            phase: Mutex::new(Phase::new(all_asks)),
            turn_ended: Notify::new(),
        }
    }

    pub(crate) const fn id(&self) -> &SessionId {
        &self.id
    }

    pub(crate) fn lane(&self) -> LaneKey {
        Arc::clone(&self.lane)
    }

    pub(crate) fn roots(&self) -> Option<Arc<Roots>> {
        self.roots.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn set_roots(&self, roots: Arc<Roots>) {
        *self.roots.lock().unwrap_or_else(PoisonError::into_inner) = Some(roots);
    }

    /// Fires when it is closed, or nobody holds it, or the connection is over.
    pub(crate) const fn over(&self) -> &CancellationToken {
        &self.over
    }

    /// The token that withdraws a permission request that comes now.
    pub(crate) fn asks(&self) -> CancellationToken {
        self.phase().asks.clone()
    }

    /// Starts a turn and says which it is. One that was dropped unfinished is waited for first, as long after its
    /// cancel as `patience` says: what was sent to the agent to end it must not meet the new one.
    pub(crate) async fn begin_turn(&self, patience: Option<Duration>) -> Result<u64, NoTurn> {
        loop {
            let ended = self.turn_ended.notified();
            tokio::pin!(ended);
            ended.as_mut().enable();
            let begun = self.phase().begin()?;
            match begun {
                Begun::Now(number) => return Ok(number),
                Begun::After(cancelled) => match deadline(cancelled, patience) {
                    None => ended.await,
                    Some(deadline) => timeout_at(deadline, ended).await.map_err(|_| NoTurn::Overdue)?,
                },
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
            Some(running) if turn.is_none_or(|number| number == running.number) => running.cancel(),
            Some(_) => false,
            None => turn.is_none(),
        };
        if !is_wanted {
            return Ok(());
        }
        let sent = send();
        // After the notification, so that the agent learns why.
        phase.asks.cancel();
        phase.renew_asks();
        drop(phase);
        // The reader of the turn now has a deadline to wait for.
        self.inbox.wake();
        sent
    }

    /// When this turn was cancelled, if it was and is not over.
    pub(crate) fn cancelled(&self, number: u64) -> Option<Instant> {
        self.phase().turn.as_ref().filter(|running| running.number == number)?.cancelled
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

    /// The turn is over. True when the session has been closed meanwhile.
    pub(crate) fn end_turn(&self) -> bool {
        let mut phase = self.phase();
        phase.turn = None;
        phase.renew_asks();
        let is_closed = phase.is_closed;
        drop(phase);
        self.turn_ended.notify_waiters();
        self.inbox.wake();
        is_closed
    }

    /// Whether what comes is a turn's: one is running, or has not been read to its end.
    pub(crate) fn has_turn(&self) -> bool {
        let phase = self.phase();
        phase.turn.is_some() || phase.unread.is_some()
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.phase().is_closed
    }

    /// Lets no turn begin from now on: a request is under way that closes the session.
    pub(super) fn begin_closing(&self) {
        self.phase().closings += 1;
    }

    /// Has the open permission requests answered with `cancelled`, and those still to come.
    pub(super) fn withdraw_asks(&self) {
        self.phase().asks.cancel();
    }

    /// Closes the session. A turn that runs is heard to its end first, as one that was cancelled: then it returns true.
    pub(super) fn close(&self) -> bool {
        let mut phase = self.phase();
        phase.is_closed = true;
        let has_turn = match &mut phase.turn {
            Some(running) => {
                running.cancel();
                true
            }
            None => false,
        };
        drop(phase);
        self.inbox.wake();
        has_turn
    }

    /// Takes note that a request which closes the session has come to its end.
    pub(super) fn end_closing(&self) {
        let mut phase = self.phase();
        phase.closings -= 1;
        phase.renew_asks();
    }

    fn phase(&self) -> MutexGuard<'_, Phase> {
        self.phase.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Phase {
    fn new(all_asks: CancellationToken) -> Self {
        let asks = all_asks.child_token();
        Self { turn: None, unread: None, turns: 0, asks, all_asks, closings: 0, is_closed: false }
    }

    fn begin(&mut self) -> Result<Begun, NoTurn> {
        if self.is_closed || self.closings > 0 {
            return Err(NoTurn::Closed);
        }
        match &self.turn {
            // It would take the other turn's events.
            None if self.unread.is_some() => Err(NoTurn::Busy),
            None => {
                self.turns += 1;
                self.turn = Some(Running { number: self.turns, cancelled: None, abandoned: false });
                Ok(Begun::Now(self.turns))
            }
            Some(running) if running.abandoned => {
                Ok(Begun::After(running.cancelled.unwrap_or_else(Instant::now)))
            }
            Some(_) => Err(NoTurn::Busy),
        }
    }

    /// Lets permissions be asked for again, unless what withdrew them still goes on.
    fn renew_asks(&mut self) {
        let cancelling = self.turn.as_ref().is_some_and(|running| running.cancelled.is_some());
        if self.asks.is_cancelled() && !cancelling && self.closings == 0 && !self.is_closed {
            self.asks = self.all_asks.child_token();
        }
    }
}

impl Running {
    /// False if it was before.
    fn cancel(&mut self) -> bool {
        let is_first = self.cancelled.is_none();
        self.cancelled.get_or_insert_with(Instant::now);
        is_first
    }
}

/// The end of what is waited for; `None` for ever.
pub(crate) fn deadline(since: Instant, patience: Option<Duration>) -> Option<Instant> {
    since.checked_add(patience?)
}
