//! Version 2: whole turns over the pipes of a child process, and one update in memory.
//!
//! The floor writes and reads what version 2 has more than version 1: the prompt as it was inserted
//! and the states of the turn. So the bars are those of the library's own work.

use anyhow::{Context as _, Result};
use benches::{Heap, Table, Times};

use crate::agents::Agent;
use crate::case::{Contestant, Pair, contestants, find, race_turns};
use crate::clients::{Client, Over};
use crate::script::Script;
use benches::report::{Report, duration, number, times_of};

/// Every agent with one client, every client with one agent, and each client with its own agent.
const PAIRS: [Pair; 10] = [
    Pair(Client::FloorV2, Agent::FloorV2),
    Pair(Client::FloorV2, Agent::Ours),
    Pair(Client::FloorV2, Agent::OfficialV2),
    Pair(Client::FloorV2, Agent::OfficialV2Streams),
    Pair(Client::OursV2, Agent::FloorV2),
    Pair(Client::OfficialV2, Agent::FloorV2),
    Pair(Client::OfficialV2Streams, Agent::FloorV2),
    Pair(Client::OursV2, Agent::Ours),
    Pair(Client::OfficialV2, Agent::OfficialV2),
    Pair(Client::OfficialV2Streams, Agent::OfficialV2Streams),
];

/// The updates are prepared, so the time is the client's.
const RECEIVERS: [Pair; 3] = [
    Pair(Client::FloorV2, Agent::FloorV2),
    Pair(Client::OursV2, Agent::FloorV2),
    Pair(Client::OfficialV2, Agent::FloorV2),
];

/// The client reads no updates, so the time is the agent's.
const SENDERS: [Pair; 3] = [
    Pair(Client::DrainV2, Agent::FloorV2),
    Pair(Client::DrainV2, Agent::Ours),
    Pair(Client::DrainV2, Agent::OfficialV2),
];

/// The number of updates of a turn in memory, so that its prompt and its states do not count.
const UPDATES: usize = 1_000;

/// The allocations of an update beyond those of version 1.
const MORE: f64 = 1.0;

pub(crate) fn run(report: &mut Report, rounds: usize) -> Result<()> {
    turns(report, rounds)?;
    let receive = side(report, "receive-v2", &RECEIVERS, Script::Chunks(UPDATES), rounds)?;
    let send = side(report, "send-v2", &SENDERS, Script::Say(UPDATES), rounds)?;
    let received = version_1(Pair(Client::Ours, Agent::Floor), Script::Chunks(UPDATES))?;
    let sent = version_1(Pair(Client::Drain, Agent::Ours), Script::Say(UPDATES))?;
    let case = "version 2: receive a text chunk: allocations";
    report.count(case, received + MORE, "each", receive.0, Some(receive.1));
    report.count("version 2: send an update: allocations", sent + MORE, "each", send.0, Some(send.1));
    Ok(())
}

fn turns(report: &mut Report, rounds: usize) -> Result<()> {
    let all = contestants(&PAIRS, Over::Pipes, 1, |what, reason| report.skip(what, reason));
    let columns = [(1, rounds), (16, rounds), (10_000, (rounds / 20).max(3))];
    let times = columns
        .iter()
        .map(|&(updates, rounds)| race_turns(&all, &Script::Say(updates).to_string(), 1, rounds))
        .collect::<Result<Vec<_>>>()?;
    let mut table = Table::new(&[
        "client",
        "agent",
        "1 update",
        "of floor",
        "16 updates",
        "of floor",
        "each of 10,000",
        "of floor",
    ]);
    for (index, contestant) in all.iter().enumerate() {
        let Pair(client, agent) = contestant.pair;
        let mut row = vec![client.name().to_owned(), agent.name().to_owned()];
        for (times, parts) in times.iter().zip([1.0, 1.0, 10_000.0]) {
            row.push(duration(times[index].median() / parts));
            row.push(format!("{:.1}x", times_of(&times[index], &times[0])));
        }
        table.row(row);
    }
    report.table("turns-v2", table);
    let cases = [
        ("version 2: turn of 16 updates: agent", SIDES[0]),
        ("version 2: turn of 16 updates: client", SIDES[1]),
        ("version 2: turn of 16 updates: both", SIDES[2]),
    ];
    for (case, [ours, official, streams]) in cases {
        let of = |pair| anyhow::Ok(times_of(&times[1][at(&all, pair)?], &times[1][0]));
        report.ratio(case, 2.0, "floor", of(ours)?, Some(of(official)?.min(of(streams)?)));
    }
    Ok(())
}

/// Ours, and the official SDK's over its two transports, for each side that varies.
const SIDES: [[Pair; 3]; 3] =
    [[PAIRS[1], PAIRS[2], PAIRS[3]], [PAIRS[4], PAIRS[5], PAIRS[6]], [PAIRS[7], PAIRS[8], PAIRS[9]]];

fn at(all: &[Contestant], Pair(client, agent): Pair) -> Result<usize> {
    find(all, client, agent).context("no such pair")
}

/// Measures one side, and returns the allocations of an update: ours, and the official SDK's.
fn side(
    report: &mut Report,
    name: &'static str,
    pairs: &[Pair; 3],
    script: Script,
    rounds: usize,
) -> Result<(f64, f64)> {
    let all = contestants(pairs, Over::Memory, 1, |what, reason| report.skip(what, reason));
    let heaps: Vec<Heap> = all.iter().map(|contestant| contestant.heap(script)).collect::<Result<_>>()?;
    let times: Vec<Times> = race_turns(&all, &script.to_string(), 1, rounds)?;
    let is_send = pairs[0].0 == Client::DrainV2;
    let mut table = Table::new(&[
        if is_send { "agent" } else { "client" },
        "text chunk",
        "of floor",
        "allocations",
        "bytes",
    ]);
    for (index, contestant) in all.iter().enumerate() {
        let Pair(client, agent) = contestant.pair;
        table.row([
            if is_send { agent.name() } else { client.name() }.to_owned(),
            duration(times[index].median() / UPDATES as f64),
            format!("{:.2}x", times_of(&times[index], &times[0])),
            number(each(heaps[index])),
            number(heaps[index].bytes as f64 / UPDATES as f64),
        ]);
    }
    report.table(name, table);
    Ok((each(heaps[at(&all, pairs[1])?]), each(heaps[at(&all, pairs[2])?])))
}

/// Returns the allocations of an update of version 1.
fn version_1(pair: Pair, script: Script) -> Result<f64> {
    Ok(each(Contestant::new(pair, Over::Memory, 1)?.heap(script)?))
}

fn each(heap: Heap) -> f64 {
    heap.allocations as f64 / UPDATES as f64
}
