//! The checker of clients in version 2: correct clients pass, and each rule has a client that
//! breaks it and is caught.

mod mutants;

use std::time::Duration;

use acp_testkit::check::{Coverage, Report, Rule, Status, Version};

use super::client::Base;
use super::mutants::Mutant;
use super::{NONE, check_version, table};
use crate::check::mutant::Fault;

async fn check(base: Base, fault: Fault, only: &[&str]) -> Report {
    check_version(Version::V2, base, fault, only, Duration::from_secs(5)).await
}

#[tokio::test(start_paused = true)]
async fn correct_clients_pass_and_every_rule_is_judged_for_one() {
    let mut reports = Vec::new();
    for base in [Base::Full, Base::Plain, Base::Patient] {
        reports.push(check(base, NONE, &[]).await);
    }
    table::correct_ones_pass(&reports, |_| false);
}

async fn of(mutant: &Mutant, only: &[&str]) -> Report {
    check(mutant.base, mutant.fault, only).await
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
    let coverage = Coverage::of_clients(Version::V2);
    table::every_case_has_one(&coverage, mutants::all(), |rule| rule.binds_client);
    table::most_are_judged(&coverage, 7, |rule| rule.unchecked_of_clients.as_deref());
    assert!(coverage.judged.iter().all(|rule| Rule::is_checkable_of_clients(rule)));
}

#[tokio::test(start_paused = true)]
async fn a_client_of_version_1_leaves_every_rule_open() {
    let options =
        |version| check_version(version, Base::Plain, NONE, &["v2-init-01"], Duration::from_secs(5));
    let report = super::check_other(Version::V2, Version::V1, &["v2-init-01", "v1-tr-01"]).await;
    assert_eq!(report.status(true), Status::Inconclusive, "{report}");
    assert!(report.to_string().contains("does not ask for version 2, but for version 1"), "{report}");
    let report = options(Version::V2).await;
    assert_eq!(report.to_json()["protocol"], 2);
    assert_eq!(report.status(true), Status::Passed, "{report}");
}
