//! Whole turns over the pipes of a child process, and large messages.

use anyhow::{Context as _, Result};
use benches::{Table, Times};

use crate::agents::Agent;
use crate::case::{Contestant, Pair, contestants, find, race_turns};
use crate::clients::{Client, Over};
use crate::script::Script;
use benches::placement;
use benches::report::{Report, duration, times_of};

/// Every agent with one client, every client with one agent, and each client with its own agent.
const PAIRS: [Pair; 12] = [
    Pair(Client::Floor, Agent::Floor),
    Pair(Client::Floor, Agent::Ours),
    Pair(Client::Floor, Agent::Official),
    Pair(Client::Floor, Agent::OfficialStreams),
    Pair(Client::Floor, Agent::TypeScript),
    Pair(Client::Floor, Agent::Python),
    Pair(Client::Ours, Agent::Floor),
    Pair(Client::Official, Agent::Floor),
    Pair(Client::OfficialStreams, Agent::Floor),
    Pair(Client::Ours, Agent::Ours),
    Pair(Client::Official, Agent::Official),
    Pair(Client::OfficialStreams, Agent::OfficialStreams),
];

/// A megabyte of prompt.
const PROMPT: usize = 1_000_000;
const READS: usize = 10_000;

/// The number of sets of processes that race unpinned.
const FREE_SETS: usize = 8;

/// A column: a turn, and the number of its repetitions.
struct Column {
    name: &'static str,
    prompt: String,
    wide: usize,
    rounds: usize,
    /// The divisor of the time.
    parts: usize,
}

impl Column {
    fn new(name: &'static str, script: Script, rounds: usize) -> Self {
        Column { name, prompt: script.to_string(), wide: 1, rounds, parts: 1 }
    }
}

/// The tables with figures for pinned and for free processes.
pub(crate) fn run(report: &mut Report, rounds: usize) -> Result<()> {
    let columns = [
        Column::new("1 update", Script::Say(1), rounds),
        Column::new("16 updates", Script::Say(16), rounds),
        Column { parts: 100_000, ..Column::new("each of 100,000", Script::Say(100_000), 3) },
    ];
    let few = (rounds / 5).max(3);
    let long =
        format!("{}\n{}", Script::Nothing, "A line of a log that somebody has pasted.\n".repeat(PROMPT / 42));
    let large = [
        Column { prompt: long, ..Column::new("prompt of 1 MB", Script::Nothing, few) },
        Column { parts: 10, ..Column::new("diff of 200 KB", Script::Diffs(10), few) },
    ];
    let one = Script::Read { count: READS, wide: 1 };
    let many = Script::Read { count: READS, wide: 64 };
    let reverse = [
        Column { parts: READS, ..Column::new("one after another", one, 3) },
        Column { parts: READS, ..Column::new("64 at a time", many, 3) },
    ];
    let free = placement::unpinned(|| Ok((race_free(&columns)?, race_free(&large)?)))?;
    let all = contestants(&PAIRS, Over::Pipes, 1, |what, reason| report.skip(what, reason));
    let pinned = (race_columns(&all, &columns)?, race_columns(&all, &large)?);
    table(report, "turns", &all, &columns, &pinned.0, Some(&free.0));
    table(report, "large", &all, &large, &pinned.1, Some(&free.1));
    table(report, "reverse", &all, &reverse, &race_columns(&all, &reverse)?, None);
    bars(report, &all, &pinned.0, &pinned.1[0])?;
    let ahead = |turns: &[Vec<Times>], large: &[Vec<Times>]| behind_best(&all, turns.iter().chain(large));
    report.ratio("any turn, beside the best peer: pinned", 1.0, "peer", ahead(&pinned.0, &pinned.1)?, None);
    report.ratio("any turn, beside the best peer: unpinned", 1.0, "peer", ahead(&free.0, &free.1)?, None);
    figures(report, &all, &pinned.0[1])
}

/// The side that varies, ours or the official SDK's, while the other side is the floor; or both
/// sides.
const SIDES: [fn(Client, Agent) -> Pair; 3] = [
    |_, agent| Pair(Client::Floor, agent),
    |client, _| Pair(client, Agent::Floor),
    |client, agent| Pair(client, agent),
];

/// The official SDK, over its stdio and over its byte streams.
const OFFICIAL: [(Client, Agent); 2] =
    [(Client::Official, Agent::Official), (Client::OfficialStreams, Agent::OfficialStreams)];

fn at(all: &[Contestant], Pair(client, agent): Pair) -> Result<usize> {
    find(all, client, agent).context("no such pair")
}

