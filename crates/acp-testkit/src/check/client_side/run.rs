//! The run of a check of a client: an ordinary conversation, scenarios one after the other, then
//! the passive rules over all of them.

use std::sync::Arc;

use serde_json::json;

use super::agent::Agent;
use super::case::Case;
use super::cases;
use super::options::ClientOptions;
use super::passive;
use super::reach::Point;
use super::stage::Stage;
use super::start::target::ClientTarget;
use crate::check::report::Report;
use crate::check::rules::Rule;
use crate::check::tester::Step;
use crate::check::verdict::{Outcome, Stop, Verdict};
use crate::check::version::Version;
use crate::peer::Line;

/// The most lines that a failure of a scenario shows.
const SHOWN: usize = 12;

/// Cases whose scenarios make a client answer, and log in.
const SCENES: &[&str] = &[
    "v1-rpc-03",
    "v1-cap-07",
    "v1-fs-04",
    "v1-fs-06",
    "v1-term-04",
    "v1-eli-15",
    "v1-auth-02",
    "v1-cancel-03",
];

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
        let mut outcomes: Vec<Outcome> = Vec::new();
        ordinary(&mut stage).await;
        for case in cases::all() {
            if let Some(rule) = Rule::find(case.rule).filter(|rule| self.wants(rule)) {
                add(&mut outcomes, active(&mut stage, rule, case).await);
            }
        }
        let wanted: Vec<_> =
            passive::RULES.iter().copied().filter_map(Rule::find).filter(|rule| self.wants(rule)).collect();
        if !wanted.is_empty() {
            self.scenes(&mut stage).await;
            evidence(&mut stage).await;
        }
        stage.disconnect().await;
        let mut findings = passive::judge(&stage.recordings);
        for rule in wanted {
            add(&mut outcomes, judged(&stage, rule, findings.take(&rule.id)));
        }
        outcomes.sort_by_key(|outcome| Rule::all().iter().position(|rule| rule.id == outcome.rule.id));
        Report::new(Version::V1, self.target.words().to_vec(), outcomes).of_client(self.options.shown())
    }

    /// Plays the scenarios that rules over all lines need, unless they were played already.
    async fn scenes(&self, stage: &mut Stage) {
        let skipped = |case: &&Case| Rule::find(case.rule).is_some_and(|rule| !self.wants(rule));
        for case in cases::all().into_iter().filter(|case| SCENES.contains(&case.rule)).filter(skipped) {
            if let Some(rule) = Rule::find(case.rule) {
                active(stage, rule, case).await;
            }
        }
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

/// Lets the client go its own way with an agent that offers everything, and notes how far it comes.
async fn ordinary(stage: &mut Stage) {
    for point in [Point::Initialized, Point::Session, Point::Prompt] {
        let reason = match stage.reach(point).await {
            Ok(()) => continue,
            Err(Stop::Silent(reason) | Stop::Gone(reason) | Stop::Inconclusive(reason)) => reason,
            Err(Stop::Fail(reason) | Stop::NotApplicable(reason)) => reason,
        };
        stage.note_unreached(point, reason);
    }
    (stage.wants_more, stage.sets) = (stage.agent.is_used, stage.agent.is_set);
    stage.disconnect().await;
}

/// Runs one scenario.
async fn active(stage: &mut Stage, rule: &'static Rule, case: &Case) -> Outcome {
    if case.fresh {
        stage.disconnect().await;
    }
    let outcome = |verdict, lines| Outcome { rule, verdict, scenario: case.title.to_owned(), lines };
    if !stage.comes_to(Point::Initialized) && case.rule != "v1-tr-01" {
        let reason = "the client does not initialize an ordinary agent".to_owned();
        return outcome(Verdict::Inconclusive(reason), Vec::new());
    }
    let start = stage.lines().len();
    let ended = (case.scenario)(stage).await;
    let (verdict, mut restart) = verdict(stage, case, ended).await;
    // A question that is still open must not disturb the next scenario.
    restart |= matches!(verdict, Verdict::Inconclusive(_)) && stage.lines().len() > start;
    let lines = match verdict {
        Verdict::Fail(_) | Verdict::Inconclusive(_) => last_lines(stage.lines(), start),
        _ => Vec::new(),
    };
    if restart || case.fresh {
        stage.disconnect().await;
    }
    outcome(verdict, lines)
}

/// Returns the verdict, and whether the connection cannot be used any more.
async fn verdict(stage: &mut Stage, case: &Case, ended: Step) -> (Verdict, bool) {
    match ended {
        Ok(()) => (Verdict::Pass, false),
        // The rest of the client's words about it must not disturb the next scenario.
        Err(Stop::Fail(reason)) => (Verdict::Fail(reason), true),
        Err(Stop::NotApplicable(reason)) => (Verdict::NotApplicable(reason), false),
        Err(Stop::Inconclusive(reason)) => (Verdict::Inconclusive(reason), false),
        Err(Stop::Gone(reason)) if case.survives => (Verdict::Fail(reason), true),
        Err(Stop::Gone(reason)) => (Verdict::Inconclusive(reason), true),
        Err(Stop::Silent(reason)) => {
            // A client that answers something else has not stopped: it owes the message.
            let alive = stage.call("_acp_check/alive", json!({})).await;
            let verdict = if alive.is_ok() { Verdict::Fail(reason) } else { Verdict::Inconclusive(reason) };
            (verdict, true)
        }
    }
}

fn last_lines(lines: &[Line], start: usize) -> Vec<(usize, Line)> {
    // A connection of its own begins anew.
    let start = if start > lines.len() { 0 } else { start };
    let from = start.max(lines.len().saturating_sub(SHOWN));
    lines.iter().enumerate().skip(from).map(|(at, line)| (at + 1, line.clone())).collect()
}

/// Lets the client talk with agents of several kinds: its words are looked at afterwards.
async fn evidence(stage: &mut Stage) {
    for agent in [Agent::full(&stage.options.cwd), Agent::plain(&stage.options.cwd)] {
        stage.disconnect().await;
        stage.agent = agent;
        // A client that fails here has failed in scenarios, too.
        let _ = stage.ready().await;
        let _ = stage.finish("end_turn").await;
    }
    stage.disconnect().await;
    let _ = stage.cancelled().await;
    let _ = stage.finish("cancelled").await;
}

fn judged(stage: &Stage, rule: &'static Rule, finding: crate::check::passive::Finding) -> Outcome {
    let scenario = "every line of every scenario".to_owned();
    let Some(breach) = finding.breach else {
        let verdict = match finding.seen {
            0 => Verdict::NotApplicable("the client has sent nothing that the rule is about".to_owned()),
            _ => Verdict::Pass,
        };
        return Outcome { rule, verdict, scenario, lines: Vec::new() };
    };
    let lines = stage.recordings.get(breach.recording).map_or(&[][..], |recording| &recording.lines);
    let lines = breach.lines.iter().filter_map(|at| Some((at + 1, lines.get(*at)?.clone()))).collect();
    Outcome { rule, verdict: Verdict::Fail(breach.reason), scenario, lines }
}
