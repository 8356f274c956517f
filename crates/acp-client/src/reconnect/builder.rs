//! The builder of an agent that is started again when it ends.

use std::fmt;
use std::future::IntoFuture;
use std::pin::Pin;
use std::time::Duration;

use super::plan::Plan;
use super::{ReconnectingAgent, Restart, supervisor};
use crate::{Agent, Connect, Error};

/// The default time in which all sessions must be taken up again. A load sends whole conversations.
const RESTORE_TIMEOUT: Duration = Duration::from_secs(60);

/// Builds an agent that is started again when it ends, with its sessions. Await the result.
/// `connect` starts it, the first time and each time after.
///
/// ```no_run
/// # async fn start(cwd: &std::path::Path) -> Result<(), acp_client::Error> {
/// use acp_client::{Command, Restart};
///
/// let agent = acp_client::reconnecting(|| acp_client::spawn(Command::new("my-agent")))
///     .restart(Restart::times(3))
///     .await?;
/// let session = agent.new_session(cwd).await?;
/// loop {
///     let turn = session.prompt("What changed today?").await?;
///     match turn.finish().await {
///         // It died in the middle of the turn. The next prompt waits until it is back.
///         Err(acp_client::Error::Closed { .. }) => continue,
///         done => return done.map(drop),
///     }
/// }
/// # }
/// ```
pub fn reconnecting(connect: impl Fn() -> Connect + Send + Sync + 'static) -> Reconnect {
    Reconnect {
        plan: Plan {
            connect: Box::new(connect),
            restart: Restart::default(),
            restore_timeout: RESTORE_TIMEOUT,
            prepare: None,
        },
    }
}

/// An agent about to be started that is started again when it ends. Await it.
///
/// # Errors
/// The errors of [`Connect`]. If the first start fails, it is not repeated.
#[must_use = "nothing is started until this is awaited"]
pub struct Reconnect {
    plan: Plan,
}

impl Reconnect {
    /// Sets the times and the number of restarts. The default is [`Restart::default`].
    ///
    /// An agent that refuses the credentials is not started again, and neither is one that
    /// [says that it is done](crate::CloseReason::Ended). Agents over the network say that, and
    /// processes do not: one that exits is started again, whatever its status.
    pub fn restart(mut self, restart: Restart) -> Self {
        self.plan.restart = restart;
        self
    }

    /// Limits the time after a restart in which the agent must take up all its sessions again.
    /// Sessions that are not there by then fail with [`Error::NotRestored`]. A session that is
    /// missing for a reason that may pass is asked for again when it is used, within the same time.
    /// The default is one minute.
    ///
    /// The start before it has its own limit, [`Connect::initialize_timeout`].
    pub const fn restore_timeout(mut self, timeout: Duration) -> Self {
        self.plan.restore_timeout = timeout;
        self
    }

    /// Runs `prepare` after each start and `initialize`, before the sessions: a login, for
    /// instance. An error makes the start fail. Its time is not limited.
    pub fn on_start<F>(mut self, prepare: impl Fn(Agent) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<(), Error>> + Send + 'static,
    {
        self.plan.prepare = Some(Box::new(move |agent| Box::pin(prepare(agent))));
        self
    }

    async fn start(self) -> Result<ReconnectingAgent, Error> {
        let agent = (self.plan.connect)().await?;
        self.plan.prepare(&agent).await?;
        Ok(supervisor::start(self.plan, agent))
    }
}

impl IntoFuture for Reconnect {
    type Output = Result<ReconnectingAgent, Error>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.start())
    }
}

impl fmt::Debug for Reconnect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reconnect")
            .field("restart", &self.plan.restart)
            .field("restore_timeout", &self.plan.restore_timeout)
            .finish_non_exhaustive()
    }
}
