//! The weight of the crates, beside the official ones: the types without the JSON Schema feature,
//! and a minimal agent.
//!
//! `--runs N` changes how often each is built, `--check` fails when a bar is missed, `--write` puts
//! the tables into `docs/PERFORMANCE.md`. Dependencies must have been fetched: building this
//! package does that.

mod agents;
#[allow(dead_code, unreachable_pub, reason = "in the crates that are measured it is the library")]
mod messages {
    use acp_types::{from_str, v1 as types};

    include!("messages.rs");
}
mod probe;
mod stack;

use std::collections::BTreeSet;

use acp_types::v1::methods::METHODS;
use anyhow::{Result, bail, ensure};
use benches::{Table, median, write_table};
use lexopt::prelude::*;
use probe::{OFFICIAL, OURS, Probe};

/// The most crates of `acp-types`, itself included.
const CRATES: usize = 12;

/// A way to build, and our time relative to the official crate's.
struct Measure {
    name: &'static str,
    seconds: fn(&Probe) -> Result<std::time::Duration>,
    part: Option<f64>,
}

const MEASURES: [Measure; 3] = [
    Measure { name: "clean `cargo check`", seconds: Probe::clean_check, part: Some(0.5) },
    Measure {
        name: "debug build of a crate that decodes every message",
        seconds: Probe::build_library,
        part: Some(0.25),
    },
    Measure { name: "clean debug build of a program, all included", seconds: Probe::clean_build, part: None },
];

fn main() -> Result<()> {
    let Options { runs, check, write } = options()?;
    same_messages()?;
    let probes = [Probe::new(&OURS)?, Probe::new(&OFFICIAL)?];
    let mut missed = Vec::new();
    let mut table = Table::new(&["", OURS.name, OFFICIAL.name, "ours / official", "bar"]);

    let [ours, official] = [probes[0].crates()?, probes[1].crates()?];
    let part = ours as f64 / official as f64;
    table.row([
        "crates in the tree".to_owned(),
        ours.to_string(),
        official.to_string(),
        format!("{part:.2}"),
        format!("{CRATES} crates"),
    ]);
    if ours > CRATES {
        missed.push(format!("{ours} crates, not {CRATES}"));
    }

    for measure in MEASURES {
        let [ours, official] = medians(&measure, &probes, runs)?;
        let part = ours / official;
        let bar = measure.part.map_or_else(|| "none".to_owned(), |part| format!("{part:.2}"));
        table.row([
            measure.name.to_owned(),
            format!("{ours:.2} s"),
            format!("{official:.2} s"),
            format!("{part:.2}"),
            bar,
        ]);
        if measure.part.is_some_and(|bar| part > bar) {
            missed.push(format!("{}: {part:.2} of the official crate's time", measure.name));
        }
    }

    let mut tables = vec![("weight", table)];
    tables.extend(agents::run(runs, &mut missed)?);
    for (name, table) in &tables {
        println!("\n{name}\n");
        table.print();
        if write {
            write_table(name, &table.render())?;
        }
    }
    for line in &missed {
        println!("\nmissed: {line}");
    }
    if check && !missed.is_empty() { bail!("{} bars missed", missed.len()) } else { Ok(()) }
}

/// Both crates decode the messages of one list, which must be those of the protocol.
fn same_messages() -> Result<()> {
    let of_table = METHODS.iter().flat_map(|info| info.response.into_iter().chain([info.params]));
    let (of_table, listed) =
        (BTreeSet::from_iter(of_table), BTreeSet::from_iter(messages::MESSAGES.iter().copied()));
    let missing = |from: &BTreeSet<&str>, of: &BTreeSet<&str>| {
        of.difference(from).copied().collect::<Vec<_>>().join(", ")
    };
    ensure!(
        of_table == listed,
        "messages.rs is not what the table of methods has; missing: [{}], not in the table: [{}]",
        missing(&listed, &of_table),
        missing(&of_table, &listed)
    );
    Ok(())
}

/// Lets the sides take turns.
fn medians(measure: &Measure, probes: &[Probe; 2], runs: usize) -> Result<[f64; 2]> {
    let mut seconds = [Vec::new(), Vec::new()];
    for _ in 0..runs {
        for (probe, seconds) in probes.iter().zip(&mut seconds) {
            seconds.push((measure.seconds)(probe)?.as_secs_f64());
        }
    }
    Ok(seconds.map(median))
}

struct Options {
    runs: usize,
    check: bool,
    write: bool,
}

fn options() -> Result<Options> {
    let mut options = Options { runs: 3, check: false, write: false };
    let mut arguments = lexopt::Parser::from_env();
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("runs") => options.runs = arguments.value()?.parse::<std::num::NonZero<usize>>()?.get(),
            Long("check") => options.check = true,
            Long("write") => options.write = true,
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(options)
}
