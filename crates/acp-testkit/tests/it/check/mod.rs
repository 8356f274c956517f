//! The checker: correct agents pass, and each rule has an agent that breaks it and is caught.

mod agents;
mod clients;
mod mutant;
mod mutants;
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
use acp_testkit::check::{Checker, Coverage, Options, Report, Status, Target, Verdict, Version};
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
    let full = check(Base::Full, NONE, &[]).await;
    assert_eq!(full.status(true), Status::Passed, "{full}");
    let plain = check(Base::Plain, NONE, &[]).await;
    let broken = plain.outcomes().iter().filter(|outcome| matches!(outcome.verdict, Verdict::Fail(_)));
    assert_eq!(broken.count(), 0, "{plain}");
    // The plain agent has no turn that lasts, and nothing to ask for: some rules stay open.
    assert_eq!(plain.status(false), Status::Inconclusive, "{plain}");
    let modal = check(Base::Modal, NONE, &[]).await;
    let broken = modal.outcomes().iter().filter(|outcome| matches!(outcome.verdict, Verdict::Fail(_)));
    assert_eq!(broken.count(), 0, "{modal}");
    for outcome in full.outcomes() {
        let id = &outcome.rule.id;
        // An agent with version 2, which is a feature of acp-agent, takes the newer shape as its
        // own.
        let newer = Verdict::NotApplicable("the agent speaks version 2".to_owned());
        if id == "v1-init-09" && outcome.verdict == newer {
            continue;
        }
        let passes =
            |report: &Report| report.outcome(id).is_some_and(|outcome| outcome.verdict == Verdict::Pass);
        let judged = [&full, &plain, &modal].into_iter().any(passes);
        assert!(judged, "{id} is judged for no agent: {}", outcome.verdict);
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
}
