//! The state of an agent that is started again when it ends.

use crate::{Agent, Reason};

/// The status of an agent that is started again when it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AgentStatus {
    /// It runs.
    Connected,
    /// It has ended, and is being started again.
    Restarting {
        /// The number of this restart in its series, from 1.
        restart: u32,
    },
    /// It has ended, and is not started again.
    GivenUp,
    /// It was closed here.
    Closed,
}

/// The state of the task that restarts the agent.
#[derive(Debug)]
pub(super) enum State {
    Up {
        agent: Agent,
        generation: u64,
    },
    /// The number of this restart in its series.
    Restarting(u32),
    GivenUp {
        restarts: u32,
        reason: Reason,
    },
    Closed,
}

impl State {
    pub(super) const fn status(&self) -> AgentStatus {
        match self {
            Self::Up { .. } => AgentStatus::Connected,
            Self::Restarting(restart) => AgentStatus::Restarting { restart: *restart },
            Self::GivenUp { .. } => AgentStatus::GivenUp,
            Self::Closed => AgentStatus::Closed,
        }
    }
}
