//! A check of one agent.

use std::sync::Arc;

use super::options::Options;
use super::report::Report;
use super::subject::Subject as _;
use super::suite;
use super::target::Target;
use super::tester::Tester;
use super::verdict::Verdict;

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
        let mut outcomes = suite::of_agents(version).run(&mut tester, &self.options.only).await;
        for never in &self.options.never {
            never.hold(&mut outcomes, tester.recordings());
        }
        for outcome in &mut outcomes {
            let unseen = self.options.unseen.iter().find(|(id, _)| *id == outcome.rule.id);
            if let Some((_, reason)) = unseen {
                outcome.verdict = Verdict::NotApplicable((*reason).to_owned());
                outcome.lines.clear();
            }
        }
        let report = Report::new(version, "agent", self.target.words().to_vec(), outcomes);
        report.shown(self.options.shown()).unreached_for(tester.unreached())
    }
}
