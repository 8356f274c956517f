//! The checker: correct agents pass, and each rule has an agent that breaks it and is caught.

mod agents;
mod clients;
mod mutant;
mod mutants;
mod observed;
#[cfg(unix)]
mod processes;
mod reports;
mod table;
#[cfg(feature = "v2")]
mod v2;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use acp_agent::store::MemoryStore;
#[cfg(feature = "v2")]
use acp_agent::types::ProtocolVersion;
use acp_agent::{Serve, Transport};
use acp_testkit::check::{Checker, Coverage, Never, Options, Report, Status, Target, Verdict, Version};
use acp_testkit::{Outbox, ScriptedPeer, Writer, relay};
use tokio::io::duplex;

use self::agents::{Full, Modal, Plain};
use self::mutant::{Base, Fault, Memory, Mutant};

/// The bytes that a stream in memory holds.
const ROOM: usize = 1024 * 1024;

/// Returns an agent in memory, behind a relay that breaks it.
fn target(base: Base, fault: Fault) -> Target {
    let store = MemoryStore::new(ROOM);
    Target::new(move || {
        let (client, to_client) = duplex(ROOM);
        let (agent, to_agent) = duplex(ROOM);
        let transport = Transport::from_stream(agent);
        match base {
            Base::Full => drop(tokio::spawn(Serve::new(Full(store.clone())).over(transport))),
            Base::Plain => drop(tokio::spawn(Serve::new(Plain).over(transport))),
            Base::Modal => drop(tokio::spawn(Serve::new(Modal).over(transport))),
            #[cfg(feature = "v2")]
            Base::Newer => {
                let serve = Serve::new(Full(store.clone())).versions([ProtocolVersion::V2]);
                drop(tokio::spawn(serve.over(transport)));
            }
            #[cfg(feature = "v2")]
            Base::Locked => drop(tokio::spawn(Serve::new(agents::Locked).over(transport))),
        }
        let memory = Arc::new(Mutex::new(Memory::default()));
        let filter = move |writer: Writer, line: &[u8], out: &mut Outbox| {
            let command = mutant::as_command(line);
            let line = command.as_deref().map_or(line, str::as_bytes);
            fault.filter(&mut memory.lock().unwrap(), writer, line, out);
        };
        tokio::spawn(relay(to_client, to_agent, filter));
        Ok(ScriptedPeer::from_stream(client))
    })
}

/// A fault that breaks nothing.
const NONE: Fault = Fault::Lose("nothing");

#[cfg(feature = "v2")]
const VERSIONS: [Version; 2] = [Version::V1, Version::V2];
#[cfg(not(feature = "v2"))]
const VERSIONS: [Version; 1] = [Version::V1];

fn options(version: Version, base: Base) -> Options {
    let mut options = Options::default();
    options.cwd = "/work".into();
    options.limit = Duration::from_secs(5);
    options.turn_limit = Duration::from_secs(20);
    options.version = version;
    options.prompt = "hello".to_owned();
    // The agents do themselves what this program would do.
    options.mcp_server = vec!["/acp-check/mcp-side".to_owned()];
    if !matches!(base, Base::Plain | Base::Modal) {
        options.endless_prompt = Some("endless".to_owned());
        options.permission_prompt = Some("permission".to_owned());
        options.more_prompts = ["show", "files", "terminals", "forms"].map(str::to_owned).into();
        options.login = Some("key".to_owned());
    }
    if version != Version::V1 {
        options.more_prompts.extend(["newer", "command", "fail"].map(str::to_owned));
    }
    options
}

async fn check(base: Base, fault: Fault, only: &[&str]) -> Report {
    check_version(Version::V1, base, fault, only).await
}

async fn check_version(version: Version, base: Base, fault: Fault, only: &[&str]) -> Report {
    let mut options = options(version, base);
    options.only = only.iter().map(|id| (*id).to_owned()).collect();
    Checker::new(target(base, fault), options).run().await
}

#[tokio::test(start_paused = true)]
async fn correct_agents_pass_and_every_rule_is_judged_for_one() {
    let mut reports = Vec::new();
    for base in [Base::Full, Base::Plain, Base::Modal] {
        reports.push(check(base, NONE, &[]).await);
    }
    // An agent with version 2, which is a feature of acp-agent, takes the newer shape as its own.
    let newer = Verdict::NotApplicable("the agent speaks version 2".to_owned());
    table::correct_ones_pass(&reports, |of| of.rule.id == "v1-init-09" && of.verdict == newer);
    // The plain agent has no turn that lasts, and nothing to ask for: some rules stay open.
    assert_eq!(reports[1].status(false), Status::Inconclusive, "{}", reports[1]);
}

#[tokio::test(start_paused = true)]
async fn rules_about_a_thing_that_an_agent_never_does_do_not_apply() {
    let never = [Never::Permission, Never::Endless];
    for version in VERSIONS {
        let mut options = options(version, Base::Plain);
        options.never = never.into();
        let report = Checker::new(target(Base::Plain, NONE), options.clone()).run().await;
        assert_eq!(report.status(true), Status::Passed, "{report}");
        let rule = if version == Version::V1 { "v1-perm-08" } else { "v2-perm-07" };
        let told = "the agent never asks for permission, as the check was told";
        assert_eq!(report.outcome(rule).unwrap().verdict, Verdict::NotApplicable(told.to_owned()));

        // An agent that asks after all has been misjudged.
        options.more_prompts = vec!["permission".to_owned()];
        options.only = vec![rule.to_owned(), "v1-rpc-01".to_owned()];
        let report = Checker::new(target(Base::Full, NONE), options).run().await;
        let seen =
            Verdict::Inconclusive("the check was told `never permission`, but that was seen".to_owned());
        assert_eq!(report.outcome(rule).unwrap().verdict, seen, "{report}");
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
    table::companions_are_named(mutants::all(), |mutant| mutant.also, of).await;
}

#[test]
fn every_case_has_a_mutant_and_every_rule_stands_in_the_book() {
    let coverage = Coverage::of_agents(Version::V1);
    assert!(coverage.earlier.is_empty());
    table::every_case_has_one(&coverage, mutants::all(), |rule| rule.binds_agent);
    table::most_are_judged(&coverage, 9, |rule| rule.unchecked.as_deref());
}
