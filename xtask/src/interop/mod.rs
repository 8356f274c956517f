//! `cargo xtask interop`: our client and agents against other implementations of the protocol.
//!
//! Each case starts real processes: `acp prompt` with an agent built on another SDK, or another
//! SDK's client with `echo_agent` or `coding_agent`; with MCP over ACP, one end of ours that
//! provides or calls MCP servers. A recorder (`tap`) sits between the two and keeps every line, so
//! a case is judged by what went over the wire as well as by what the other SDK made of it.
//!
//! `conformance` runs the public conformance tool of MCP against a program built on acp-mcp instead
//! (`conformance.rs`), `mcp` that program with real MCP servers (`mcp/`), and `remote` clients and
//! servers over WebSocket and HTTP (`remote/`).
//!
//! Real agents come from a folder of recipes outside the project (`recipes.rs`); `probes.rs` says
//! what is tried with each.

mod agent_cases;
mod baseline;
mod between;
pub(crate) mod case;
mod chain_cases;
mod client_cases;
mod conformance;
mod conformance_tally;
#[cfg(test)]
mod conformance_tests;
mod control_cases;
mod http_messages;
pub(crate) mod install;
pub(crate) mod layout;
mod matrix;
mod mcp;
mod options;
mod over_acp_cases;
pub(crate) mod print;
mod probe_v2;
mod probes;
pub(crate) mod process;
#[cfg(all(test, unix))]
mod process_tests;
pub(crate) mod recipes;
mod remote;
mod report;
#[cfg(test)]
mod report_tests;
mod results;
mod schema;
#[cfg(test)]
mod schema_tests;
mod seen;
mod selection;
mod serving;
pub(crate) mod table;
mod tap;
mod version_cases;
mod version_checks;
mod wire;
#[cfg(test)]
mod wire_tests;
mod wire_v2;

use std::collections::{BTreeSet, HashMap};
use std::time::Instant;

use anyhow::{Context as _, bail};

use self::case::{Case, Pairing, Peer};
use self::layout::Layout;
use self::matrix::{Column, Tried};
use self::options::{HELP, Options};
use self::print::print;
use self::probes::Found;
use self::recipes::Recipes;

/// Runs `cargo xtask interop` with the arguments after `interop`.
///
/// # Errors
///
/// When a case fails, our binaries do not build, or `--only` matches nothing.
pub fn run(args: &[String]) -> anyhow::Result<()> {
    if let [first, rest @ ..] = args
        && first == tap::COMMAND
    {
        return tap::run(rest);
    }
    if let [first, rest @ ..] = args
        && first == conformance::COMMAND
    {
        return conformance::run(rest);
    }
    if let [first, rest @ ..] = args
        && first == mcp::COMMAND
    {
        return mcp::run(rest);
    }
    if let [first, rest @ ..] = args
        && first == remote::COMMAND
    {
        return remote::run(rest);
    }
    let options = Options::parse(args)?;
    if options.help {
        return print(HELP);
    }
    let cases = selected(&options);
    if options.list {
        cases.iter().try_for_each(|case| print(&case.to_string()))?;
        return selected_agents(&options).try_for_each(|agent| print(&real_agent(agent)));
    }
    let layout = Layout::find()?;
    let recipes = Recipes::find(&layout)?;
    let agents: Vec<&str> = selected_agents(&options).filter(|_| recipes.is_some()).collect();
    if cases.is_empty() && agents.is_empty() {
        bail!("no case matches; `cargo xtask interop --list` shows them");
    }
    let (tally, tallies) = run_cases(&cases, &options, &layout)?;
    let columns = match &recipes {
        Some(recipes) => run_agents(recipes, &agents, &layout)?,
        None => Vec::new(),
    };
    if options.selection.write {
        report::update(layout.root(), |results| {
            columns.iter().map(results::Agent::new).for_each(|agent| results.add_agent(agent));
            let is_whole = options.selection.is_whole();
            tallies.into_iter().for_each(|tally| results.add_tally(tally, is_whole));
        })?;
    }
    print(&tally.to_string())?;
    let failed = tally.failed + columns.iter().map(Column::failures).sum::<usize>();
    if failed > 0 {
        bail!("{failed} interop case(s) failed; what went over the wire is in .interop/logs");
    }
    Ok(())
}

fn selected_agents(options: &Options) -> impl Iterator<Item = &'static str> {
    recipes::AGENTS.into_iter().filter(|agent| options.selection.wants(&real_agent(agent)))
}

fn real_agent(name: &str) -> String {
    format!("{name:<18}  real agent <- acp")
}

