//! The run of a suite: scenarios one after the other, then the passive rules over all of them.

use super::case::Case;
use super::passive::Finding;
use super::rules::Rule;
use super::subject::{Recording, Step, Subject};
use super::suite::Suite;
use super::verdict::{Outcome, Stop, Verdict};
use crate::peer::Line;

/// The most lines that a failure of a scenario shows.
const SHOWN: usize = 12;

impl<S: Subject> Suite<S> {
    /// Runs the scenarios of these rules, of all if there are none. Returns the outcomes in the
    /// order of the rule book.
    pub(super) async fn run(&self, subject: &mut S, only: &[String]) -> Vec<Outcome> {
        let wants = |rule: &&Rule| only.is_empty() || only.contains(&rule.id);
        let begun = (self.begin)(subject).await;
        let outcomes = match begun {
            Ok(()) => self.judge_all(subject, &wants).await,
            Err(stop) => self.open(&stop.reason(), &wants),
        };
        subject.disconnect().await;
        let mut merged: Vec<Outcome> = Vec::new();
        for outcome in outcomes {
            match merged.iter_mut().find(|other| other.rule.id == outcome.rule.id) {
                Some(other) => other.merge(outcome),
                None => merged.push(outcome),
            }
        }
        merged.sort_by_key(|outcome| Rule::all().iter().position(|rule| rule.id == outcome.rule.id));
        merged
    }

    async fn judge_all(&self, subject: &mut S, wants: &impl Fn(&&Rule) -> bool) -> Vec<Outcome> {
        let mut outcomes = Vec::new();
        for case in &self.cases {
            if let Some(rule) = Rule::find(case.rule).filter(wants) {
                outcomes.push(play(subject, rule, case).await);
            }
        }
        let passive = self.passive.iter().copied();
        let passive: Vec<&Rule> = passive.filter_map(Rule::find).filter(wants).collect();
        if passive.is_empty() {
            return outcomes;
        }
        for case in self.cases.iter().filter(|case| self.scenes.contains(&case.rule)) {
            if let Some(rule) = Rule::find(case.rule).filter(|rule| !wants(rule)) {
                play(subject, rule, case).await;
            }
        }
        // A side that fails here has failed in scenarios, too.
        let _ = (self.evidence)(subject).await;
        subject.disconnect().await;
        let mut findings = (self.judge)(subject.recordings());
        outcomes.extend(passive.into_iter().map(|rule| judged(subject, rule, findings.take(&rule.id))));
        outcomes
    }

    /// Returns outcomes in which every rule is open, for this reason.
    fn open(&self, reason: &str, wants: &impl Fn(&&Rule) -> bool) -> Vec<Outcome> {
        let active = self.cases.iter().map(|case| case.rule);
        let rules = active.chain(self.passive.iter().copied()).filter_map(Rule::find).filter(wants);
        let outcome = |rule| {
            let verdict = Verdict::Inconclusive(reason.to_owned());
            Outcome { rule, verdict, scenario: "`initialize`".to_owned(), lines: Vec::new() }
        };
        rules.map(outcome).collect()
    }
}

/// Plays one scenario.
async fn play<S: Subject>(subject: &mut S, rule: &'static Rule, case: &Case<S>) -> Outcome {
    if case.fresh {
        subject.disconnect().await;
    }
    let outcome = |verdict, lines| Outcome { rule, verdict, scenario: case.title.to_owned(), lines };
    if subject.is_lost(case.rule) {
        return outcome(Verdict::Inconclusive(S::LOST.to_owned()), Vec::new());
    }
    let (start, earlier) = (subject.lines().len(), subject.recordings().len());
    let ended = (case.scenario)(subject).await;
    let (verdict, mut restart) = verdict(subject, case, ended).await;
    // A connection of its own begins anew.
    let start = if subject.recordings().len() > earlier { 0 } else { start };
    // A question that is still open must not disturb the next scenario.
    restart |= matches!(verdict, Verdict::Inconclusive(_)) && subject.lines().len() > start;
    let lines = match verdict {
        Verdict::Fail(_) | Verdict::Inconclusive(_) => last_lines(subject.lines(), start),
        _ => Vec::new(),
    };
    if restart || case.fresh {
        subject.disconnect().await;
    }
    outcome(verdict, lines)
}

/// Returns the verdict, and whether the connection cannot be used any more.
async fn verdict<S: Subject>(subject: &mut S, case: &Case<S>, ended: Step) -> (Verdict, bool) {
    match ended {
        Ok(()) => (Verdict::Pass, false),
        // The rest of what is said about it must not disturb the next scenario.
        Err(Stop::Fail(reason)) => (Verdict::Fail(reason), true),
        Err(Stop::NotApplicable(reason)) => (Verdict::NotApplicable(reason), false),
        Err(Stop::Inconclusive(reason)) => (Verdict::Inconclusive(reason), false),
        Err(Stop::Gone(reason)) if case.survives => (Verdict::Fail(reason), true),
        Err(Stop::Gone(reason)) => (Verdict::Inconclusive(reason), true),
        // A side that answers something else has not stopped: it owes the message.
        Err(Stop::Silent(reason)) if subject.is_alive().await => (Verdict::Fail(reason), true),
        Err(Stop::Silent(reason)) => (Verdict::Inconclusive(reason), true),
    }
}

fn last_lines(lines: &[Line], start: usize) -> Vec<(usize, Line)> {
    let from = start.max(lines.len().saturating_sub(SHOWN));
    lines.iter().enumerate().skip(from).map(|(at, line)| (at + 1, line.clone())).collect()
}

fn judged<S: Subject>(subject: &S, rule: &'static Rule, finding: Finding) -> Outcome {
    let scenario = "every line of every scenario".to_owned();
    let Some(breach) = finding.breaches.into_iter().next() else {
        let verdict = match finding.seen {
            0 => Verdict::NotApplicable(format!("the {} has sent nothing that the rule is about", S::NAME)),
            _ => Verdict::Pass,
        };
        return Outcome { rule, verdict, scenario, lines: Vec::new() };
    };
    let recording: Option<&Recording> = subject.recordings().get(breach.recording);
    let lines = recording.map_or(&[][..], |recording| &recording.lines);
    let lines = breach.lines.iter().filter_map(|at| Some((at + 1, lines.get(*at)?.clone()))).collect();
    Outcome { rule, verdict: Verdict::Fail(breach.reason), scenario, lines }
}
