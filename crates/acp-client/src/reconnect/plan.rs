//! The plan for every start of an agent.

use std::pin::Pin;
use std::time::Duration;

use super::Restart;
use crate::{Agent, Connect, Error};

pub(super) type Factory = Box<dyn Fn() -> Connect + Send + Sync>;
pub(super) type Prepared = Pin<Box<dyn Future<Output = Result<(), Error>> + Send>>;
pub(super) type Prepare = Box<dyn Fn(Agent) -> Prepared + Send + Sync>;

/// The plan for every start of an agent.
pub(super) struct Plan {
    pub(super) connect: Factory,
    pub(super) restart: Restart,
    pub(super) restore_timeout: Duration,
    pub(super) prepare: Option<Prepare>,
}

impl Plan {
    pub(super) async fn prepare(&self, agent: &Agent) -> Result<(), Error> {
        match &self.prepare {
            Some(prepare) => prepare(agent.clone()).await,
            None => Ok(()),
        }
    }
}
