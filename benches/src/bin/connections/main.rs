//! Connections in comparison: our crates, the official Rust SDK, the SDKs of other languages, and
//! the floor.
//!
//! `--rounds N` changes how often each gets its turn, `--check` fails when a bar is missed,
//! `--write` puts the tables into `docs/PERFORMANCE.md` and their figures into `README.md`, and
//! words choose among the parts: turns, v2, requests, updates, replay, memory, syscalls. The table
//! of the bars is written only with all of them.
//!
//! It pins itself to one processor and asks for the best priority (`benches::placement`).

mod agents;
mod case;
mod clients;
mod floor;
mod memory;
mod replay;
mod requests;
mod run;
mod script;
mod syscalls;
mod turns;
mod updates;
mod version_2;

use anyhow::{Result, bail, ensure};
use benches::report::Report;
use benches::{Counting, placement};
use lexopt::prelude::*;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const PARTS: [&str; 7] = ["turns", "v2", "requests", "updates", "replay", "memory", "syscalls"];

struct Options {
    rounds: usize,
    check: bool,
    write: bool,
    parts: Vec<String>,
}

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    // It starts itself again for measurements that need a process of their own.
    match words.as_slice() {
        ["agent", word] => agents::run(word),
        ["keeping", folder] => replay::agent_child(folder),
        ["client", word, turns, updates] => syscalls::client_child(word, turns.parse()?, updates.parse()?),
        ["unread", word] => memory::unread_child(word),
        ["connections", word] => memory::connections_child(word),
        _ => compare(&options()?),
    }
}

fn compare(options: &Options) -> Result<()> {
    let wanted = |part: &str| options.parts.is_empty() || options.parts.iter().any(|word| word == part);
    let mut report = Report::new("bars").skipped("skipped");
    placement::pin()?;
    if wanted("turns") {
        turns::run(&mut report, options.rounds)?;
    }
    if wanted("v2") {
        version_2::run(&mut report, options.rounds)?;
    }
    if wanted("requests") {
        requests::run(&mut report, options.rounds)?;
    }
    if wanted("updates") {
        updates::run(&mut report, options.rounds)?;
    }
    if wanted("replay") {
        replay::run(&mut report, options.rounds)?;
    }
    if wanted("memory") {
        memory::run(&mut report)?;
    }
    if wanted("syscalls") {
        syscalls::run(&mut report)?;
    }
    let missed = report.finish(options.write, options.parts.is_empty())?;
    if options.check && missed > 0 { bail!("{missed} bars missed") } else { Ok(()) }
}

fn options() -> Result<Options> {
    let mut options = Options { rounds: 200, check: false, write: false, parts: Vec::new() };
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
