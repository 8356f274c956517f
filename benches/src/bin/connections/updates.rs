//! The cost of one update for the receiver and for the sender, in memory.

use anyhow::{Context as _, Result};
use benches::{Heap, Table, Times};

use crate::agents::Agent;
use crate::case::{Contestant, Pair, contestants, find, race_turns};
use crate::clients::{Client, Over};
use crate::script::Script;
use benches::report::{Report, duration, number, times_of};

/// The number of updates of a turn, so that its prompt and its answer do not count.
const UPDATES: usize = 1_000;
/// The tolerance for noise of an update with more handlers.
const NOISE: f64 = 0.1;

/// The updates are prepared, so the time is the client's.
const CLIENTS: [Client; 8] = [
    Client::Floor,
    Client::Derived,
    Client::Ours,
    Client::Handler,
    Client::EveryMethod,
    Client::Tapped,
    Client::Official,
    Client::OfficialBehindNine,
];

/// The client reads nothing, so the time is the agent's.
const AGENTS: [Agent; 4] = [Agent::Floor, Agent::Ours, Agent::EveryOperation, Agent::Official];

/// The times and the heap of one script, by contestant.
struct Measured {
    times: Vec<Times>,
    heaps: Vec<Heap>,
}

pub(crate) fn run(report: &mut Report, rounds: usize) -> Result<()> {
    receive(report, rounds)?;
    send(report, rounds)
}

fn receive(report: &mut Report, rounds: usize) -> Result<()> {
    let pairs = CLIENTS.map(|client| Pair(client, Agent::Floor));
    let all = contestants(&pairs, Over::Memory, 1, |what, reason| report.skip(what, reason));
    let chunk = measure(&all, Script::Chunks(UPDATES), rounds)?;
    let tool = measure(&all, Script::ToolCalls(UPDATES), rounds)?;
    table(report, "receive", &all, &[("text chunk", &chunk), ("tool call update", &tool)]);

    let at = |client| find(&all, client, Agent::Floor).context("no such client");
    let (floor, derived, ours) = (at(Client::Floor)?, at(Client::Derived)?, at(Client::Ours)?);
    let (handler, every) = (at(Client::Handler)?, at(Client::EveryMethod)?);
    let (official, behind_nine) = (at(Client::Official)?, at(Client::OfficialBehindNine)?);
    let of = |index: usize| times_of(&chunk.times[index], &chunk.times[floor]);
    let per = |measured: &Measured, index: usize| measured.heaps[index].allocations as f64 / UPDATES as f64;
    report.ratio("receive a text chunk", 1.8, "floor", of(ours), Some(of(official)));
    report.ratio("receive a text chunk, by a handler", 1.8, "floor", of(handler), Some(of(official)));
    let case = "receive a text chunk: allocations";
    report.count(case, 12.0, "each", per(&chunk, ours), Some(per(&chunk, official)));
    let case = "receive a text chunk, by a handler: allocations";
    report.count(case, 12.0, "each", per(&chunk, handler), Some(per(&chunk, official)));
    let of = |index: usize| times_of(&tool.times[index], &tool.times[derived]);
    report.ratio("receive a tool call update", 1.0, "floor with serde types", of(ours), Some(of(official)));
    let case = "receive a tool call update: allocations";
    report.count(case, 30.0, "each", per(&tool, ours), Some(per(&tool, official)));
    let more = |many: usize, one: usize| times_of(&chunk.times[many], &chunk.times[one]);
    let (ours, peer) = (more(every, ours), more(behind_nine, official));
    report.ratio("receive with every method registered", 1.0 + NOISE, "one", ours, Some(peer));
    Ok(())
}

fn send(report: &mut Report, rounds: usize) -> Result<()> {
    let pairs = AGENTS.map(|agent| Pair(Client::Drain, agent));
    let all = contestants(&pairs, Over::Memory, 1, |what, reason| report.skip(what, reason));
    let chunk = measure(&all, Script::Say(UPDATES), rounds)?;
    table(report, "send", &all, &[("text chunk", &chunk)]);

    let at = |agent| find(&all, Client::Drain, agent).context("no such agent");
    let (floor, ours, official) = (at(Agent::Floor)?, at(Agent::Ours)?, at(Agent::Official)?);
    let of = |index: usize| times_of(&chunk.times[index], &chunk.times[floor]);
    let per = |index: usize| chunk.heaps[index].allocations as f64 / UPDATES as f64;
    report.ratio("send an update", 2.0, "floor", of(ours), Some(of(official)));
    report.count("send an update: allocations", 3.0, "each", per(ours), Some(per(official)));
    Ok(())
}

fn measure(all: &[Contestant], script: Script, rounds: usize) -> Result<Measured> {
    let heaps = all.iter().map(|contestant| contestant.heap(script)).collect::<Result<_>>()?;
    Ok(Measured { times: race_turns(all, &script.to_string(), 1, rounds)?, heaps })
}

/// Divides each time by the number of updates.
fn table(report: &mut Report, name: &'static str, all: &[Contestant], columns: &[(&str, &Measured)]) {
    let mut header = vec![if name == "send" { "agent" } else { "client" }];
    for (column, _) in columns {
        header.extend([column, "of floor", "allocations", "bytes"]);
    }
    let mut table = Table::new(&header);
    for (index, contestant) in all.iter().enumerate() {
        let Pair(client, agent) = contestant.pair;
        let mut row = vec![if name == "send" { agent.name() } else { client.name() }.to_owned()];
        for (_, measured) in columns {
            let (times, heap) = (&measured.times, measured.heaps[index]);
            row.push(duration(times[index].median() / UPDATES as f64));
            row.push(format!("{:.2}x", times_of(&times[index], &times[0])));
            row.push(number(heap.allocations as f64 / UPDATES as f64));
            row.push(number(heap.bytes as f64 / UPDATES as f64));
        }
        table.row(row);
    }
    report.table(name, table);
}
