//! Servers of the network in comparison: ours, that of the official Rust SDK, and the floor.
//!
//! Each server is a process of its own with its agents in it, and one thread. The client is this
//! process, and the same for all: it sends prepared bytes and looks for the end of each answer.
//!
//! `--rounds N` changes how often each gets its turn, `--check` fails when a bar is missed,
//! `--write` puts the tables into `docs/PERFORMANCE.md`, and words choose among the parts: turns,
//! idle, busy. The table of the bars is written only with all of them.

mod clients;
mod crowd;
mod messages;
mod servers;
mod turns;

use anyhow::{Result, bail, ensure};
use benches::report::Report;
use lexopt::prelude::*;

const PARTS: [&str; 3] = ["turns", "idle", "busy"];

struct Options {
    rounds: usize,
    check: bool,
    write: bool,
    parts: Vec<String>,
}

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        // It starts itself again as a server.
        ["serve", word] => servers::serve(word),
        _ => compare(&options()?),
    }
}

fn compare(options: &Options) -> Result<()> {
    let wanted = |part: &str| options.parts.is_empty() || options.parts.iter().any(|word| word == part);
    let mut report = Report::new("remote-bars");
    if wanted("turns") {
        turns::run(&mut report, options.rounds)?;
    }
    if wanted("idle") {
        crowd::idle(&mut report)?;
    }
    if wanted("busy") {
        crowd::busy(&mut report)?;
    }
    let missed = report.finish(options.write, options.parts.is_empty())?;
    if options.check && missed > 0 { bail!("{missed} bars missed") } else { Ok(()) }
}

fn options() -> Result<Options> {
    let mut options = Options { rounds: 100, check: false, write: false, parts: Vec::new() };
    let mut arguments = lexopt::Parser::from_env();
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("rounds") => options.rounds = arguments.value()?.parse::<std::num::NonZero<usize>>()?.get(),
            Long("check") => options.check = true,
            Long("write") => options.write = true,
            Value(word) => {
                let word = word.string()?;
                ensure!(PARTS.contains(&word.as_str()), "no part `{word}`; there are {}", PARTS.join(", "));
                options.parts.push(word);
            }
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(options)
}