/// Our times on this side relative to the floor, and the better ones of the official SDK's two.
fn beside(all: &[Contestant], times: &[Times], side: fn(Client, Agent) -> Pair) -> Result<(f64, f64)> {
    let of = |client, agent| anyhow::Ok(times_of(&times[at(all, side(client, agent))?], &times[0]));
    let mut best = f64::INFINITY;
    for (client, agent) in OFFICIAL {
        best = best.min(of(client, agent)?);
    }
    Ok((of(Client::Ours, Agent::Ours)?, best))
}

fn bars(report: &mut Report, all: &[Contestant], turns: &[Vec<Times>], prompt: &[Times]) -> Result<()> {
    let cases = [
        (
            &turns[0][..],
            2.0,
            ["turn of 1 update: agent", "turn of 1 update: client", "turn of 1 update: both"],
        ),
        (
            &turns[1],
            2.5,
            ["turn of 16 updates: agent", "turn of 16 updates: client", "turn of 16 updates: both"],
        ),
        (prompt, 1.15, ["prompt of 1 MB: agent", "prompt of 1 MB: client", "prompt of 1 MB: both"]),
    ];
    for (times, limit, names) in cases {
        for (case, side) in names.into_iter().zip(SIDES) {
            let (ours, peer) = beside(all, times, side)?;
            report.ratio(case, limit, "floor", ours, Some(peer));
        }
    }
    Ok(())
}

/// The ratio of our time to the best peer's, where it comes closest.
fn behind_best<'a>(all: &[Contestant], columns: impl Iterator<Item = &'a Vec<Times>>) -> Result<f64> {
    let mut worst = 0.0_f64;
    for times in columns {
        for side in SIDES {
            let (ours, peer) = beside(all, times, side)?;
            worst = worst.max(ours / peer);
        }
        for other in [Agent::TypeScript, Agent::Python] {
            // These peers may not be installed.
            let Some(other) = find(all, Client::Floor, other) else { continue };
            let ours = at(all, Pair(Client::Floor, Agent::Ours))?;
            worst = worst.max(times_of(&times[ours], &times[other]));
        }
    }
    Ok(worst)
}

/// The README's figures for a turn of 16 updates.
fn figures(report: &mut Report, all: &[Contestant], times: &[Times]) -> Result<()> {
    let names = ["turn-ours", "turn-official", "turn-official-streams"];
    let pairs = [(Client::Ours, Agent::Ours), OFFICIAL[0], OFFICIAL[1]];
    for (name, (client, agent)) in names.into_iter().zip(pairs) {
        let ratio = times_of(&times[at(all, Pair(client, agent))?], &times[0]);
        report.figure(name, format!("{ratio:.1}"));
    }
    Ok(())
}

fn race_columns(all: &[Contestant], columns: &[Column]) -> Result<Vec<Vec<Times>>> {
    columns.iter().map(|column| race_turns(all, &column.prompt, column.wide, column.rounds)).collect()
}

/// Races each column with several sets of processes, and counts the times of all. The system keeps
/// a process in one place for a while, and that place is a matter of luck.
fn race_free(columns: &[Column]) -> Result<Vec<Vec<Times>>> {
    columns
        .iter()
        .map(|column| {
            let mut times: Vec<Times> = Vec::new();
            // Turns that are raced a few times only are so long that processes move about in each.
            let sets = (column.rounds / 4).clamp(1, FREE_SETS);
            for _ in 0..sets {
                let all = contestants(&PAIRS, Over::Pipes, 1, |_, _| {});
                let more = race_turns(&all, &column.prompt, column.wide, column.rounds / sets)?;
                if times.is_empty() {
                    times = more;
                } else {
                    times.iter_mut().zip(more).for_each(|(times, more)| times.extend(more));
                }
            }
            Ok(times)
        })
        .collect()
}

/// Makes a table of these times. The others are compared with the first contestant.
fn table(
    report: &mut Report,
    name: &'static str,
    all: &[Contestant],
    columns: &[Column],
    times: &[Vec<Times>],
    free: Option<&[Vec<Times>]>,
) {
    let mut header = vec!["client", "agent"];
    for column in columns {
        header.extend([column.name, "of floor"]);
        header.extend(free.map(|_| "unpinned"));
    }
    let mut table = Table::new(&header);
    for (index, contestant) in all.iter().enumerate() {
        let Pair(client, agent) = contestant.pair;
        let mut row = vec![client.name().to_owned(), agent.name().to_owned()];
        for (number, (column, times)) in columns.iter().zip(times).enumerate() {
            let of_floor = |times: &[Times]| format!("{:.1}x", times_of(&times[index], &times[0]));
            row.push(duration(times[index].median() / column.parts as f64));
            row.push(of_floor(times));
            row.extend(free.map(|free| of_floor(&free[number])));
        }
        table.row(row);
    }
    report.table(name, table);
}
