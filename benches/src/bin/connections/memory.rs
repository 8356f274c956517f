//! Memory: long lines, a peer that does not read, many connections.

use std::process::Command;
use std::rc::Rc;
use std::time::Instant;

use anyhow::{Context as _, Result, bail, ensure};
use benches::{Table, memory, start_counting, stop_counting};

use crate::agents::Agent;
use crate::case::{Contestant, Pair};
use crate::chains;
use crate::clients::{Client, MEMORY_PIPE, Over};
use crate::floor::{FloorClient, Reading};
use crate::run::runtime;
use crate::script::Script;
use benches::report::{Report, duration, number};

const MIB: f64 = 1024.0 * 1024.0;
/// The long line.
const LINE: usize = 8 * 1024 * 1024;
/// The number of updates that an agent wants to send to a client that does not read.
const UPDATES: usize = 200_000;
/// The largest output that may wait: the default budget, and a tenth.
const BUDGET: f64 = 1.1;
/// Chains with one proxy, on the command line of this program.
const CHAIN_OF_OURS: &str = "chain-of-ours";
const CHAIN_OF_OFFICIAL: &str = "chain-of-official";
/// The number of connections at once.
const CONNECTIONS: usize = 1_000;
/// The number of rounds of all ready tasks, after which all count as waiting.
const IDLE: usize = 200_000;

pub(crate) fn run(report: &mut Report) -> Result<()> {
    long_line(report)?;
    unread(report)?;
    connections(report)
}

fn long_line(report: &mut Report) -> Result<()> {
    let mut table =
        Table::new(&["client", "bytes allocated", "blocks that grow in full", "peak", "allocations"]);
    let mut totals = Vec::new();
    for client in [Client::Floor, Client::Ours, Client::Official] {
        let contestant = Contestant::new(Pair(client, Agent::Floor), Over::Memory, 1)?;
        let heap = contestant.heap(Script::Long(LINE))?;
        let of = |bytes: f64| format!("{:.2}x", bytes / LINE as f64);
        totals.push(heap.growth as f64 / LINE as f64);
        table.row([
            client.name().to_owned(),
            of(heap.growth as f64),
            of(heap.bytes as f64),
            of(heap.peak as f64),
            heap.allocations.to_string(),
        ]);
    }
    report.table("long", table);
    report.ratio("line of 8 MiB: bytes allocated", 2.5, "line", totals[1], Some(totals[2]));
    Ok(())
}

fn unread(report: &mut Report) -> Result<()> {
    let mut table = Table::new(&["agent", "heap", "resident", "sent afterwards"]);
    let mut heaps = Vec::new();
    for (name, word) in [
        ("ours", Agent::Ours.word()?),
        ("Rust SDK", Agent::Official.word()?),
        ("floor, behind a proxy of ours", CHAIN_OF_OURS),
        ("floor, behind a proxy of the Rust SDK", CHAIN_OF_OFFICIAL),
    ] {
        let figures = child("unread", word)?;
        let [heap, resident, updates] = figures.as_slice() else { bail!("not three figures") };
        heaps.push(heap / MIB);
        table.row([
            name.to_owned(),
            format!("{:.2} MiB", heap / MIB),
            format!("{:.2} MiB", resident / MIB),
            format!("{updates} updates"),
        ]);
    }
    report.table("unread", table);
    report.count("client that does not read: growth", BUDGET, "MiB", heaps[0], Some(heaps[1]));
    // The conductor has a budget toward the client, and one toward its proxy.
    let case = "client that does not read, behind a proxy: growth";
    report.count(case, 2.0 * BUDGET, "MiB", heaps[2], Some(heaps[3]));
    Ok(())
}

