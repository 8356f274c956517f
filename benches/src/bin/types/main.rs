//! Decoding and encoding of messages: our types, the official crate's and `serde_json::Value`.
//!
//! `--rounds N` changes how often each gets its turn, `--check` fails when a bar is missed,
//! `--write` puts the tables into `docs/PERFORMANCE.md`, and a word chooses the messages whose name
//! contains it.

mod cases;
mod compare;

use anyhow::{Result, bail};
use benches::{Counting, Table, Times, write_figure, write_table};
use compare::{Case, Comparison};
use lexopt::prelude::*;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The tolerance of a ratio of 1, where both sides spend their time in one loop of `serde_json`.
const NOISE: f64 = 0.03;

struct Options {
    rounds: usize,
    check: bool,
    write: bool,
    only: Option<String>,
}

fn main() -> Result<()> {
    let options = options()?;
    let mut cases = cases::all();
    cases.retain(|case| options.only.as_ref().is_none_or(|word| case.name.contains(word)));
    let mut results = Vec::new();
    for case in cases {
        let comparison = case.run(options.rounds)?;
        results.push((case, comparison));
    }

    let tables = [
        ("decoding", times(&results, |comparison| &comparison.decode, |case| case.faster)),
        ("encoding", times(&results, |comparison| &comparison.encode, |_| 1.0)),
        ("allocations", allocations(&results)),
    ];
    println!("Medians of {} rounds", options.rounds);
    for (name, table) in &tables {
        println!("\n{name}\n");
        table.print();
        if options.write {
            write_table(name, &table.render())?;
        }
    }

    if options.write && options.only.is_none() {
        let hundredths = |(_, comparison): &(Case, Comparison)| {
            (comparison.decode[0].faster_than(&comparison.decode[1]) * 100.0).round() / 100.0
        };
        let ratios = || results.iter().map(hundredths);
        let (least, most) = (ratios().fold(f64::INFINITY, f64::min), ratios().fold(0.0, f64::max));
        write_figure("decoding", &format!("{least:.1} to {most:.1}"))?;
    }

    let missed: Vec<String> =
        results.iter().flat_map(|(case, comparison)| missed(case, comparison)).collect();
    for line in &missed {
        println!("\nmissed: {line}");
    }
    if options.check && !missed.is_empty() { bail!("{} bars missed", missed.len()) } else { Ok(()) }
}

fn options() -> Result<Options> {
    let mut options = Options { rounds: 300, check: false, write: false, only: None };
    let mut arguments = lexopt::Parser::from_env();
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("rounds") => options.rounds = arguments.value()?.parse::<std::num::NonZero<usize>>()?.get(),
            Long("check") => options.check = true,
            Long("write") => options.write = true,
            Value(word) => options.only = Some(word.string()?),
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(options)
}

fn times(
    results: &[(Case, Comparison)],
    times: fn(&Comparison) -> &Vec<Times>,
    bar: fn(&Case) -> f64,
) -> Table {
    let mut table = Table::new(&[
        "message",
        "bytes",
        "acp-types",
        "official",
        "`Value`",
        "official / ours",
        "bar",
        "`Value` / ours",
    ]);
    for (case, comparison) in results {
        let [ours, official, value] = times(comparison).as_slice() else { continue };
        table.row([
            case.name.to_owned(),
            case.json.len().to_string(),
            microseconds(ours),
            microseconds(official),
            microseconds(value),
            format!("{:.2}x", ours.faster_than(official)),
            format!("{:.1}x", bar(case)),
            format!("{:.2}x", ours.faster_than(value)),
        ]);
    }
    table
}

fn microseconds(times: &Times) -> String {
    format!("{:.2} µs", times.median() / 1000.0)
}

fn allocations(results: &[(Case, Comparison)]) -> Table {
    let mut table = Table::new(&["message", "acp-types", "official", "`Value`"]);
    for (case, comparison) in results {
        let counts = comparison.allocations.iter().map(|(count, bytes)| format!("{count} ({bytes})"));
        table.row(std::iter::once(case.name.to_owned()).chain(counts));
    }
    table
}

/// Returns the bars that this message misses, in words.
fn missed(case: &Case, comparison: &Comparison) -> Vec<String> {
    let faster = |times: &[Times]| times[0].faster_than(&times[1]);
    let (decode, encode) = (faster(&comparison.decode), faster(&comparison.encode));
    let allocations = comparison.allocations[0].0;
    // Only "not slower" needs a tolerance for noise. The other bars are meant to be cleared easily.
    let wanted = if case.faster > 1.0 { case.faster } else { 1.0 - NOISE };
    let mut missed = Vec::new();
    if decode < wanted {
        missed.push(format!("{}: decoding {decode:.2}x, not {:.1}x", case.name, case.faster));
    }
    if encode < 1.0 - NOISE {
        missed.push(format!("{}: encoding {encode:.2}x, not 1.0x", case.name));
    }
    if case.allocations.is_some_and(|limit| allocations > limit) {
        missed.push(format!("{}: {allocations} allocations", case.name));
    }
    missed
}
