//! The checker of clients: correct clients pass, and each rule has a client that breaks it and is
//! caught.

mod client;
mod mutants;
mod starts;
#[cfg(feature = "v2")]
mod v2;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use acp_testkit::check::{
    ClientChecker, ClientOptions, ClientTarget, Coverage, Report, Rule, Running, Status, Verdict, Version,
};
use tokio::sync::{Notify, mpsc};

use self::client::{Base, Place};
use self::mutants::Mutant;
use self::starts::Starts;
use super::NONE;
use super::mutant::Fault;
use super::table;

/// Returns a client in memory, behind a relay that breaks it.
fn target(version: Version, base: Base, fault: Fault, folder: &Path) -> ClientTarget {
    let folder = folder.to_owned();
    ClientTarget::new(move |prompt| {
        let (to, agents) = mpsc::unbounded_channel();
        let cancel = Arc::new(Notify::new());
        let (folder, prompt) = (folder.clone(), prompt.to_owned());
        let place = Place { version, base, folder, prompt, cancel: Arc::clone(&cancel) };
        tokio::spawn(client::run(place, Starts { to, fault, base }));
        Ok(Running::new(agents).on_cancel(move || cancel.notify_one()))
    })
}

async fn check_in(base: Base, fault: Fault, only: &[&str], limit: Duration) -> Report {
    check_version(Version::V1, base, fault, only, limit).await
}

/// Checks a client of one version by the rules of another.
#[cfg(feature = "v2")]
async fn check_other(rules: Version, client: Version, only: &[&str]) -> Report {
    let folder = tempfile::tempdir().unwrap();
    let mut options = ClientOptions::default();
    options.version = rules;
    options.cwd = folder.path().to_owned();
    options.only = only.iter().map(|id| (*id).to_owned()).collect();
    ClientChecker::new(target(client, Base::Plain, NONE, folder.path()), options).run().await
}

async fn check_version(version: Version, base: Base, fault: Fault, only: &[&str], limit: Duration) -> Report {
    let folder = tempfile::tempdir().unwrap();
    client::folders(folder.path());
    let mut options = ClientOptions::default();
    options.version = version;
    options.cwd = folder.path().to_owned();
    options.limit = limit;
    options.prompt = "hello".to_owned();
    options.only = only.iter().map(|id| (*id).to_owned()).collect();
    ClientChecker::new(target(version, base, fault, folder.path()), options).run().await
}

async fn check(base: Base, fault: Fault, only: &[&str]) -> Report {
    check_in(base, fault, only, Duration::from_secs(5)).await
}

fn passes(report: &Report, id: &str) -> bool {
    report.outcome(id).is_some_and(|outcome| outcome.verdict == Verdict::Pass)
}

fn breaks_nothing(report: &Report) -> bool {
    report.outcomes().iter().all(|outcome| !matches!(outcome.verdict, Verdict::Fail(_)))
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
    let taker = check(Base::Taker, NONE, &[]).await;
    assert!(breaks_nothing(&taker), "{taker}");
    for outcome in full.outcomes() {
        let id = outcome.rule.id.as_str();
        let judged = [&full, &plain, &patient, &taker].into_iter().any(|report| passes(report, id));
        assert!(judged || id.starts_with("v1-term-"), "{id} is judged for no client: {}", outcome.verdict);
    }
}

async fn of(mutant: &Mutant, only: &[&str]) -> Report {
    check(mutant.base, mutant.fault, only).await
}

/// Returns the mutants that run in memory.
fn in_memory() -> impl Iterator<Item = &'static Mutant> {
    mutants::all().filter(|mutant| mutant.base != Base::Machine)
}

#[tokio::test(start_paused = true)]
async fn every_mutant_is_caught_by_the_case_of_its_rule() {
    table::all_are_caught(in_memory(), of).await;
}

#[cfg(all(feature = "unstable", feature = "v2"))]
#[tokio::test(start_paused = true)]
async fn a_mutant_breaks_its_rule_and_those_that_it_names() {
    table::companions_are_named(in_memory(), |mutant| mutant.also, of).await;
}

/// Commands are processes, which know no paused clock. Nothing here waits for the limit.
#[cfg(unix)]
#[tokio::test]
async fn a_client_that_runs_commands_passes_and_its_mutants_are_caught() {
    let limit = Duration::from_secs(120);
    let machine = || mutants::all().filter(|mutant| mutant.base == Base::Machine);
    let rules: BTreeSet<&str> = machine().map(|mutant| mutant.rule).collect();
    let rules: Vec<&str> = rules.into_iter().collect();
    let report = check_in(Base::Machine, NONE, &rules, limit).await;
    assert!(rules.iter().all(|id| passes(&report, id)), "{report}");
    let of = async |mutant: &Mutant, only: &[&str]| check_in(Base::Machine, mutant.fault, only, limit).await;
    table::all_are_caught(machine(), of).await;
    // Scenarios of other rules would wait on the real clock.
    let of_commands = async |mutant: &Mutant, _: &[&str]| of(mutant, &rules).await;
    if cfg!(all(feature = "unstable", feature = "v2")) {
        table::companions_are_named(machine(), |mutant| mutant.also, of_commands).await;
    }
}

#[test]
fn every_case_has_a_mutant_and_nine_of_ten_rules_have_a_case() {
    let coverage = Coverage::of_clients(Version::V1);
    table::every_case_has_one(&coverage, mutants::all(), Rule::is_checkable_of_clients);
    let text = coverage.to_string();
    for rule in &coverage.missing {
        let reason = rule.unchecked_of_clients.as_deref().expect("a rule without a case has a reason");
        assert!(text.contains(&format!("\n  {}: {reason}\n", rule.id)), "{text}");
    }
    let (judged, missing) = (coverage.judged.len(), coverage.missing.len());
    assert!(judged * 10 >= (judged + missing) * 9, "{judged} of {}", judged + missing);
}
