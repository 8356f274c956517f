//! `cargo xtask interop`: our client and agents against other implementations of the protocol.
//!
//! Each case starts real processes: `acp prompt` with an agent built on another SDK, or another SDK's client
//! with `echo_agent` or `coding_agent`. A recorder (`tap`) sits between the two and keeps every line, so a
//! case is judged by what went over the wire as well as by what the other SDK made of it.

mod agent_cases;
mod case;
mod client_cases;
mod control_cases;
mod install;
mod layout;
mod options;
mod process;
#[cfg(all(test, unix))]
mod process_tests;
mod seen;
mod tap;
mod wire;
#[cfg(test)]
mod wire_tests;

use std::collections::{BTreeSet, HashMap};
use std::io::{self, Write as _};
use std::time::Instant;

use anyhow::{Context as _, bail};

use self::case::{Case, Peer};
use self::layout::Layout;
use self::options::{HELP, Options};

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
    let options = Options::parse(args)?;
    if options.help {
        return print(HELP);
    }
    let cases = selected(&options);
    if options.list {
        return cases.iter().try_for_each(|case| print(&case.to_string()));
    }
    if cases.is_empty() {
        bail!("no case matches; `cargo xtask interop --list` shows them");
    }
    run_all(&cases, &options)
}

fn selected(options: &Options) -> Vec<Case> {
    let mut cases = client_cases::all();
    cases.extend(agent_cases::all());
    if options.controls {
        cases.extend(control_cases::all());
    }
    cases.retain(|case| options.wants(&case.to_string()));
    cases
}

fn run_all(cases: &[Case], options: &Options) -> anyhow::Result<()> {
    let layout = Layout::find()?;
    let ours: BTreeSet<&str> = cases.iter().filter_map(Case::our_binary).collect();
    install::our_binaries(&ours, &layout).context("our own binaries do not build")?;
    let mut unavailable: HashMap<Peer, Option<String>> = HashMap::new();
    let mut tally = Tally::default();
    for case in cases {
        let reason = unavailable
            .entry(case.peer)
            .or_insert_with(|| install::peer(case.peer, &layout).err().map(|error| format!("{error:#}")));
        let started = Instant::now();
        let verdict = match reason {
            Some(reason) if options.require => Verdict::Failed(reason.clone()),
            Some(reason) => Verdict::Skipped(reason.clone()),
            None => match case.run(&layout, options.keep_logs) {
                Ok(()) => Verdict::Passed,
                Err(error) => Verdict::Failed(format!("{error:#}")),
            },
        };
        tally.count(&verdict);
        print(&line(case, &verdict, started))?;
    }
    print(&tally.to_string())?;
    if tally.failed > 0 {
        bail!("{} interop case(s) failed; what went over the wire is in .interop/logs", tally.failed);
    }
    Ok(())
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

fn print(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{text}")?;
    out.flush()?;
    Ok(())
}
