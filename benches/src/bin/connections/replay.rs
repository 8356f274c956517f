//! Loading and keeping a session, beside a turn with as many updates that is not kept.

use std::cell::RefCell;
use std::ffi::OsString;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;

use acp_agent::store::Journal;
use acp_agent::{ContentBlock, Result as AgentResult, Router, StopReason, Transport, Turn, op};
use anyhow::{Result, ensure};
use benches::{Contender, Table, race};
use tokio::io::{AsyncRead, AsyncWrite, DuplexStream, ReadHalf, WriteHalf};
use tokio::net::unix::pipe;
use tokio::runtime::Runtime;

use crate::agents::Agent;
use crate::clients::{MEMORY_PIPE, Reaped, spawn};
use crate::floor::{FloorClient, Reading};
use crate::run::runtime;
use crate::script::{CHUNK, Script};
use benches::report::{Report, duration, times_of};

/// The number of updates of the session in memory, where only the agent's own work counts.
const IN_MEMORY: usize = 10_000;
/// The number of updates over the pipes of a child process.
const OVER_PIPES: usize = 100_000;

/// The longest time of a replay, relative to the turn.
const LOAD: f64 = 1.25;
/// The longest time of a kept turn, relative to a turn that is not kept plus the disk's part.
const KEEP: f64 = 1.5;

/// The size of a write to a disk.
const PIECE: usize = 64 * 1024;

async fn say(_: &(), turn: Turn) -> AgentResult<StopReason> {
    let text = turn.prompt().first().and_then(ContentBlock::as_text).unwrap_or_default();
    for _ in 0..Script::parse(text).updates() {
        turn.say(CHUNK).await?;
    }
    Ok(StopReason::EndTurn)
}

fn agent() -> Router<()> {
    Router::new("bench", "1", ()).on::<op::Prompt, _>(say)
}

/// The main function of a child process: an agent over stdin and stdout that keeps its sessions in
/// this folder.
pub(crate) fn agent_child(folder: &str) -> Result<()> {
    Ok(runtime()?.block_on(acp_agent::serve_stdio(agent().store(Journal::at(folder))))?)
}

/// An agent, and a client that drops the updates.
struct Connected<R, W> {
    client: RefCell<FloorClient<R, W>>,
    runtime: Runtime,
    _child: Option<Reaped>,
}

impl Connected<ReadHalf<DuplexStream>, WriteHalf<DuplexStream>> {
    fn in_memory(agent: Router<()>) -> Result<Self> {
        let runtime = runtime()?;
        let (here, there) = tokio::io::duplex(MEMORY_PIPE);
        drop(runtime.spawn(acp_agent::serve(agent, Transport::from_stream(there))));
        Self::open(runtime, tokio::io::split(here), None)
    }
}

