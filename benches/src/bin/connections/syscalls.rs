//! System calls of a turn, counted by strace.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::process::{Command, Stdio};
use std::rc::Rc;

use anyhow::{Context as _, Result, ensure};
use benches::Table;

use crate::agents::Agent;
use crate::clients::{Client, Over, connect_to};
use crate::run::runtime;
use crate::script::Script;
use benches::report::{Report, number};

/// Calls per turn are the calls of the longer run minus the calls of the shorter one. Both start
/// and end alike.
const TURNS: [usize; 2] = [50, 150];
/// Rarer calls are not named in the table.
const NAMED: f64 = 0.4;

type Calls = BTreeMap<String, f64>;

pub(crate) fn run(report: &mut Report) -> Result<()> {
    let found = Command::new("strace").arg("-V").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !found.is_ok_and(|status| status.success()) {
        report.skip("system calls", &anyhow::anyhow!("`strace` is not installed"));
        return Ok(());
    }
    let mut table = Table::new(&["", "1 update", "16 updates", "of 16 updates"]);
    let mut sums = Vec::new();
    for agent in [Agent::Floor, Agent::Ours, Agent::Official, Agent::TypeScript, Agent::Python] {
        match calls_of(|turns, updates| agent_calls(agent, turns, updates)) {
            Ok([one, sixteen]) => {
                sums.push((agent, sum(&sixteen)));
                row(&mut table, &format!("agent: {}", agent.name()), &one, &sixteen);
            }
            Err(error) => report.skip(agent.name(), &error),
        }
    }
    let mut floor = [Calls::new(), Calls::new()];
    for client in [Client::Floor, Client::Ours, Client::Official] {
        let [mut one, mut sixteen] = calls_of(|turns, updates| client_calls(client, turns, updates))?;
        if client == Client::Floor {
            // Under the client's run, strace sees the floor's agent, too. Its calls are known by
            // then.
            floor = calls_of(|turns, updates| agent_calls(Agent::Floor, turns, updates))?;
        }
        for (calls, floor) in [(&mut one, &floor[0]), (&mut sixteen, &floor[1])] {
            for (name, count) in floor {
                *calls.entry(name.clone()).or_default() -= count;
            }
        }
        row(&mut table, &format!("client: {}", client.name()), &one, &sixteen);
        if client == Client::Ours {
            report.count("client: system calls of a turn of 16 updates", 6.0, "", sum(&sixteen), None);
        }
    }
    report.table("syscalls", table);
    let of = |wanted| sums.iter().find(|(agent, _)| *agent == wanted).map(|(_, sum)| *sum);
    let ours = of(Agent::Ours).context("our agent was not measured")?;
    report.count("agent: system calls of a turn of 16 updates", 6.0, "", ours, of(Agent::Official));
    Ok(())
}

fn row(table: &mut Table, name: &str, one: &Calls, sixteen: &Calls) {
    let mut named: Vec<_> = sixteen.iter().filter(|(_, count)| **count >= NAMED).collect();
    named.sort_by(|one, other| other.1.total_cmp(one.1));
    let named: Vec<_> = named.iter().map(|(name, count)| format!("{} {name}", number(**count))).collect();
    table.row([name.to_owned(), number(sum(one)), number(sum(sixteen)), named.join(", ")]);
}

fn sum(calls: &Calls) -> f64 {
    calls.values().sum()
}

/// Counts the calls of a turn with 1 update and of one with 16.
fn calls_of(count: impl Fn(usize, usize) -> Result<Calls>) -> Result<[Calls; 2]> {
    let per_turn = |updates| -> Result<Calls> {
        let (fewer, mut more) = (count(TURNS[0], updates)?, count(TURNS[1], updates)?);
        for (name, count) in fewer {
            *more.entry(name).or_default() -= count;
        }
        more.values_mut().for_each(|count| *count /= (TURNS[1] - TURNS[0]) as f64);
        Ok(more)
    };
    Ok([per_turn(1)?, per_turn(16)?])
}

/// Runs the agent under strace, with the floor's client.
fn agent_calls(agent: Agent, turns: usize, updates: usize) -> Result<Calls> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("calls");
    let mut command: Vec<OsString> = ["strace", "-f", "-o"].map(OsString::from).to_vec();
    command.push(file.clone().into());
    command.extend(agent.command()?);
    let connected = connect_to(&Rc::new(runtime()?), &command)?;
    let prompt = Script::Say(updates).to_string();
    for _ in 0..turns {
        connected.turns(&[&prompt])?;
    }
    drop(connected);
    parse(&std::fs::read_to_string(file)?)
}

/// Runs the client under strace, with the floor's agent as its child.
fn client_calls(client: Client, turns: usize, updates: usize) -> Result<Calls> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("calls");
    let status = Command::new("strace")
        .args(["-f", "-o"])
        .arg(&file)
        .arg(std::env::current_exe()?)
        .args(["client", client.word(), &turns.to_string(), &updates.to_string()])
        .status()?;
    ensure!(status.success(), "the client failed under strace");
    parse(&std::fs::read_to_string(file)?)
}

/// Runs in a process of its own: turns with the floor's agent as a child process.
pub(crate) fn client_child(word: &str, turns: usize, updates: usize) -> Result<()> {
    let client = Client::from_word(word).context("no such client")?;
    let connected = client.connect(&Rc::new(runtime()?), Agent::Floor, Over::Pipes, 1)?;
    let prompt = Script::Say(updates).to_string();
    for _ in 0..turns {
        connected.turns(&[&prompt])?;
    }
    Ok(())
}

/// Counts the calls by name. A call that another thread interrupts has two lines.
fn parse(trace: &str) -> Result<Calls> {
    let mut calls = Calls::new();
    for line in trace.lines() {
        let call = line.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == ' ');
        let name = call.split('(').next().unwrap_or_default();
        if call.contains('(') && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            *calls.entry(name.to_owned()).or_default() += 1.0;
        }
    }
    ensure!(!calls.is_empty(), "strace has written nothing");
    Ok(calls)
}
