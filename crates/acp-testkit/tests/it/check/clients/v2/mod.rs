//! The checker of clients in version 2: correct clients pass, and each rule has a client that
//! breaks it and is caught.

mod mutants;

use std::time::Duration;

use acp_testkit::check::{Coverage, Report, Rule, Status, Version};

use super::client::Base;
use super::mutants::Mutant;
use super::{NONE, breaks_nothing, check_version, passes, table};
use crate::check::mutant::Fault;

async fn check(base: Base, fault: Fault, only: &[&str]) -> Report {
    check_version(Version::V2, base, fault, only, Duration::from_secs(5)).await
}

#[tokio::test(start_paused = true)]
async fn correct_clients_pass_and_every_rule_is_judged_for_one() {
    let full = check(Base::Full, NONE, &[]).await;
    assert!(breaks_nothing(&full), "{full}");
    assert_eq!(full.status(true), Status::Passed, "{full}");
    let plain = check(Base::Plain, NONE, &[]).await;
    assert!(breaks_nothing(&plain), "{plain}");
    let patient = check(Base::Patient, NONE, &[]).await;
    assert!(breaks_nothing(&patient), "{patient}");
    for outcome in full.outcomes() {
        let id = outcome.rule.id.as_str();
        let judged = [&full, &plain, &patient].into_iter().any(|report| passes(report, id));
        assert!(judged, "{id} is judged for no client: {}", outcome.verdict);
    }
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
    let also = |mutant: &Mutant| if mutant.rule.starts_with("v1-") { mutant.also_later } else { mutant.also };
    table::companions_are_named(mutants::all(), also, of).await;
}

#[test]
fn every_case_has_a_mutant_and_seven_of_ten_rules_a_case() {
    let coverage = Coverage::of_clients(Version::V2);
    table::every_case_has_one(&coverage, mutants::all(), |rule| rule.binds_client);
    for rule in &coverage.missing {
        assert!(rule.unchecked_of_clients.is_some(), "{} has no case and no reason", rule.id);
    }
    assert!(coverage.judged.iter().all(|rule| Rule::is_checkable_of_clients(rule)));
    let (judged, all) = (coverage.judged.len(), coverage.judged.len() + coverage.missing.len());
    assert!(judged * 10 >= all * 7, "{judged} of {all}");
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
