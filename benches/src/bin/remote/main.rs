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

use anyhow::Result;
use benches::options::Options;
use benches::report::Report;

const PARTS: [&str; 3] = ["turns", "idle", "busy"];

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        // It starts itself again as a server.
        ["serve", word] => servers::serve(word),
        _ => compare(&Options::read(100, &PARTS)?),
    }
}

fn compare(options: &Options) -> Result<()> {
    let mut report = Report::new("remote-bars");
    if options.wants("turns") {
        turns::run(&mut report, options.rounds)?;
    }
    if options.wants("idle") {
        crowd::idle(&mut report)?;
    }
    if options.wants("busy") {
        crowd::busy(&mut report)?;
    }
    options.finish(report)
}
