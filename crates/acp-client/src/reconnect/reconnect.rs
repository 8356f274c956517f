//! A start that is repeated when the agent ends.

use std::fmt;
use std::future::IntoFuture;
use std::pin::Pin;
use std::time::Duration;

use super::plan::Plan;
use super::{ReconnectingAgent, Restart, supervisor};
use crate::{Agent, Connect, Error};

/// How long the sessions may take to be taken up again unless told otherwise: a load sends whole
/// conversations.
const RESTORE_TIMEOUT: Duration = Duration::from_secs(60);

/// An agent that is started again when it ends, with its sessions: await the result. `connect` says
/// how it is started, the first time and each time after.
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

/// An agent about to be started that is started again when it ends: await it.
///
/// # Errors
/// What [`Connect`] says: an agent that cannot be started the first time is not tried again.
#[must_use = "nothing is started until this is awaited"]
pub struct Reconnect {
    plan: Plan,
}

impl Reconnect {
    /// When it is started again, and how often. Default [`Restart::default`].
    pub fn restart(mut self, restart: Restart) -> Self {
        self.plan.restart = restart;
        self
    }

    /// How long the agent may take after a restart to take up all its sessions again, together.
    /// Those that are not there by then fail with [`Error::NotRestored`]. Default one minute.
    ///
    /// [`Connect::initialize_timeout`] is a limit of its own, for the start before it.
    pub const fn restore_timeout(mut self, timeout: Duration) -> Self {
        self.plan.restore_timeout = timeout;
        self
    }

    /// Runs whenever the agent has been started and initialized, before its sessions: a login, for
    /// instance. An error makes the start fail. There is no limit to its time.
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
