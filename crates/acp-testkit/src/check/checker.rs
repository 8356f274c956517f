//! A check of one agent.

use std::sync::Arc;

use super::options::Options;
use super::report::Report;
use super::suite;
use super::target::Target;
use super::tester::Tester;

/// A check of one agent.
#[derive(Debug)]
pub struct Checker {
    target: Arc<Target>,
    options: Arc<Options>,
}

impl Checker {
    /// Makes a check of an agent.
    #[must_use]
    pub fn new(target: Target, options: Options) -> Self {
        Self { target: Arc::new(target), options: Arc::new(options) }
    }

    /// Runs all scenarios. The agent is started as often as they need it. No process is left
    /// behind.
    pub async fn run(&self) -> Report {
        let version = self.options.version;
        let mut tester = Tester::new(Arc::clone(&self.target), Arc::clone(&self.options));
        let outcomes = suite::of_agents(version).run(&mut tester, &self.options.only).await;
        Report::new(version, "agent", self.target.words().to_vec(), outcomes).shown(self.options.shown())
    }
}
