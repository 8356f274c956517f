//! The run of a check: scenarios one after the other, then the passive rules over all of them.

use std::sync::Arc;

use serde_json::json;

use super::case::Case;
use super::options::Options;
use super::passive;
use super::report::Report;
use super::rules::Rule;
use super::target::Target;
use super::tester::{Step, Tester};
use super::verdict::{Outcome, Stop, Verdict};
use crate::peer::Line;

/// The most lines that a failure of a scenario shows.
const SHOWN: usize = 12;

/// The number of starts without success after which the rest is not tried.
const STARTS: usize = 3;

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
        let mut tester = Tester::new(Arc::clone(&self.target), Arc::clone(&self.options));
        let mut outcomes: Vec<Outcome> = Vec::new();
        let version = self.options.version;
        if let Err(stop) = version.probe(&mut tester).await {
            tester.disconnect().await;
            return self.open(&stop.reason());
        }
        for case in version.cases() {
            if let Some(rule) = Rule::find(case.rule).filter(|rule| self.wants(rule)) {
                add(&mut outcomes, active(&mut tester, rule, case).await);
            }
        }
        let wanted: Vec<_> =
            version.passive().into_iter().filter_map(Rule::find).filter(|rule| self.wants(rule)).collect();
        if !wanted.is_empty() {
            version.evidence(&mut tester).await;
        }
        tester.disconnect().await;
        let mut findings = version.judge(&tester.recordings);
        for rule in wanted {
            add(&mut outcomes, judged(&tester, rule, findings.take(&rule.id)));
        }
        self.report(outcomes)
    }

    /// Returns a report in which every rule is open, for this reason.
    fn open(&self, reason: &str) -> Report {
        let version = self.options.version;
        let active = version.cases().into_iter().map(|case| case.rule);
        let mut outcomes = Vec::new();
        for rule in active.chain(version.passive()).filter_map(Rule::find).filter(|rule| self.wants(rule)) {
            let verdict = Verdict::Inconclusive(reason.to_owned());
            let scenario = "`initialize`".to_owned();
            add(&mut outcomes, Outcome { rule, verdict, scenario, lines: Vec::new() });
        }
        self.report(outcomes)
    }

    fn report(&self, mut outcomes: Vec<Outcome>) -> Report {
        outcomes.sort_by_key(|outcome| Rule::all().iter().position(|rule| rule.id == outcome.rule.id));
        Report::new(self.options.version, self.target.words().to_vec(), outcomes)
    }

    fn wants(&self, rule: &Rule) -> bool {
        self.options.only.is_empty() || self.options.only.contains(&rule.id)
    }
}

fn add(outcomes: &mut Vec<Outcome>, outcome: Outcome) {
    match outcomes.iter_mut().find(|other| other.rule.id == outcome.rule.id) {
        Some(other) => other.merge(outcome),
        None => outcomes.push(outcome),
    }
}

/// Runs one scenario.
async fn active(tester: &mut Tester, rule: &'static Rule, case: &Case) -> Outcome {
    if case.fresh {
        tester.disconnect().await;
    }
    let outcome = |verdict, lines| Outcome { rule, verdict, scenario: case.title.to_owned(), lines };
    if tester.failed_starts >= STARTS {
        let reason = "the agent has not initialized several times".to_owned();
        return outcome(Verdict::Inconclusive(reason), Vec::new());
    }
    let start = tester.lines().len();
    let ended = (case.scenario)(tester).await;
    let (verdict, restart) = verdict(tester, case, ended).await;
    let lines = match verdict {
        Verdict::Fail(_) | Verdict::Inconclusive(_) => last_lines(tester.lines(), start),
        _ => Vec::new(),
    };
    if restart || case.fresh {
        tester.disconnect().await;
    }
    outcome(verdict, lines)
}

/// Returns the verdict, and whether the connection cannot be used any more.
async fn verdict(tester: &mut Tester, case: &Case, ended: Step) -> (Verdict, bool) {
    match ended {
        Ok(()) => (Verdict::Pass, false),
        // What the agent still says about it must not disturb the next scenario.
        Err(Stop::Fail(reason)) => (Verdict::Fail(reason), true),
        Err(Stop::NotApplicable(reason)) => (Verdict::NotApplicable(reason), false),
        Err(Stop::Inconclusive(reason)) => (Verdict::Inconclusive(reason), true),
        Err(Stop::Gone(reason)) if case.survives => (Verdict::Fail(reason), true),
        Err(Stop::Gone(reason)) => (Verdict::Inconclusive(reason), true),
        Err(Stop::Silent(reason)) => {
            // An agent that answers something else has not stopped: it owes the answer.
            let alive =
                tester.call("session/set_mode", json!({"sessionId": "acp-check-none", "modeId": "x"})).await;
            let verdict = if alive.is_ok() { Verdict::Fail(reason) } else { Verdict::Inconclusive(reason) };
            (verdict, true)
        }
    }
}

fn last_lines(lines: &[Line], start: usize) -> Vec<(usize, Line)> {
    let from = start.max(lines.len().saturating_sub(SHOWN));
    lines.iter().enumerate().skip(from).map(|(at, line)| (at + 1, line.clone())).collect()
}

fn judged(tester: &Tester, rule: &'static Rule, finding: passive::Finding) -> Outcome {
    let scenario = "every line of every scenario".to_owned();
    let Some(breach) = finding.breach else {
        let verdict = match finding.seen {
            0 => Verdict::NotApplicable("the agent has sent nothing that the rule is about".to_owned()),
            _ => Verdict::Pass,
        };
        return Outcome { rule, verdict, scenario, lines: Vec::new() };
    };
    let lines = tester.recordings.get(breach.recording).map_or(&[][..], |recording| &recording.lines);
    let lines = breach.lines.iter().filter_map(|at| Some((at + 1, lines.get(*at)?.clone()))).collect();
    Outcome { rule, verdict: Verdict::Fail(breach.reason), scenario, lines }
}
