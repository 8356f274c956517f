//! Request and response, in memory: a prompt that is answered at once.

use anyhow::Result;
use benches::Table;

use crate::agents::Agent;
use crate::case::{Pair, contestants, race_turns};
use crate::clients::{Client, Over};
use crate::script::Script;
use benches::report::{Report, duration, number, times_of};

const PAIRS: [Pair; 6] = [
    Pair(Client::Floor, Agent::Floor),
    Pair(Client::Floor, Agent::Ours),
    Pair(Client::Floor, Agent::EveryOperation),
    Pair(Client::Ours, Agent::Floor),
    Pair(Client::Ours, Agent::Ours),
    Pair(Client::Official, Agent::Official),
];

const WIDE: usize = 64;

pub(crate) fn run(report: &mut Report, rounds: usize) -> Result<()> {
    let mut table = Table::new(&[
        "client",
        "agent",
        "one in memory",
        "of floor",
        "allocations",
        "64 in memory, each",
        "of floor",
        "64 over pipes, each",
        "of floor",
    ]);
    let memory = contestants(&PAIRS, Over::Memory, WIDE, |what, reason| report.skip(what, reason));
    let pipes = contestants(&PAIRS, Over::Pipes, WIDE, |what, reason| report.skip(what, reason));
    let prompt = Script::Nothing.to_string();
    let one = race_turns(&memory, &prompt, 1, rounds)?;
    let many = race_turns(&memory, &prompt, WIDE, rounds)?;
    let piped = race_turns(&pipes, &prompt, WIDE, rounds)?;
    for (index, contestant) in memory.iter().enumerate() {
        let Pair(client, agent) = contestant.pair;
        let mut row = vec![client.name().to_owned(), agent.name().to_owned()];
        for (times, wide) in [(&one, 1), (&many, WIDE), (&piped, WIDE)] {
            row.push(duration(times[index].median() / wide as f64));
            row.push(format!("{:.1}x", times_of(&times[index], &times[0])));
            if wide == 1 {
                row.push(number(contestant.heap(Script::Nothing)?.allocations as f64));
            }
        }
        table.row(row);
    }
    report.table("requests", table);
    Ok(())
}
