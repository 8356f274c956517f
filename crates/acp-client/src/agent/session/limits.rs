//! Limits of turns: a turn that goes beyond one of them is cancelled.

use std::time::Duration;

use acp_types::v1::ext::{self, Limit, SessionUsage};

/// Limits of a turn. A turn that goes beyond one of them is cancelled, and
/// [`Turn::finish`](crate::Turn::finish) fails with
/// [`Error::LimitReached`](crate::Error::LimitReached).
///
/// Nothing limits the time as a whole: an agent may work for hours. The limits are kept while the
/// turn is read.
///
/// ```
/// use std::time::Duration;
/// use acp_client::TurnLimits;
///
/// let limits = TurnLimits::new().cost(0.50, "USD").silence(Duration::from_secs(300));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TurnLimits {
    usage: ext::TurnLimits,
    silence: Option<Duration>,
}

impl TurnLimits {
    /// Sets no limits.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancels a turn that costs more than this. The agent reports costs in a currency that it
    /// chooses; costs in another one do not count.
    ///
    /// Agents report the sum of the session. If the session was loaded, resumed or forked, its
    /// first report of a currency includes earlier turns. That report is where the turn starts, and
    /// only the costs after it count. A [reconnecting](crate::ReconnectingAgent) agent resumes or
    /// loads its sessions when it is started again.
    #[must_use]
    pub fn cost(mut self, amount: f64, currency: impl Into<String>) -> Self {
        self.usage = self.usage.cost(amount, currency);
        self
    }

    /// Cancels a turn when the session as a whole has cost more than this.
    ///
    /// As a limit of the [connection](crate::Connect::turn_limits) it refuses later prompts: they
    /// are not sent. As a limit of one [turn](crate::Turn::limits) it is only that turn's.
    #[must_use]
    pub fn session_cost(mut self, amount: f64, currency: impl Into<String>) -> Self {
        self.usage = self.usage.session_cost(amount, currency);
        self
    }

    /// Cancels a turn when the session has used more tokens than this. It refuses later prompts as
    /// [`session_cost`](Self::session_cost) does.
    ///
    /// While a turn runs, agents report the tokens in the context. With the feature `unstable`, the
    /// tokens that they report at the end of turns count, too.
    #[must_use]
    pub fn tokens(mut self, tokens: u64) -> Self {
        self.usage = self.usage.tokens(tokens);
        self
    }

    /// Cancels a turn in which the agent sends nothing for this long. The time does not run while
    /// the agent waits for an answer of the client, such as a permission, or for a command in a
    /// terminal of the client: see [`Turn::idle_for`](crate::Turn::idle_for).
    #[must_use]
    pub const fn silence(mut self, silence: Duration) -> Self {
        self.silence = Some(silence);
        self
    }

    pub(crate) const fn silence_limit(&self) -> Option<Duration> {
        self.silence
    }

    /// Returns the limit that this usage is beyond.
    pub(crate) fn exceeded(&self, usage: &SessionUsage) -> Option<Limit> {
        self.usage.exceeded(usage)
    }

    /// Returns the limit that the session is beyond, whatever its next turn uses.
    pub(crate) fn exceeded_by_session(&self, usage: &SessionUsage) -> Option<Limit> {
        self.usage.exceeded_by_session(usage)
    }
}
