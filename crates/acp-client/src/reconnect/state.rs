//! The state of an agent that is started again when it ends.

use crate::{Agent, Reason};

/// What becomes of an agent that is started again when it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AgentStatus {
    /// It runs.
    Connected,
    /// It has ended, and is being started again.
    Restarting {
        /// Which restart of the row this is, from 1.
        restart: u32,
    },
    /// It has ended, and is not started again.
    GivenUp,
    /// It was closed here.
    Closed,
}

/// What the task is at.
#[derive(Debug)]
pub(super) enum State {
    Up {
        agent: Agent,
        generation: u64,
    },
    /// Which restart of the row.
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
