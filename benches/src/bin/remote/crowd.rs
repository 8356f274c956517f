//! Many connections at once, over WebSocket.

use std::time::{Duration, Instant};

use anyhow::Result;
use benches::report::{Report, number};
use benches::{Table, median};
use futures::future::try_join_all;
use futures::stream::{self, StreamExt as _, TryStreamExt as _};
use tokio::runtime::Builder;

use crate::clients::WebSocket;
use crate::servers::{ALL, Running, Server};

/// The connections that do nothing.
const IDLE: usize = 5_000;
/// The connections that have a turn at any time.
const BUSY: usize = 1_000;
/// How often each server gets its turn.
const ROUNDS: usize = 5;
/// The time for which a crowd is busy in each round.
const TIME: Duration = Duration::from_secs(3);
/// The connections that are opened at the same time.
const AT_ONCE: usize = 50;
/// The limit of an idle connection, as a ratio to the official SDK.
const BAR: f64 = 0.5;

/// The figures of a server, one for each round.
#[derive(Default)]
struct Figures {
    memory: Vec<f64>,
    turns: Vec<f64>,
    processor: Vec<f64>,
}

pub(crate) fn idle(report: &mut Report) -> Result<()> {
    let mut figures = [Vec::new(), Vec::new(), Vec::new()];
    for round in 0..ROUNDS {
        for turn in 0..ALL.len() {
            let index = (round + turn) % ALL.len();
            figures[index].push(resident_each(ALL[index])?);
        }
    }
    let medians: Vec<f64> = figures.iter().cloned().map(median).collect();
    let [_, ours, official] = medians.as_slice() else { return Ok(()) };
    let mut table = Table::new(&["server", "resident each", "of Rust SDK"]);
    for (server, memory) in ALL.iter().zip(&medians) {
        table.row([server.name().to_owned(), kib(*memory), format!("{:.2}x", memory / official)]);
    }
    report.table("remote-idle", table);
    report.ratio("idle connection over WebSocket: resident memory", BAR, "Rust SDK", ours / official, None);
    Ok(())
}

/// Opens connections, each with a session that has had a turn, and returns the growth of the
/// server's memory for each.
fn resident_each(server: Server) -> Result<f64> {
    let running = server.start()?;
    let runtime = Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let _first = WebSocket::connect(running.address).await?;
        let before = running.resident()?;
        let _crowd = crowd(&running, IDLE).await?;
        Ok((running.resident()?.saturating_sub(before)) as f64 / IDLE as f64)
    })
}

async fn crowd(running: &Running, count: usize) -> Result<Vec<WebSocket>> {
    let connecting = stream::iter(0..count).map(|_| async {
        let mut socket = WebSocket::connect(running.address).await?;
        socket.turn().await?;
        anyhow::Ok(socket)
    });
    connecting.buffer_unordered(AT_ONCE).try_collect().await
}

pub(crate) fn busy(report: &mut Report) -> Result<()> {
    let mut figures: [Figures; 3] = Default::default();
    for round in 0..ROUNDS {
        for turn in 0..ALL.len() {
            let index = (round + turn) % ALL.len();
            work(ALL[index], &mut figures[index])?;
        }
    }
    let header =
        ["server", "turns a second", "of Rust SDK", "processor each", "resident each", "of Rust SDK"];
    let mut table = Table::new(&header);
    let official = &figures[2];
    for (server, of) in ALL.iter().zip(&figures) {
        table.row([
            server.name().to_owned(),
            number(median(of.turns.clone())),
            format!("{:.2}x", of_rounds(&of.turns, &official.turns)),
            format!("{} µs", number(median(of.processor.clone()) * 1e6)),
            kib(median(of.memory.clone())),
            format!("{:.2}x", of_rounds(&of.memory, &official.memory)),
        ]);
    }
    report.table("remote-busy", table);
    Ok(())
}

/// Keeps a crowd busy for a time.
fn work(server: Server, figures: &mut Figures) -> Result<()> {
    let running = server.start()?;
    let runtime = Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let first = WebSocket::connect(running.address).await?;
        let before = running.resident()?;
        let crowd = crowd(&running, BUSY).await?;
        let (processor, start) = (running.processor_time()?, Instant::now());
        let working = crowd.into_iter().map(|mut socket| async move {
            let mut turns = 0;
            while start.elapsed() < TIME {
                socket.turn().await?;
                turns += 1;
            }
            anyhow::Ok((turns, socket))
        });
        let done = try_join_all(working).await?;
        let turns: usize = done.iter().map(|(turns, _)| turns).sum();
        figures.turns.push(turns as f64 / start.elapsed().as_secs_f64());
        figures.processor.push((running.processor_time()? - processor) / turns as f64);
        figures.memory.push(running.resident()?.saturating_sub(before) as f64 / BUSY as f64);
        drop(first);
        Ok(())
    })
}

/// Returns the median of the ratios within each round.
fn of_rounds(ours: &[f64], theirs: &[f64]) -> f64 {
    median(ours.iter().zip(theirs).map(|(ours, theirs)| ours / theirs).collect())
}

fn kib(bytes: f64) -> String {
    format!("{:.1} KiB", bytes / 1024.0)
}
