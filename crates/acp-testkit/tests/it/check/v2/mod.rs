//! The checker of version 2: correct agents pass, and each rule has an agent that breaks it and is
//! caught.

mod mutants;

use acp_testkit::check::{Coverage, Report, Status, Verdict, Version};

use super::mutant::{Base, Mutant};
use super::{NONE, check_version, table};

async fn check(base: Base, only: &[&str]) -> Report {
    check_version(Version::V2, base, NONE, only).await
}

#[tokio::test(start_paused = true)]
async fn correct_agents_pass_and_every_rule_is_judged_for_one() {
    let full = check(Base::Full, &[]).await;
    assert_eq!(full.status(true), Status::Passed, "{full}");
    let newer = check(Base::Newer, &["v2-err-03", "v2-init-03"]).await;
    assert_eq!(newer.status(true), Status::Passed, "{newer}");
    let locked = check(Base::Locked, &["v2-auth-01", "v2-auth-07"]).await;
    assert_eq!(locked.status(true), Status::Passed, "{locked}");
    let plain = check(Base::Plain, &[]).await;
    let broken = plain.outcomes().iter().filter(|outcome| matches!(outcome.verdict, Verdict::Fail(_)));
    assert_eq!(broken.count(), 0, "{plain}");
    for outcome in full.outcomes() {
        let id = &outcome.rule.id;
        let passes =
            |report: &Report| report.outcome(id).is_some_and(|outcome| outcome.verdict == Verdict::Pass);
        let judged = [&full, &newer, &locked, &plain].into_iter().any(passes);
        assert!(judged, "{id} is judged for no agent: {}", outcome.verdict);
    }
}

async fn of(mutant: &Mutant, only: &[&str]) -> Report {
    check_version(Version::V2, mutant.base, mutant.fault, only).await
}

#[tokio::test(start_paused = true)]
async fn every_mutant_is_caught_by_the_case_of_its_rule() {
    table::all_are_caught(mutants::all(), of).await;
}

#[cfg(all(feature = "unstable", feature = "v2"))]
#[tokio::test(start_paused = true)]
async fn a_mutant_breaks_its_rule_and_those_that_it_names() {
    let also = |mutant: &Mutant| if mutant.rule.starts_with("v1-") { mutant.also_later } else { mutant.also };
    table::companions_are_named(mutants::all(), also, of).await;
}

#[test]
fn every_case_has_a_mutant_and_seven_of_ten_rules_a_case() {
    let coverage = Coverage::of_agents(Version::V2);
    table::every_case_has_one(&coverage, mutants::all(), |rule| rule.binds_agent);
    for rule in &coverage.missing {
        assert!(rule.unchecked.is_some(), "{} has no case and no reason", rule.id);
    }
    let (judged, all) = (coverage.judged.len(), coverage.judged.len() + coverage.missing.len());
    assert!(judged * 10 >= all * 7, "{judged} of {all}");
}

#[tokio::test(start_paused = true)]
async fn the_report_names_the_version() {
    let report = check(Base::Plain, &["v2-rpc-06"]).await;
    assert_eq!(report.to_json()["protocol"], 2);
    assert_eq!(report.outcomes().len(), 1, "{report}");
}
