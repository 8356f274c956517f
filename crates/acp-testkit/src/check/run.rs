//! The run of a check: scenarios one after the other, then the passive rules over all of them.

use std::sync::Arc;

use serde_json::json;

use super::case::Case;
use super::cases;
use super::client;
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
        for case in cases::all() {
            if let Some(rule) = Rule::find(case.rule).filter(|rule| self.wants(rule)) {
                add(&mut outcomes, active(&mut tester, rule, case).await);
            }
        }
        let wanted: Vec<_> =
            passive::RULES.iter().copied().filter_map(Rule::find).filter(|rule| self.wants(rule)).collect();
        if !wanted.is_empty() {
            evidence(&mut tester).await;
        }
        tester.disconnect().await;
        let mut findings = passive::judge(&tester.recordings);
        for rule in wanted {
            add(&mut outcomes, judged(&tester, rule, findings.take(&rule.id)));
        }
        outcomes.sort_by_key(|outcome| Rule::all().iter().position(|rule| rule.id == outcome.rule.id));
        Report::new(self.target.words().to_vec(), outcomes)
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

/// Runs every prompt, for a client that offers everything and for one that offers nothing, and
/// lists sessions: what the agent says is looked at afterwards.
async fn evidence(tester: &mut Tester) {
    for capabilities in [client::everything(), json!({})] {
        tester.disconnect().await;
        // An agent that fails here has failed in scenarios, too.
        let _ = converse(tester, capabilities).await;
    }
}

async fn converse(tester: &mut Tester, capabilities: serde_json::Value) -> Step {
    tester.initialize(capabilities).await?;
    let session = tester.session().await?;
    for prompt in tester.prompts() {
        let id = tester.start(&session, &prompt).await?;
        tester.finish(&id).await?;
    }
    if tester.needs("sessionCapabilities.list").await.is_ok() {
        tester.call("session/list", json!({})).await?;
    }
    let nobody = tester.start("acp-check-none", "hello").await?;
    tester.finish(&nobody).await?;
    if tester.options.endless_prompt.is_some() {
        let endless = tester.endless()?;
        let turn = tester.start(&session, &endless).await?;
        tester.begun(&session).await?;
        tester.notify("session/cancel", json!({"sessionId": session})).await?;
        tester.finish(&turn).await?;
    }
    // What comes behind the answers.
    tester.fence().await?;
    tester.fence().await.map(drop)
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
