//! Whole turns over the pipes of a child process, and large messages.

use anyhow::{Context as _, Result};
use benches::{Table, Times};

use crate::agents::Agent;
use crate::case::{Contestant, Pair, contestants, find, race_turns};
use crate::clients::{Client, Over};
use crate::report::{Report, duration, times_of};
use crate::script::Script;

/// Every agent with the same client, every client with the same agent, and each with its own.
const PAIRS: [Pair; 9] = [
    Pair(Client::Floor, Agent::Floor),
    Pair(Client::Floor, Agent::Ours),
    Pair(Client::Floor, Agent::Official),
    Pair(Client::Floor, Agent::TypeScript),
    Pair(Client::Floor, Agent::Python),
    Pair(Client::Ours, Agent::Floor),
    Pair(Client::Official, Agent::Floor),
    Pair(Client::Ours, Agent::Ours),
    Pair(Client::Official, Agent::Official),
];

/// A megabyte of prompt.
const PROMPT: usize = 1_000_000;
const READS: usize = 10_000;

/// One column: a turn, and how often it is done.
struct Column {
    name: &'static str,
    prompt: String,
    wide: usize,
    rounds: usize,
    /// What the time is divided by.
    parts: usize,
}

impl Column {
    fn new(name: &'static str, script: Script, rounds: usize) -> Self {
        Column { name, prompt: script.to_string(), wide: 1, rounds, parts: 1 }
    }
}

pub(crate) fn run(report: &mut Report, rounds: usize) -> Result<()> {
    let all = contestants(&PAIRS, Over::Pipes, 1, |what, reason| report.skip(what, reason));
    let few = (rounds / 40).max(3);
    let long =
        format!("{}\n{}", Script::Nothing, "A line of a log that somebody has pasted.\n".repeat(PROMPT / 42));
    let columns = [
        Column::new("1 update", Script::Say(1), rounds),
        Column::new("16 updates", Script::Say(16), rounds),
        Column { parts: 100_000, ..Column::new("each of 100,000", Script::Say(100_000), 3) },
    ];
    let times = table(report, "turns", &all, &columns)?;
    bars(report, &all, &times)?;
    let columns = [
        Column { prompt: long, ..Column::new("prompt of 1 MB", Script::Nothing, few) },
        Column { parts: 10, ..Column::new("diff of 200 KB", Script::Diffs(10), few) },
    ];
    table(report, "large", &all, &columns)?;
    let one = Script::Read { count: READS, wide: 1 };
    let many = Script::Read { count: READS, wide: 64 };
    let columns = [
        Column { parts: READS, ..Column::new("one after another", one, 3) },
        Column { parts: READS, ..Column::new("64 at a time", many, 3) },
    ];
    table(report, "reverse", &all, &columns)?;
    Ok(())
}

fn bars(report: &mut Report, all: &[Contestant], times: &[Vec<Times>]) -> Result<()> {
    let at = |client, agent| find(all, client, agent).context("no such pair");
    let floor = at(Client::Floor, Agent::Floor)?;
    let sides =
        [at(Client::Floor, Agent::Ours)?, at(Client::Ours, Agent::Floor)?, at(Client::Ours, Agent::Ours)?];
    let peers = [
        at(Client::Floor, Agent::Official)?,
        at(Client::Official, Agent::Floor)?,
        at(Client::Official, Agent::Official)?,
    ];
    let cases = [
        (0, 2.0, ["turn of 1 update: agent", "turn of 1 update: client", "turn of 1 update: both"]),
        (1, 2.5, ["turn of 16 updates: agent", "turn of 16 updates: client", "turn of 16 updates: both"]),
    ];
    for (column, limit, names) in cases {
        let of = |index: usize| times_of(&times[column][index], &times[column][floor]);
        for ((case, ours), peer) in names.into_iter().zip(sides).zip(peers) {
            report.ratio(case, limit, "floor", of(ours), Some(of(peer)));
        }
    }
    Ok(())
}

/// Races each column; the first contestant is the one that the others are compared with.
fn table(
    report: &mut Report,
    name: &'static str,
    all: &[Contestant],
    columns: &[Column],
) -> Result<Vec<Vec<Times>>> {
    let mut times = Vec::new();
    for column in columns {
        times.push(race_turns(all, &column.prompt, column.wide, column.rounds)?);
    }
    let mut header = vec!["client", "agent"];
    for column in columns {
        header.extend([column.name, "of floor"]);
    }
    let mut table = Table::new(&header);
    for (index, contestant) in all.iter().enumerate() {
        let Pair(client, agent) = contestant.pair;
        let mut row = vec![client.name().to_owned(), agent.name().to_owned()];
        for (column, times) in columns.iter().zip(&times) {
            row.push(duration(times[index].median() / column.parts as f64));
            row.push(format!("{:.1}x", times_of(&times[index], &times[0])));
        }
        table.row(row);
    }
    report.table(name, table);
    Ok(times)
}
