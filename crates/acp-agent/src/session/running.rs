//! Turns while they run.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, Result};
use crate::session::Session;
use crate::store::Recorder;
use crate::turn::TurnScope;

/// A session's turn while it runs. Its drop ends the turn.
pub struct Running<S> {
    session: Session<S>,
    scope: Arc<TurnScope>,
    /// Set if it had to wait.
    waits: bool,
    /// Set once recording has begun.
    recorded: AtomicBool,
}

/// A turn's place in the queue of its session. Its drop ends the turn and makes room for the next
/// one.
pub(crate) struct Place<S> {
    session: Session<S>,
    scope: Arc<TurnScope>,
}

impl<S> Running<S> {
    pub(crate) const fn new(session: Session<S>, scope: Arc<TurnScope>, waits: bool) -> Self {
        Running { session, scope, waits, recorded: AtomicBool::new(false) }
    }

    pub(crate) const fn session(&self) -> &Session<S> {
        &self.session
    }

    pub(crate) const fn scope(&self) -> &Arc<TurnScope> {
        &self.scope
    }

    /// Returns the turn's place, which is held until the turn is answered.
    pub(crate) fn place(&self) -> Place<S> {
        Place { session: self.session.clone(), scope: Arc::clone(&self.scope) }
    }

    /// Waits for the turns before this one, begins to record it, and accepts it. Fails if one of
    /// them takes its message.
    pub(crate) async fn ready(&self) -> Result<()> {
        let (turns, turn) = (&self.session.entry.turns, &self.scope);
        loop {
            if turn.flow().has_joined() {
                return Err(Error::TurnOver);
            }
            let Some(answered) = turns.ahead_of(turn) else { break };
            let over = async {
                tokio::select! {
                    () = answered.cancelled() => {}
                    () = turn.answered.cancelled() => {}
                }
                Ok(())
            };
            turn.cancel.heeding(over).await?;
        }
        let inserts = turn.flow().inserts();
        if (self.waits || inserts) && turn.cancel.has_fired() {
            return Err(Error::Cancelled);
        }
        turn.begin_usage()?;
        if let Some(recorder) = self.session.updates().recorder() {
            self.recorded.store(true, Ordering::Release);
            recorder.begin_turn(turn.prompt(), turn.flow().message_id(), &turn.cancel).await?;
        }
        if inserts {
            turn.cancel.heeding(turn.flow().accepted(turn.prompt())).await?;
        }
        Ok(())
    }

    /// Ends the turn: no cancel reaches it and its handler sends nothing. Returns whether it was
    /// cancelled. The running entries of its plan are closed; they are completed if it `is_done`.
    pub(crate) fn end(&self, is_done: bool) -> bool {
        // A layer may have answered in the turn's place. Nothing follows its answer.
        let is_answered = self.scope.is_over();
        let cancelled = self.session.entry.turns.end(&self.scope);
        if !is_answered {
            self.scope.close_plan(is_done && !cancelled);
        }
        cancelled
    }

    /// Returns the recorder, once recording has begun.
    pub(crate) fn recorder(&self) -> Option<&Recorder> {
        self.session.updates().recorder().filter(|_| self.recorded.load(Ordering::Acquire))
    }
}

impl<S> fmt::Debug for Running<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running").field("session", &self.session).finish_non_exhaustive()
    }
}

impl<S> Drop for Running<S> {
    fn drop(&mut self) {
        let cancelled = self.end(false);
        self.scope.flow().dropped(cancelled);
        if let Some(recorder) = self.recorder() {
            recorder.end_turn();
        }
    }
}

impl<S> Drop for Place<S> {
    fn drop(&mut self) {
        // A layer may have answered in the turn's place, while its handler still exists.
        self.session.entry.turns.end(&self.scope);
        self.session.entry.turns.release(&self.scope);
    }
}
