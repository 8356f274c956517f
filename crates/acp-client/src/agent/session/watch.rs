//! The watch over a turn that is read: its limits, and the agent's silence.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};

use crate::Limit;
use crate::agent::session::limits::TurnLimits;
use crate::sessions::session_state::SessionState;

/// The watch over one turn. A turn that ends, or that somebody has cancelled, reaches no limit.
#[derive(Debug)]
pub(super) struct Watch {
    turn: u64,
    limits: TurnLimits,
    /// The time since which the reader waits for an event.
    waits_since: Option<Instant>,
    /// Fires when the agent was silent for too long.
    silence: Option<Pin<Box<Sleep>>>,
    reached: Option<Limit>,
}

impl Watch {
    pub(super) const fn new(turn: u64, limits: TurnLimits) -> Self {
        Watch { turn, limits, waits_since: None, silence: None, reached: None }
    }

    pub(super) fn set_limits(&mut self, limits: TurnLimits) {
        self.limits = limits;
    }

    /// Returns the limit that the turn went beyond.
    pub(super) const fn reached(&self) -> Option<&Limit> {
        self.reached.as_ref()
    }

    /// Notes that the reader has got an event.
    pub(super) fn received(&mut self) {
        self.waits_since = None;
    }

    /// Returns the time for which the agent has been silent.
    pub(super) fn idle_for(&self, state: &SessionState) -> Duration {
        if state.inbox.has_unread() || state.activity.is_busy() {
            return Duration::ZERO;
        }
        self.idle_since(state).map_or(Duration::ZERO, |since| since.elapsed())
    }

    fn idle_since(&self, state: &SessionState) -> Option<Instant> {
        let since = self.waits_since?;
        Some(state.activity.since().map_or(since, |answered| answered.max(since)))
    }

    /// Returns the limit of tokens and costs that the turn has just gone beyond.
    pub(super) fn check_usage(&mut self, state: &SessionState) -> Option<Limit> {
        if self.reached.is_none() && state.goes_on(self.turn) {
            self.reached = state.usage.with(|usage| self.limits.exceeded(usage));
            return self.reached.clone();
        }
        None
    }

    /// Waits until the agent has been silent for too long, while the reader waits for an event.
    /// Returns the limit then.
    pub(super) fn poll_silence(&mut self, state: &SessionState, cx: &mut Context<'_>) -> Option<Limit> {
        self.waits_since.get_or_insert_with(Instant::now);
        let limit = self.limits.silence_limit().filter(|_| self.reached.is_none())?;
        if !state.goes_on(self.turn) {
            return None;
        }
        // The end of a request wakes the reader.
        if state.activity.is_busy() {
            self.silence = None;
            return None;
        }
        let deadline = self.idle_since(state)?.checked_add(limit)?;
        let sleep = self.silence.get_or_insert_with(|| Box::pin(sleep_until(deadline)));
        if sleep.deadline() != deadline {
            sleep.as_mut().reset(deadline);
        }
        match sleep.as_mut().poll(cx) {
            Poll::Pending => None,
            Poll::Ready(()) => {
                self.reached = Some(Limit::Silence(limit));
                self.reached.clone()
            }
        }
    }
}
