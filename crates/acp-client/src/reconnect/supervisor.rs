//! The task that waits for the end of an agent and starts it again.

use std::io;
use std::sync::Arc;

use acp_rpc::CloseReason;
use acp_types::v1::InitializeRequest;
use tokio::sync::watch;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::entries::Entries;
use super::plan::Plan;
use super::state::State;
use super::{ReconnectingAgent, restore};
use crate::{Agent, Error, Reason};

/// Starts the supervision of a running agent.
pub(super) fn start(plan: Plan, agent: Agent) -> ReconnectingAgent {
    let (publish, state) = watch::channel(State::Up { agent: agent.clone(), generation: 0 });
    let entries = Arc::new(Entries::default());
    let closing = CancellationToken::new();
    let restore_timeout = plan.restore_timeout;
    let supervisor = Supervisor { plan, entries: Arc::clone(&entries), closing: closing.clone(), publish };
    tokio::spawn(supervisor.run(agent));
    ReconnectingAgent::new(state, entries, closing, restore_timeout)
}

struct Supervisor {
    plan: Plan,
    entries: Arc<Entries>,
    closing: CancellationToken,
    /// Only held here, so that waiters learn of a panic of the task.
    publish: watch::Sender<State>,
}

/// The reason why a start has no agent.
enum Stop {
    /// This start failed.
    Failed(Error),
    /// The agent is being closed.
    Closing,
}

impl Supervisor {
    async fn run(self, first: Agent) {
        let last = self.keep_up(first).await;
        self.publish.send_replace(last);
    }

    /// Keeps the agent running. Returns the final state.
    async fn keep_up(&self, mut agent: Agent) -> State {
        let mut restarts = 0;
        loop {
            let since = Instant::now();
            let reason = tokio::select! {
                biased;
                () = self.closing.cancelled() => {
                    agent.close().await;
                    return State::Closed;
                }
                reason = agent.wait() => reason,
            };
            if self.plan.restart.is_stable(since.elapsed()) {
                restarts = 0;
            }
            agent = match self.bring_back(&mut restarts, &reason).await {
                Ok(agent) => agent,
                Err(end) => return end,
            };
        }
    }

    async fn bring_back(&self, restarts: &mut u32, why: &CloseReason) -> Result<Agent, State> {
        let mut reason = Reason::from(why.to_string());
        if is_denied(why) || matches!(why, CloseReason::Ended) {
            return Err(State::GivenUp { restarts: *restarts, reason });
        }
        loop {
            let restart = restarts.saturating_add(1);
            let Some(delay) = self.plan.restart.delay(restart) else {
                return Err(State::GivenUp { restarts: *restarts, reason });
            };
            *restarts = restart;
            self.publish.send_replace(State::Restarting(restart));
            tokio::select! {
                biased;
                () = self.closing.cancelled() => return Err(State::Closed),
                () = sleep(delay) => {}
            }
            match self.start_again().await {
                Ok((agent, generation)) => {
                    self.publish.send_replace(State::Up { agent: agent.clone(), generation });
                    return Ok(agent);
                }
                Err(Stop::Failed(error)) => {
                    reason = Reason::from(&error);
                    if denies(&error) {
                        return Err(State::GivenUp { restarts: *restarts, reason });
                    }
                }
                Err(Stop::Closing) => return Err(State::Closed),
            }
        }
    }

    /// Starts the agent once. If that fails, nothing of it is left.
    async fn start_again(&self) -> Result<(Agent, u64), Stop> {
        let (generation, entries) = self.entries.next_generation();
        let mut connecting = self.unless_closing((self.plan.connect)().begin()).await?;
        let initialized = match self.unless_closing(connecting.initialize()).await {
            Ok(initialized) => initialized,
            Err(stop) => {
                let stop = match stop {
                    Stop::Failed(error) => Stop::Failed(connecting.explained(error)),
                    Stop::Closing => Stop::Closing,
                };
                connecting.end().await;
                return Err(stop);
            }
        };
        let agent = connecting.into_agent(initialized);
        let ready = self.unless_closing(async {
            self.plan.prepare(&agent).await?;
            restore::all(&agent, entries, self.plan.restore_timeout).await;
            if agent.peer().is_closed() {
                let reason = agent.wait().await;
                return Err(Error::Closed {
                    method: agent.method::<InitializeRequest>().to_owned(),
                    session: None,
                    reason,
                });
            }
            Ok(())
        });
        if let Err(stop) = ready.await {
            agent.close().await;
            return Err(stop);
        }
        Ok((agent, generation))
    }

    async fn unless_closing<T>(&self, step: impl Future<Output = Result<T, Error>>) -> Result<T, Stop> {
        tokio::select! {
            biased;
            () = self.closing.cancelled() => Err(Stop::Closing),
            done = step => Ok(done?),
        }
    }
}

/// Returns true if a start failed because the other side refuses the credentials. They would not
/// be accepted the next time either.
fn denies(error: &Error) -> bool {
    match error {
        Error::Connect { error } => error.kind() == io::ErrorKind::PermissionDenied,
        Error::Closed { reason, .. } | Error::NotAnAgent { reason, .. } => is_denied(reason),
        _ => false,
    }
}

fn is_denied(reason: &CloseReason) -> bool {
    matches!(reason, CloseReason::Io(error) if error.kind() == io::ErrorKind::PermissionDenied)
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}