fn connections(report: &mut Report) -> Result<()> {
    let mut table = Table::new(&["client and agent", "time each", "heap each", "resident each"]);
    for (name, word) in [("floor", "floor"), ("ours", "ours"), ("Rust SDK", "official")] {
        let figures = child("connections", word)?;
        let [time, heap, resident] = figures.as_slice() else { bail!("not three figures") };
        table.row([
            name.to_owned(),
            duration(*time),
            format!("{} KiB", number(heap / 1024.0)),
            format!("{} KiB", number(resident / 1024.0)),
        ]);
    }
    report.table("connections", table);
    Ok(())
}

/// Measures in a process of its own, without the memory of other measurements.
fn child(case: &str, word: &str) -> Result<Vec<f64>> {
    let output = Command::new(std::env::current_exe()?).args([case, word]).output()?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{case} {word}: {}", complaint.trim());
    let text = String::from_utf8(output.stdout)?;
    text.split_whitespace().map(|word| Ok(word.parse()?)).collect()
}

/// Runs in a process of its own. Prints the growth of heap and resident memory while nobody reads,
/// and then the number of updates for a reader.
pub(crate) fn unread_child(word: &str) -> Result<()> {
    let runtime = runtime()?;
    runtime.block_on(async {
        let (here, there) = tokio::io::duplex(MEMORY_PIPE);
        match word {
            CHAIN_OF_OURS => drop(tokio::spawn(chains::serve(true, there))),
            CHAIN_OF_OFFICIAL => drop(tokio::spawn(chains::serve(false, there))),
            _ => drop(tokio::spawn(Agent::from_word(word).context("no such agent")?.serve(there))),
        }
        let (reader, writer) = tokio::io::split(here);
        let mut client = FloorClient::connect(reader, writer, 1, Reading::Skip).await?;
        client.turns(&[&Script::Say(1_000).to_string()]).await?;
        client.prompt(0, &Script::Say(UPDATES).to_string()).await?;
        client.flush().await?;
        let before = resident()?;
        let idle = async {
            for _ in 0..IDLE {
                tokio::task::yield_now().await;
            }
        };
        let kept = kept_during(idle).await;
        let grown = resident()?.saturating_sub(before);
        let updates = client.finish(1).await?;
        println!("{kept} {grown} {updates}");
        Ok(())
    })
}

/// Runs in a process of its own. Prints the time, the heap and the resident memory of each
/// connection.
pub(crate) fn connections_child(word: &str) -> Result<()> {
    let (client, agent) = match word {
        "floor" => (Client::Floor, Agent::Floor),
        "ours" => (Client::Ours, Agent::Ours),
        "official" => (Client::Official, Agent::Official),
        other => bail!("no client `{other}`"),
    };
    let runtime = Rc::new(runtime()?);
    let connect = || -> Result<_> {
        let connected = client.connect(&runtime, agent, Over::Memory, 1)?;
        connected.turns(&[&Script::Nothing.to_string()])?;
        Ok(connected)
    };
    let first = connect()?;
    let before = resident()?;
    let mut all = Vec::with_capacity(CONNECTIONS);
    let (mut result, start) = (Ok(()), Instant::now());
    let heap = memory(|| {
        for _ in 0..CONNECTIONS {
            match connect() {
                Ok(connected) => all.push(connected),
                Err(error) => result = Err(error),
            }
        }
    });
    result?;
    let time = start.elapsed().as_nanos() as f64;
    let (grown, each) = (resident()?.saturating_sub(before), CONNECTIONS as f64);
    println!("{} {} {}", time / each, heap.kept as f64 / each, grown as f64 / each);
    drop((first, all));
    Ok(())
}

/// Returns the growth of the heap by `work`.
async fn kept_during(work: impl Future<Output = ()>) -> i64 {
    start_counting();
    work.await;
    stop_counting().kept
}

/// Returns the resident memory of this process, in bytes.
fn resident() -> Result<u64> {
    let statm = std::fs::read_to_string("/proc/self/statm").context("resident memory is read from /proc")?;
    let pages: u64 = statm.split(' ').nth(1).context("no resident pages")?.parse()?;
    Ok(pages * 4096)
}
