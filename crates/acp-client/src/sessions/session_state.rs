//! The state of one session: its turn, and requests that close it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use acp_rpc::LaneKey;
use acp_types::v1::SessionId;
use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

use crate::sessions::activity::Activity;
use crate::sessions::config::Config;
use crate::sessions::inbox::{Inbox, Unread};
use crate::sessions::roots::Roots;
use crate::sessions::states::States;
use crate::sessions::usage::UsageMeter;
use crate::wire::flow::Flow;
use crate::wire::loss::Reports;

/// A session, as long as somebody holds it or its turn runs.
#[derive(Debug)]
pub(crate) struct SessionState {
    id: SessionId,
    lane: LaneKey,
    pub(crate) inbox: Inbox,
    pub(crate) config: Config,
    pub(crate) usage: UsageMeter,
    pub(crate) activity: Activity,
    pub(crate) flow: Arc<Flow>,
    pub(crate) states: States,
    /// The losses that were reported of this session.
    pub(crate) reports: Reports,
    /// The directories, once the session is held.
    roots: Mutex<Option<Arc<Roots>>>,
    /// Fires when the session is closed, when nobody holds it any more, or when the connection
    /// ends.
    over: CancellationToken,
    phase: Mutex<Phase>,
    turn_ended: Notify,
}

#[derive(Debug)]
struct Phase {
    turn: Option<Running>,
    /// The turn whose events a reader wants to the end. It may be over already.
    unread: Option<u64>,
    /// The number of turns so far.
    turns: u64,
    /// Fires for the permission requests that a cancel withdraws. A fired token stays in place
    /// until the turn is over, so that late requests are withdrawn too.
    asks: CancellationToken,
    /// Fires when the connection is being closed. Its children withdraw the requests of one
    /// session.
    all_asks: CancellationToken,
    /// The number of requests under way that close the session.
    closings: usize,
    is_closed: bool,
}

#[derive(Debug)]
struct Running {
    number: u64,
    /// The time of the cancel.
    cancelled: Option<Instant>,
    /// True if nobody holds the turn any more.
    abandoned: bool,
}

/// The reason why no turn can begin.
#[derive(Debug)]
pub(crate) enum NoTurn {
    /// A turn is running or was not read to its end, and somebody holds it.
    Busy,
    /// The session is closed, or a request is under way that closes it.
    Closed,
    /// The turn before was cancelled, and the agent does not end it.
    Overdue,
}

enum Begun {
    /// The number of the new turn.
    Now(u64),
    /// The cancelled turn must end first. This is the time of its cancel.
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
            usage: UsageMeter::default(),
            activity: Activity::default(),
            flow: Arc::default(),
            states: States::default(),
            reports: Reports::default(),
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

    /// Fires when the session is closed, when nobody holds it any more, or when the connection
    /// ends.
    pub(crate) const fn over(&self) -> &CancellationToken {
        &self.over
    }

    /// Returns the token that withdraws a permission request which arrives now.
    pub(crate) fn asks(&self) -> CancellationToken {
        self.phase().asks.clone()
    }

    /// Starts a turn and returns its number. An unfinished turn that was dropped is waited for
    /// first, for `patience` after its cancel: messages that were meant to end it must not meet the
    /// new turn.
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

    /// Cancels this turn, or any that is running. It does so once, and not after the end of the
    /// turn. Open permission requests are answered with `cancelled`, and so are later ones until
    /// the turn is over.
    ///
    /// `send` runs under the lock, so that no other turn can begin before it. A cancel never
    /// touches the next turn.
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
        // After the notification, so that the agent knows why.
        phase.asks.cancel();
        phase.renew_asks();
        drop(phase);
        // The reader of the turn now has a deadline to wait for.
        self.inbox.wake();
        sent
    }

    /// Returns true until the agent has ended the last turn.
    pub(crate) fn runs_turn(&self) -> bool {
        self.phase().turn.is_some()
    }

    /// Returns true until the agent has ended this turn.
    pub(crate) fn is_running(&self, number: u64) -> bool {
        self.phase().turn.as_ref().is_some_and(|running| running.number == number)
    }

    /// Returns the time of this turn's cancel, while the turn is not over.
    pub(crate) fn cancelled(&self, number: u64) -> Option<Instant> {
        self.phase().turn.as_ref().filter(|running| running.number == number)?.cancelled
    }

    /// Returns true while this turn runs and nobody has cancelled it.
    pub(crate) fn goes_on(&self, number: u64) -> bool {
        let phase = self.phase();
        phase.turn.as_ref().is_some_and(|running| running.number == number && running.cancelled.is_none())
    }

    /// Registers a reader for this turn's events.
    pub(crate) fn begin_reading(&self, number: u64) {
        self.phase().unread = Some(number);
        self.inbox.add_reader();
    }

    /// Ends the reading of this turn. The remaining and the next events are the session's.
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

    /// Marks the turn as held by nobody. Returns false if it is over.
    pub(crate) fn abandon_turn(&self, number: u64) -> bool {
        match &mut self.phase().turn {
            Some(running) if running.number == number => {
                running.abandoned = true;
                true
            }
            _ => false,
        }
    }

    /// Ends the turn. Returns true if the session has been closed meanwhile.
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

    /// Returns true while events belong to a turn: one is running, or was not read to its end.
    pub(crate) fn has_turn(&self) -> bool {
        let phase = self.phase();
        phase.turn.is_some() || phase.unread.is_some()
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.phase().is_closed
    }

    /// Lets no turn begin while a request is under way that closes the session.
    pub(super) fn begin_closing(&self) {
        self.phase().closings += 1;
    }

    /// Answers the open permission requests with `cancelled`, and later ones too.
    pub(super) fn withdraw_asks(&self) {
        self.phase().asks.cancel();
    }

    /// Closes the session. Returns true if a turn runs: it is read to its end first, like a
    /// cancelled one.
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

    /// Ends a request that was to close the session.
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
            // The new turn would take the other turn's events.
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

    /// Allows permission requests again, unless a cancel or a closing still withdraws them.
    fn renew_asks(&mut self) {
        let cancelling = self.turn.as_ref().is_some_and(|running| running.cancelled.is_some());
        if self.asks.is_cancelled() && !cancelling && self.closings == 0 && !self.is_closed {
            self.asks = self.all_asks.child_token();
        }
    }
}

impl Running {
    /// Cancels the turn. Returns false if it was cancelled before.
    fn cancel(&mut self) -> bool {
        let is_first = self.cancelled.is_none();
        self.cancelled.get_or_insert_with(Instant::now);
        is_first
    }
}

/// Returns the end of the wait; `None` if there is none.
pub(crate) fn deadline(since: Instant, patience: Option<Duration>) -> Option<Instant> {
    since.checked_add(patience?)
}
