//! The tokens and costs of a turn, and their limits.

use std::sync::{Mutex, OnceLock, PoisonError};

use acp_types::v1::ext::{Limit, SessionUsage, Spent, TurnLimits};
use acp_types::v1::{SessionId, UsageUpdate};

use crate::error::{Error, Result};
use crate::turn::Turn;

/// The limits of one turn, and the one that it went beyond.
#[derive(Debug, Default)]
pub(super) struct Budget {
    limits: Mutex<TurnLimits>,
    reached: OnceLock<Limit>,
}

impl Budget {
    pub(super) fn new(limits: TurnLimits) -> Self {
        Budget { limits: Mutex::new(limits), reached: OnceLock::new() }
    }

    fn set(&self, limits: TurnLimits) {
        *self.limits.lock().unwrap_or_else(PoisonError::into_inner) = limits;
    }

    /// Notes the limit that this usage is beyond.
    fn check(&self, usage: &SessionUsage) {
        let exceeded = self.limits.lock().unwrap_or_else(PoisonError::into_inner).exceeded(usage);
        if let Some(limit) = exceeded {
            // The first one counts.
            let _ = self.reached.set(limit);
        }
    }

    /// Refuses a turn of a session that is beyond a limit already.
    pub(super) fn check_session(&self, session: &SessionId, usage: &SessionUsage) -> Result<()> {
        let limits = self.limits.lock().unwrap_or_else(PoisonError::into_inner);
        match limits.exceeded_by_session(usage) {
            Some(limit) => Err(Error::LimitReached { session: session.clone(), limit }),
            None => Ok(()),
        }
    }

    /// Returns the error of a turn that went beyond a limit.
    pub(super) fn error(&self, session: &SessionId) -> Option<Error> {
        let limit = self.reached.get()?;
        Some(Error::LimitReached { session: session.clone(), limit: limit.clone() })
    }
}

/// Tokens and costs.
impl Turn {
    /// Returns the tokens and costs of this turn so far. The sum of the session is in
    /// [`SessionUpdates::usage`](crate::SessionUpdates::usage).
    #[must_use]
    pub fn usage(&self) -> Spent {
        self.session_updates().usage().turn
    }

    /// Adds tokens and costs to the sums of the turn and its session, such as those of one call of
    /// a model. The client gets the session's new costs, once it knows the size of the context by
    /// [`report_usage`](Self::report_usage).
    ///
    /// ```
    /// # use acp_agent::types::UsageUpdate;
    /// # use acp_agent::{Result, Spent, Turn};
    /// # async fn called(turn: Turn) -> Result<()> {
    /// // The tokens in the context and its size, then the price of the call.
    /// turn.report_usage(UsageUpdate::new(12_000_u64, 200_000_u64)).await?;
    /// turn.spend(&Spent::tokens(11_500, 500).cost(0.04, "USD")).await
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::LimitReached`] if the turn is beyond one of its [limits](Self::limits) now; the
    /// errors of [`update`](Self::update).
    pub async fn spend(&self, spent: &Spent) -> Result<()> {
        self.check_open()?;
        let meter = self.session_updates().meter();
        meter.spend(spent);
        let mut last = Vec::new();
        while let Some(updates) = meter.changed_by(spent, &last) {
            for update in &updates {
                self.send_update(update.clone().into()).await?;
            }
            last = updates;
        }
        self.check_limits()
    }

    /// Reports how full the context window is, and what the session has cost. Without a cost it
    /// gets the sum of what was [spent](Self::spend); a cost replaces that sum.
    ///
    /// # Errors
    /// The errors of [`spend`](Self::spend).
    pub async fn report_usage(&self, usage: UsageUpdate) -> Result<()> {
        self.check_open()?;
        for update in self.session_updates().meter().report(usage) {
            self.send_update(update.into()).await?;
        }
        self.check_limits()
    }

    /// Sets the limits of this turn, in place of those of
    /// [`Serve::turn_limits`](crate::Serve::turn_limits). A turn that goes beyond one of them gets
    /// [`Error::LimitReached`] from [`spend`](Self::spend) or
    /// [`report_usage`](Self::report_usage), and from every later verb.
    #[must_use]
    pub fn limits(self, limits: TurnLimits) -> Self {
        self.budget().set(limits);
        self
    }

    /// Refuses to go on beyond a limit.
    pub(super) fn check_limits(&self) -> Result<()> {
        self.budget().check(&self.session_updates().usage());
        self.check_open()
    }
}
