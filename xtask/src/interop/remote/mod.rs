//! `cargo xtask interop remote`: clients and servers over WebSocket and HTTP, ours and those on the
//! official SDKs.
//!
//! Each client runs the same cases against each server (`pairs.rs`), with a recorder between them
//! that keeps the requests which the server refuses (`exchanges.rs`). Pairs without us show what
//! works without us. A page in a browser drives our server, too (`browser.rs`).

mod browser;
mod exchanges;
mod known;
mod page;
mod pairs;
mod peers;
#[cfg(test)]
mod remote_tests;

use std::collections::HashMap;
use std::time::Instant;

use anyhow::ensure;

use self::pairs::Outcome;
use self::peers::{SDKS, Sdk, WAYS, Way};
use super::layout::Layout;
use super::print::print;
use super::report;
use super::selection::Selection;

pub(super) const COMMAND: &str = "remote";

const HELP: &str = "\
cargo xtask interop remote [options]

Runs clients against servers over WebSocket and HTTP: ours, and those on the official SDKs. A page in Chromium drives our
server, too, if that is installed. What else is missing is installed from npm, PyPI and crates.io into the git-ignored
folder .interop. Servers listen on the loopback device only. A failure is one of a pair with us that is not known.

  --only <text>  run the pairs whose line contains the text (may be given more than once)
  --write        write what came of it to docs/INTEROP.md";

pub(super) fn run(args: &[String]) -> anyhow::Result<()> {
    let Some(selection) = Selection::parse(args, HELP)? else { return print(HELP) };
    let layout = Layout::find()?;
    let mut installed = HashMap::new();
    let mut outcomes = Vec::new();
    let mut wrong = Vec::new();
    for (client, server, way) in all().filter(|pair| selection.wants(&pairs::line(pair.0, pair.1, pair.2))) {
        let mut is_there = |sdk: Sdk| {
            let install = || sdk.install(&layout).map_err(|error| format!("{}: {error:#}", sdk.name()));
            installed.entry(sdk).or_insert_with(install).clone()
        };
        let line = pairs::line(client, server, way);
        if let Err(reason) = is_there(client).and_then(|()| is_there(server)) {
            print(&format!("skip  {line}: {reason}"))?;
            continue;
        }
        let started = Instant::now();
        let outcome = pairs::run(client, server, way, &layout)?;
        wrong.extend(told(&outcome, started)?);
        outcomes.push(outcome);
    }
    let in_browser =
        if selection.wants(browser::LINE) { browser::run(&layout)? } else { browser::Found::not_run() };
    wrong.extend(in_browser.told()?);
    if selection.write {
        let text = page::section(&outcomes, &in_browser);
        report::update(layout.root(), |results| results.remote = text)?;
    }
    let count = |ours| outcomes.iter().filter(|outcome| outcome.is_about_us() == ours).count();
    let whole = |ours| {
        let all = outcomes.iter().filter(|outcome| outcome.is_about_us() == ours);
        all.filter(|outcome| outcome.failures().next().is_none()).count()
    };
    print(&format!(
        "{} of {} pairs with us work whole, and {} of {} without us",
        whole(true),
        count(true),
        whole(false),
        count(false)
    ))?;
    ensure!(wrong.is_empty(), "not as expected:\n{}", wrong.join("\n"));
    Ok(())
}

/// All pairs: first those with us.
fn all() -> impl Iterator<Item = (Sdk, Sdk, Way)> {
    let pairs = |with_us: bool| {
        let clients = SDKS.into_iter();
        let pairs = clients.flat_map(|client| SDKS.into_iter().map(move |server| (client, server)));
        let pairs =
            pairs.filter(move |(client, server)| with_us == (*client == Sdk::Ours || *server == Sdk::Ours));
        pairs.flat_map(|(client, server)| WAYS.into_iter().map(move |way| (client, server, way)))
    };
    pairs(true).chain(pairs(false))
}

/// Prints what came of a pair, and returns what is not as expected.
fn told(outcome: &Outcome, started: Instant) -> anyhow::Result<Vec<String>> {
    let failures: Vec<_> = outcome.failures().map(|(case, why)| format!("{case}: {why}")).collect();
    let word = if failures.is_empty() { "ok  " } else { "FAIL" };
    let line = outcome.line();
    print(&format!("{word}  {line}  ({:.1} s)", started.elapsed().as_secs_f32()))?;
    for failure in &failures {
        print(&format!("        {failure}"))?;
    }
    for refused in &outcome.refused {
        print(&format!("        refused: {refused}"))?;
    }
    Ok(if outcome.is_about_us() { known::compare(outcome) } else { Vec::new() })
}
