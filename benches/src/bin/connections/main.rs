//! Connections in comparison: our crates, the official Rust SDK, the SDKs of other languages, and
//! the floor.
//!
//! `--rounds N` changes how often each gets its turn, `--check` fails when a bar is missed,
//! `--write` puts the tables into `docs/PERFORMANCE.md` and their figures into `README.md`, and
//! words choose among the parts: turns, v2, chains, requests, updates, replay, memory, syscalls.
//! The table of the bars is written only with all of them.
//!
//! It pins itself to one processor and asks for the best priority (`benches::placement`).

mod agents;
mod case;
mod chains;
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

use anyhow::Result;
use benches::options::Options;
use benches::report::Report;
use benches::{Counting, placement};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const PARTS: [&str; 8] = ["turns", "v2", "chains", "requests", "updates", "replay", "memory", "syscalls"];

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    // It starts itself again for measurements that need a process of their own.
    match words.as_slice() {
        ["agent", word] => agents::run(word),
        ["chain", word, proxies] => chains::child(word, proxies.parse()?),
        ["proxy", word] => chains::proxy_child(word),
        ["keeping", folder] => replay::agent_child(folder),
        ["client", word, turns, updates] => syscalls::client_child(word, turns.parse()?, updates.parse()?),
        ["unread", word] => memory::unread_child(word),
        ["connections", word] => memory::connections_child(word),
        _ => compare(&Options::read(200, &PARTS)?),
    }
}

fn compare(options: &Options) -> Result<()> {
    let mut report = Report::new("bars").skipped("skipped");
    placement::pin()?;
    if options.wants("turns") {
        turns::run(&mut report, options.rounds)?;
    }
    if options.wants("v2") {
        version_2::run(&mut report, options.rounds)?;
    }
    if options.wants("chains") {
        chains::run(&mut report, options.rounds)?;
    }
    if options.wants("requests") {
        requests::run(&mut report, options.rounds)?;
    }
    if options.wants("updates") {
        updates::run(&mut report, options.rounds)?;
    }
    if options.wants("replay") {
        replay::run(&mut report, options.rounds)?;
    }
    if options.wants("memory") {
        memory::run(&mut report)?;
    }
    if options.wants("syscalls") {
        syscalls::run(&mut report)?;
    }
    options.finish(report)
}
