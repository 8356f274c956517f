//! The checker of clients: correct clients pass, and each rule has a client that breaks it and is
//! caught.

mod client;
mod mutants;
mod starts;
#[cfg(unix)]
mod unreached;
#[cfg(feature = "v2")]
mod v2;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use acp_testkit::check::{
    ClientChecker, ClientOptions, ClientTarget, Coverage, Never, Report, Rule, Running, Verdict, Version,
};
use tokio::sync::{Notify, mpsc};

use self::client::{Base, Place};
use self::mutants::Mutant;
use self::starts::Starts;
use super::mutant::Fault;
use super::table;
use super::{NONE, VERSIONS};

/// Returns a client in memory, behind a relay that breaks it.
fn target(version: Version, base: Base, fault: Fault, folder: &Path) -> ClientTarget {
    let folder = folder.to_owned();
    ClientTarget::new(move |prompt| {
        let (running, cancel) = start(version, base, fault, &folder, prompt);
        Ok(running.on_cancel(move || cancel.notify_one()))
    })
}

/// Starts a client. It cancels its turn when it is notified.
fn start(version: Version, base: Base, fault: Fault, folder: &Path, prompt: &str) -> (Running, Arc<Notify>) {
    let (to, agents) = mpsc::unbounded_channel();
    let cancel = Arc::new(Notify::new());
    let (folder, prompt) = (folder.to_owned(), prompt.to_owned());
    let place = Place { version, base, folder, prompt, cancel: Arc::clone(&cancel) };
    tokio::spawn(client::run(place, Starts { to, fault, base }));
    (Running::new(agents), cancel)
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

#[tokio::test(start_paused = true)]
async fn correct_clients_pass_and_every_rule_is_judged_for_one() {
    let mut reports = Vec::new();
    for base in [Base::Full, Base::Plain, Base::Patient, Base::Taker] {
        reports.push(check(base, NONE, &[]).await);
    }
    // Those about terminals have a test of their own.
    table::correct_ones_pass(&reports, |of| of.rule.id.starts_with("v1-term-"));
}

#[tokio::test(start_paused = true)]
async fn a_client_that_never_cancels_is_not_judged_by_that() {
    for version in VERSIONS {
        let rule = if version == Version::V1 { "v1-cancel-09" } else { "v2-cancel-08" };
        let folder = tempfile::tempdir().unwrap();
        let mut options = ClientOptions::default();
        options.version = version;
        options.cwd = folder.path().to_owned();
        options.only = vec![rule.to_owned()];
        let check = async |never: &[Never]| {
            let mut options = options.clone();
            options.never = never.to_vec();
            let place = folder.path().to_owned();
            let target =
                ClientTarget::new(move |prompt| Ok(start(version, Base::Plain, NONE, &place, prompt).0));
            let report = ClientChecker::new(target, options).run().await;
            report.outcome(rule).unwrap().verdict.clone()
        };
        let open = Verdict::Inconclusive("nobody can make the client cancel its turn".to_owned());
        assert_eq!(check(&[]).await, open);
        let told =
            Verdict::NotApplicable("the client never cancels a turn, as the check was told".to_owned());
        assert_eq!(check(&[Never::Cancel]).await, told);
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
    assert!(rules.iter().all(|id| table::passes(&report, id)), "{report}");
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
    table::most_are_judged(&coverage, 9, |rule| rule.unchecked_of_clients.as_deref());
}