fn run_agents(recipes: &Recipes, agents: &[&'static str], layout: &Layout) -> anyhow::Result<Vec<Column>> {
    if !agents.is_empty() {
        install::our_binaries(&BTreeSet::from(["acp", "tool_proxy"]), layout)
            .context("our own programs do not build")?;
        install::versions(layout).context("our own programs for both versions do not build")?;
    }
    let mut columns = Vec::new();
    for agent in agents {
        let column = matrix::run(recipes, agent, layout, |feature, found| {
            let (word, remark) = match found {
                Found::Works(how) => ("ok  ", (*how).to_owned()),
                Found::NotOffered(instead) => ("none", (*instead).to_owned()),
                Found::Failed(why) => ("FAIL", why.clone()),
            };
            print(&format!("{word}  {}  {}: {remark}", real_agent(agent), feature.title()))
        })?;
        if let Tried::No(reason) = &column.tried {
            print(&format!("skip  {}: {reason}", real_agent(agent)))?;
        }
        columns.push(column);
    }
    Ok(columns)
}

fn selected(options: &Options) -> Vec<Case> {
    let mut cases = client_cases::all();
    cases.extend(agent_cases::all());
    cases.extend(over_acp_cases::all());
    cases.extend(version_cases::all());
    cases.extend(chain_cases::all());
    if options.controls {
        cases.extend(control_cases::all());
    }
    cases.retain(|case| options.selection.wants(&case.to_string()));
    cases
}

/// Runs the cases with other SDKs, and counts them, all together and by peer.
fn run_cases(
    cases: &[Case],
    options: &Options,
    layout: &Layout,
) -> anyhow::Result<(Tally, Vec<results::Tally>)> {
    let ours: BTreeSet<&str> = cases.iter().flat_map(Case::our_binaries).copied().collect();
    install::our_binaries(&ours, layout).context("our own binaries do not build")?;
    if cases.iter().any(|case| case.peer == Peer::TypeScriptMcp) {
        install::over_acp(layout).context("our own programs for MCP over ACP do not build")?;
    }
    if cases.iter().any(|case| matches!(case.pairing, Pairing::OurClientV2 | Pairing::OurAgentV2(_))) {
        install::versions(layout).context("our own programs for both versions do not build")?;
    }
    let mut unavailable: HashMap<Peer, Option<String>> = HashMap::new();
    let mut tally = Tally::default();
    let mut tallies: Vec<results::Tally> = Vec::new();
    for case in cases {
        let reason = unavailable
            .entry(case.peer)
            .or_insert_with(|| install::peer(case.peer, layout).err().map(|error| format!("{error:#}")));
        let started = Instant::now();
        let verdict = match reason {
            Some(reason) if options.require => Verdict::Failed(reason.clone()),
            Some(reason) => Verdict::Skipped(reason.clone()),
            None => match case.run(layout, options.keep_logs) {
                Ok(()) => Verdict::Passed,
                Err(error) => Verdict::Failed(format!("{error:#}")),
            },
        };
        tally.count(&verdict);
        add(&mut tallies, case, &verdict);
        print(&line(case, &verdict, started))?;
    }
    Ok((tally, tallies))
}

/// Counts a case among those of its peer and pairing, which come one after the other.
fn add(tallies: &mut Vec<results::Tally>, case: &Case, verdict: &Verdict) {
    let (peer, pairing) = (case.peer.name(), case.pairing.to_string());
    let is_new = tallies.last().is_none_or(|tally| tally.peer != peer || tally.pairing != pairing);
    if is_new {
        let (cases, not_tried) = (Vec::new(), None);
        tallies.push(results::Tally { peer: peer.to_owned(), pairing, cases, not_tried });
    }
    let Some(tally) = tallies.last_mut() else { return };
    match verdict {
        Verdict::Passed => tally.cases.push((case.name.to_owned(), None)),
        Verdict::Failed(reason) => tally.cases.push((case.name.to_owned(), Some(reason.clone()))),
        Verdict::Skipped(reason) => tally.not_tried = Some(reason.clone()),
    }
}

enum Verdict {
    Passed,
    Failed(String),
    Skipped(String),
}

#[derive(Default)]
struct Tally {
    passed: usize,
    failed: usize,
    skipped: usize,
}

impl Tally {
    fn count(&mut self, verdict: &Verdict) {
        match verdict {
            Verdict::Passed => self.passed += 1,
            Verdict::Failed(_) => self.failed += 1,
            Verdict::Skipped(_) => self.skipped += 1,
        }
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ok, {} failed, {} skipped", self.passed, self.failed, self.skipped)
    }
}

fn line(case: &Case, verdict: &Verdict, started: Instant) -> String {
    let seconds = started.elapsed().as_secs_f32();
    let (word, reason) = match verdict {
        Verdict::Passed => ("ok  ", None),
        Verdict::Failed(reason) => ("FAIL", Some(reason)),
        Verdict::Skipped(reason) => ("skip", Some(reason)),
    };
    let reason = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
    format!("{word}  {case}  ({seconds:.1} s){reason}")
}
