//! The checker of version 2: correct agents pass, and each rule has an agent that breaks it and is
//! caught.

mod mutants;

use acp_testkit::check::{Coverage, Report, Status, Version};

use super::mutant::{Base, Mutant};
use super::{NONE, check_version, table};

async fn check(base: Base, only: &[&str]) -> Report {
    check_version(Version::V2, base, NONE, only).await
}

#[tokio::test(start_paused = true)]
async fn correct_agents_pass_and_every_rule_is_judged_for_one() {
    let newer = check(Base::Newer, &["v2-err-03", "v2-init-03"]).await;
    assert_eq!(newer.status(true), Status::Passed, "{newer}");
    let locked = check(Base::Locked, &["v2-auth-01", "v2-auth-07"]).await;
    assert_eq!(locked.status(true), Status::Passed, "{locked}");
    let (full, plain) = (check(Base::Full, &[]).await, check(Base::Plain, &[]).await);
    table::correct_ones_pass(&[full, newer, locked, plain], |_| false);
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
    table::companions_are_named(mutants::all(), Mutant::also_in_v2, of).await;
}

#[test]
fn every_case_has_a_mutant_and_seven_of_ten_rules_a_case() {
    let coverage = Coverage::of_agents(Version::V2);
    table::every_case_has_one(&coverage, mutants::all(), |rule| rule.binds_agent);
    table::most_are_judged(&coverage, 7, |rule| rule.unchecked.as_deref());
}

#[tokio::test(start_paused = true)]
async fn the_report_names_the_version() {
    let report = check(Base::Plain, &["v2-rpc-06"]).await;
    assert_eq!(report.to_json()["protocol"], 2);
    assert_eq!(report.outcomes().len(), 1, "{report}");
}
