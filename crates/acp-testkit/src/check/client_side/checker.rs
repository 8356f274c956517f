//! A check of one client.

use std::sync::Arc;

use super::options::ClientOptions;
use super::stage::Stage;
use super::start::target::ClientTarget;
use super::suite;
use crate::check::report::Report;
use crate::check::subject::Subject as _;

/// A check of one client.
#[derive(Debug)]
pub struct ClientChecker {
    target: Arc<ClientTarget>,
    options: Arc<ClientOptions>,
}

impl ClientChecker {
    /// Makes a check of a client.
    #[must_use]
    pub fn new(target: ClientTarget, options: ClientOptions) -> Self {
        Self { target: Arc::new(target), options: Arc::new(options) }
    }

    /// Runs all scenarios. The client is started as often as they need it. No process is left
    /// behind.
    pub async fn run(&self) -> Report {
        let mut stage = Stage::new(Arc::clone(&self.target), Arc::clone(&self.options));
        let version = self.options.version;
        let mut outcomes = suite::of_clients(version).run(&mut stage, &self.options.only).await;
        for never in &self.options.never {
            never.hold(&mut outcomes, stage.recordings());
        }
        let report = Report::new(version, "client", self.target.words().to_vec(), outcomes);
        report.shown(self.options.shown()).unreached_for(stage.never_greets())
    }
}