impl Connected<pipe::Receiver, pipe::Sender> {
    fn over_pipes(command: &[OsString]) -> Result<Self> {
        let runtime = runtime()?;
        let (streams, child) = spawn(&runtime, command)?;
        Self::open(runtime, streams, Some(child))
    }
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> Connected<R, W> {
    fn open(runtime: Runtime, (reader, writer): (R, W), child: Option<Reaped>) -> Result<Self> {
        let client = runtime.block_on(FloorClient::connect(reader, writer, 1, Reading::Skip))?;
        Ok(Connected { client: RefCell::new(client), runtime, _child: child })
    }

    fn turn(&self, script: Script) -> Result<usize> {
        self.runtime.block_on(self.client.borrow_mut().turns(&[&script.to_string()]))
    }

    fn load(&self) -> Result<usize> {
        self.runtime.block_on(self.client.borrow_mut().load(0))
    }
}

/// A file that is written and synced like the file of a session.
struct Disk(RefCell<File>);

impl Disk {
    fn write(&self, bytes: usize) -> Result<()> {
        let mut file = self.0.borrow_mut();
        let piece = [b'x'; PIECE];
        let mut left = bytes;
        while left > 0 {
            let length = left.min(PIECE);
            file.write_all(&piece[..length])?;
            left -= length;
        }
        Ok(file.sync_data()?)
    }
}

/// The contestants.
struct Side<R, W> {
    /// The pipe alone: an agent with prepared updates.
    floor: Option<Connected<R, W>>,
    forgetful: Connected<R, W>,
    /// The session is one turn, and is loaded repeatedly.
    keeping: Connected<R, W>,
    /// The session grows.
    recording: Connected<R, W>,
    /// The size of the loaded session in its file.
    stored: usize,
    disk: Disk,
    updates: usize,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> Side<R, W> {
    fn check(&mut self, folder: &Path) -> Result<()> {
        let said = self.keeping.turn(Script::Say(self.updates))?;
        ensure!(said == self.updates, "a turn has other updates");
        // The prompt comes back, too.
        ensure!(self.keeping.load()? == self.updates + 1, "a replay has other updates");
        for entry in std::fs::read_dir(folder)? {
            self.stored += usize::try_from(entry?.metadata()?.len())?;
        }
        ensure!(self.stored > self.updates * CHUNK.len(), "what was said is not stored");
        Ok(())
    }

    /// Races them. Returns the time of the replay relative to the turn, and of the kept turn
    /// relative to the turn and the disk.
    fn race(&self, report: &mut Report, name: &'static str, rounds: usize) -> [f64; 2] {
        let said = |connected: &Connected<R, W>, script| {
            assert_eq!(connected.turn(script).ok(), Some(self.updates));
        };
        let say = Script::Say(self.updates);
        let load = || assert_eq!(self.keeping.load().ok(), Some(self.updates + 1));
        let turn_and_disk = || {
            said(&self.forgetful, say);
            assert!(self.disk.write(self.stored).is_ok());
        };
        let mut contenders = vec![
            Contender { name: "turn", run: Box::new(|| said(&self.forgetful, say)) },
            Contender { name: "replay", run: Box::new(load) },
            Contender { name: "turn, kept", run: Box::new(|| said(&self.recording, say)) },
            Contender { name: "turn, then as much written and synced", run: Box::new(turn_and_disk) },
        ];
        if let Some(floor) = &self.floor {
            let run = Box::new(|| said(floor, Script::Chunks(self.updates)));
            contenders.push(Contender { name: "updates written beforehand", run });
        }
        let times = race(&contenders, rounds);
        let mut table = Table::new(&["", "each", "of the turn"]);
        for (contender, taken) in contenders.iter().zip(&times) {
            let each = duration(taken.median() / self.updates as f64);
            table.row(vec![contender.name.to_owned(), each, format!("{:.2}x", times_of(taken, &times[0]))]);
        }
        report.table(name, table);
        [times_of(&times[1], &times[0]), times_of(&times[2], &times[3])]
    }
}

pub(crate) fn run(report: &mut Report, rounds: usize) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let at = |name: &str| folder.path().join(name);
    let disk = |name: &str| -> Result<Disk> { Ok(Disk(RefCell::new(File::create(at(name))?))) };

    let keeping = |name: &str| Connected::in_memory(agent().store(Journal::at(at(name))));
    let mut memory = Side {
        floor: None,
        forgetful: Connected::in_memory(agent())?,
        keeping: keeping("memory")?,
        recording: keeping("memory, recording")?,
        stored: 0,
        disk: disk("memory, disk")?,
        updates: IN_MEMORY,
    };
    memory.check(&at("memory"))?;
    let [load, keep] = memory.race(report, "replay", (rounds / 10).max(3));
    drop(memory);
    report.ratio("load a stored session", LOAD, "turn", load, None);
    report.ratio("keep a turn", KEEP, "turn and disk", keep, None);

    let program = std::env::current_exe()?;
    let keeping =
        |name: &str| Connected::over_pipes(&[program.clone().into(), "keeping".into(), at(name).into()]);
    let mut pipes = Side {
        floor: Some(Connected::over_pipes(&Agent::Floor.command()?)?),
        forgetful: Connected::over_pipes(&Agent::Ours.command()?)?,
        keeping: keeping("pipes")?,
        recording: keeping("pipes, recording")?,
        stored: 0,
        disk: disk("pipes, disk")?,
        updates: OVER_PIPES,
    };
    pipes.check(&at("pipes"))?;
    let [load, keep] = pipes.race(report, "replay-pipes", (rounds / 40).max(3));
    report.ratio("load 100,000 updates over a pipe", LOAD, "turn", load, None);
    report.ratio("keep 100,000 updates over a pipe", KEEP, "turn and disk", keep, None);
    Ok(())
}
