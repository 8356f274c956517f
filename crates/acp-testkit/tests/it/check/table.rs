//! Tables of mutants: each is caught by the case of its rule, and by no other that is not named.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use acp_testkit::check::{Coverage, Outcome, Report, Rule, Status, Verdict};

use super::mutant::Mutant;

/// The number of mutants of a table whose companions every test run looks at.
const SAMPLE: usize = 12;

/// The seed of the sample: 0, or `ACP_SEED`.
fn seed() -> u64 {
    let text = std::env::var("ACP_SEED").unwrap_or_else(|_| "0".to_owned());
    text.parse().expect("ACP_SEED must be a number")
}

/// Takes a part of a table by a seed, with `ACP_TESTS=full` all of it.
fn sample<T>(rows: impl IntoIterator<Item = T>, seed: u64) -> Vec<(usize, T)> {
    let mut rows: Vec<_> = rows.into_iter().enumerate().collect();
    if std::env::var_os("ACP_TESTS").is_none_or(|tests| tests != "full") {
        rows.sort_by_key(|(number, _)| {
            let mut hasher = DefaultHasher::new();
            (seed, *number as u64).hash(&mut hasher);
            hasher.finish()
        });
        rows.truncate(SAMPLE);
    }
    rows
}

/// Checks that the first of these correct programs passes, that no other breaks a rule, and that
/// each rule is judged for one of them or excused.
pub(super) fn correct_ones_pass(reports: &[Report], is_excused: impl Fn(&Outcome) -> bool) {
    assert_eq!(reports[0].status(true), Status::Passed, "{}", reports[0]);
    for report in reports {
        let fails = |outcome: &Outcome| matches!(outcome.verdict, Verdict::Fail(_));
        assert!(!report.outcomes().iter().any(fails), "{report}");
    }
    for outcome in reports[0].outcomes().iter().filter(|outcome| !is_excused(outcome)) {
        let id = outcome.rule.id.as_str();
        assert!(
            reports.iter().any(|report| passes(report, id)),
            "{id} is judged for none: {}",
            outcome.verdict
        );
    }
}

pub(super) fn passes(report: &Report, id: &str) -> bool {
    report.outcome(id).is_some_and(|outcome| outcome.verdict == Verdict::Pass)
}

/// Checks that each mutant is caught by the case of its rule, when that alone runs.
pub(super) async fn all_are_caught<B: 'static>(
    mutants: impl IntoIterator<Item = &'static Mutant<B>>,
    check: impl AsyncFn(&Mutant<B>, &[&str]) -> Report,
) {
    let mut free = Vec::new();
    for mutant in mutants {
        let report = check(mutant, &[mutant.rule]).await;
        let outcome = report.outcome(mutant.rule).unwrap_or_else(|| panic!("{} has no case", mutant.rule));
        match &outcome.verdict {
            Verdict::Fail(reason) => println!("{}: {reason}", mutant.rule),
            verdict => free.push(format!("{}: {verdict}", mutant.rule)),
        }
    }
    assert!(free.is_empty(), "not caught:\n{}", free.join("\n"));
}

/// Checks that each mutant breaks its rule and the others that its row names, and nothing else,
/// when all cases run. A test run looks at some, chosen by `ACP_SEED`, and with `ACP_TESTS=full` at
/// all.
///
/// The features decide which members a type knows, so the rows are for all of them.
#[cfg_attr(not(all(feature = "unstable", feature = "v2")), allow(dead_code, reason = "see above"))]
pub(super) async fn companions_are_named<B: 'static>(
    mutants: impl IntoIterator<Item = &'static Mutant<B>>,
    named: fn(&Mutant<B>) -> &'static [&'static str],
    check: impl AsyncFn(&Mutant<B>, &[&str]) -> Report,
) {
    let seed = seed();
    let mutants = sample(mutants, seed);
    let (mut wrong, mut alone, mut companions, count) = (Vec::new(), 0, 0, mutants.len());
    for (number, mutant) in mutants {
        let report = check(mutant, &[]).await;
        let fails = report.outcomes().iter().filter(|outcome| matches!(outcome.verdict, Verdict::Fail(_)));
        let seen: BTreeSet<&str> = fails.map(|outcome| outcome.rule.id.as_str()).collect();
        let own = named(mutant).iter().copied().chain([mutant.rule]).collect::<BTreeSet<_>>();
        let others = named(mutant).len();
        (alone, companions) = (alone + usize::from(others == 0), companions + others);
        if seen != own {
            let more: Vec<_> = seen.difference(&own).collect();
            let fewer: Vec<_> = own.difference(&seen).collect();
            wrong.push(format!("{number} {}: breaks {more:?} as well, and not {fewer:?}", mutant.rule));
        }
    }
    println!("of {count} mutants {alone} break one rule alone; the others break {companions} beside it");
    assert!(
        wrong.is_empty(),
        "{} of {count}, to see them again set ACP_SEED={seed}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// Checks that at least so many of ten rules are judged, and that the report of the coverage names
/// each other one with its reason.
pub(super) fn most_are_judged(coverage: &Coverage, of_ten: usize, reason: fn(&Rule) -> Option<&str>) {
    let text = coverage.to_string();
    for rule in &coverage.missing {
        let reason = reason(rule).unwrap_or_else(|| panic!("{} has no case and no reason", rule.id));
        assert!(text.contains(&format!("\n  {}: {reason}\n", rule.id)), "{text}");
    }
    let (judged, all) = (coverage.judged.len(), coverage.judged.len() + coverage.missing.len());
    assert!(judged * 10 >= all * of_ten, "{judged} of {all}");
}

/// Checks that the rules that are judged are those that mutants break. Prints the counts.
pub(super) fn every_case_has_one<B: 'static>(
    coverage: &Coverage,
    mutants: impl Iterator<Item = &'static Mutant<B>>,
    binds: fn(&Rule) -> bool,
) {
    let mutants: Vec<_> = mutants.collect();
    let rules = coverage.judged.iter().chain(&coverage.earlier);
    let judged: BTreeSet<&str> = rules.map(|rule| rule.id.as_str()).collect();
    let broken: BTreeSet<&str> = mutants.iter().map(|mutant| mutant.rule).collect();
    assert_eq!(judged, broken);
    assert!(broken.iter().all(|id| Rule::find(id).is_some_and(binds)));
    println!(
        "rules judged {} of {} and {} of an earlier version, active cases {}, mutants {}",
        coverage.judged.len(),
        coverage.judged.len() + coverage.missing.len(),
        coverage.earlier.len(),
        coverage.cases,
        mutants.len()
    );
}
