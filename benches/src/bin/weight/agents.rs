//! A minimal agent, which repeats its prompt: its build, its size and its start.

use std::ffi::OsString;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use benches::{Table, median, peers};

use crate::probe::Probe;
use crate::stack;

/// The most crates of a minimal agent.
const CRATES: usize = 45;
/// Our build time relative to the official crate's, at most.
const BUILD: f64 = 0.5;
/// The largest stack for a request, in KiB.
const STACK: usize = 64;
/// The number of starts of each agent.
const STARTS: usize = 20;

type Dependencies = &'static [(&'static str, &'static str)];

const OURS: Dependencies = &[
    ("acp-agent", r#"{ path = "{project}/crates/acp-agent" }"#),
    ("tokio", r#"{ version = "1", features = ["macros", "rt"] }"#),
];
const OFFICIAL: Dependencies = &[
    ("agent-client-protocol", r#"{ version = "=5.0.0", features = ["stdio"] }"#),
    ("tokio", r#"{ version = "1", features = ["macros", "rt-multi-thread"] }"#),
];

/// An agent and its measurements.
struct Subject {
    name: &'static str,
    command: Vec<OsString>,
    size: Option<u64>,
    starts: Vec<f64>,
    memory: Vec<f64>,
    threads: u64,
}

pub(crate) fn run(runs: usize, missed: &mut Vec<String>) -> Result<Vec<(&'static str, Table)>> {
    let ours = Probe::with(OURS, &[("main.rs", include_str!("../../../peers/rust/minimal_ours.rs"))])?;
    let official = include_str!("../../../peers/rust/minimal_official.rs");
    let official = Probe::with(OFFICIAL, &[("main.rs", official)])?;
    let build = build([&ours, &official], runs, missed)?;
    let run = start([&ours, &official])?;
    Ok(vec![("agent-build", build), ("agent-run", run)])
}

fn build(probes: [&Probe; 2], runs: usize, missed: &mut Vec<String>) -> Result<Table> {
    let mut table = Table::new(&["", "ours", "Rust SDK", "ours / Rust SDK", "bar"]);
    let [ours, official] = [probes[0].crates()?, probes[1].crates()?];
    let part = format!("{:.2}", ours as f64 / official as f64);
    table.row([
        "crates in the tree".into(),
        ours.to_string(),
        official.to_string(),
        part,
        format!("{CRATES} crates"),
    ]);
    if ours > CRATES {
        missed.push(format!("minimal agent: {ours} crates, not {CRATES}"));
    }

    let mut seconds = [Vec::new(), Vec::new()];
    for _ in 0..runs {
        for (probe, seconds) in probes.iter().zip(&mut seconds) {
            seconds.push(probe.clean_build()?.as_secs_f64());
        }
    }
    let [ours, official] = seconds.map(median);
    let part = ours / official;
    table.row([
        "clean debug build".into(),
        format!("{ours:.1} s"),
        format!("{official:.1} s"),
        format!("{part:.2}"),
        format!("{BUILD:.2}"),
    ]);
    if part > BUILD {
        missed.push(format!("minimal agent: {part:.2} of the Rust SDK's build time, not {BUILD:.2}"));
    }

    let [ours, official] = stack::needed()?;
    let part = format!("{:.2}", ours as f64 / official as f64);
    let bar = format!("{STACK} KiB");
    let name = "stack to serve every method, debug build".into();
    table.row([name, format!("{ours} KiB"), format!("{official} KiB"), part, bar]);
    if ours > STACK {
        missed.push(format!("serving every method takes {ours} KiB of stack, not {STACK}"));
    }
    Ok(table)
}

fn start(probes: [&Probe; 2]) -> Result<Table> {
    let own = |name, path: PathBuf| -> Result<Subject> {
        let size = Some(std::fs::metadata(&path)?.len());
        Ok(Subject::new(name, vec![path.into()], size))
    };
    let mut subjects =
        vec![own("ours", probes[0].build_release()?)?, own("Rust SDK", probes[1].build_release()?)?];
    for (name, command) in [("TypeScript SDK", peers::typescript()), ("Python SDK", peers::python())] {
        match command {
            Ok(command) => subjects.push(Subject::new(name, command, None)),
            Err(error) => println!("skipped: {name}: {error:#}"),
        }
    }
    for _ in 0..STARTS {
        for subject in &mut subjects {
            subject.start().with_context(|| subject.name)?;
        }
    }
    let mut table =
        Table::new(&["agent", "stripped", "to the answer of `initialize`", "resident", "threads"]);
    for subject in subjects {
        table.row([
            subject.name.to_owned(),
            subject.size.map_or_else(String::new, |bytes| format!("{:.2} MB", bytes as f64 / 1e6)),
            format!("{:.1} ms", median(subject.starts)),
            format!("{:.1} MB", median(subject.memory)),
            subject.threads.to_string(),
        ]);
    }
    Ok(table)
}

impl Subject {
    fn new(name: &'static str, command: Vec<OsString>, size: Option<u64>) -> Self {
        Subject { name, command, size, starts: Vec::new(), memory: Vec::new(), threads: 0 }
    }

    /// The time from nothing to the answer of `initialize`.
    fn start(&mut self) -> Result<()> {
        let start = Instant::now();
        let mut child = Command::new(&self.command[0])
            .args(&self.command[1..])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let answered = initialize(&mut child);
        let elapsed: Duration = start.elapsed();
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        drop(child.stdin.take());
        child.wait()?;
        answered?;
        self.starts.push(elapsed.as_secs_f64() * 1e3);
        self.memory.push(figure(&status, "VmRSS:") as f64 * 1024.0 / 1e6);
        self.threads = figure(&status, "Threads:");
        Ok(())
    }
}

fn initialize(child: &mut Child) -> Result<()> {
    let request = concat!(
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","#,
        r#""params":{"protocolVersion":1,"clientCapabilities":{}}}"#,
        "\n",
    );
    child.stdin.as_mut().context("no stdin")?.write_all(request.as_bytes())?;
    let mut answer = String::new();
    BufReader::new(child.stdout.as_mut().context("no stdout")?).read_line(&mut answer)?;
    ensure!(answer.contains("\"result\""), "`initialize` was not answered");
    Ok(())
}

/// Returns a line of `/proc/PID/status`, or 0 on systems without such a file.
fn figure(status: &str, name: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or_default()
}
