//! Loading a stored session, beside a turn that says as much.

use std::cell::RefCell;

use acp_agent::store::Journal;
use acp_agent::{ContentBlock, Result as AgentResult, Router, StopReason, Transport, Turn, op};
use anyhow::{Result, ensure};
use benches::{Contender, Table, race};
use tokio::io::{DuplexStream, ReadHalf, WriteHalf};
use tokio::runtime::Runtime;

use crate::clients::MEMORY_PIPE;
use crate::floor::{FloorClient, Reading};
use crate::report::{Report, duration, times_of};
use crate::run::runtime;
use crate::script::{CHUNK, Script};

/// How many updates the session has.
const UPDATES: usize = 10_000;

/// How much longer a replay may take than the turn.
const LIMIT: f64 = 1.25;

async fn say(_: &(), turn: Turn) -> AgentResult<StopReason> {
    let text = turn.prompt().first().and_then(ContentBlock::as_text).unwrap_or_default();
    for _ in 0..Script::parse(text).updates() {
        turn.say(CHUNK).await?;
    }
    Ok(StopReason::EndTurn)
}

/// An agent in memory, and a client that throws away what it says.
struct Connected {
    runtime: Runtime,
    client: RefCell<FloorClient<ReadHalf<DuplexStream>, WriteHalf<DuplexStream>>>,
}

impl Connected {
    fn new(agent: Router<()>) -> Result<Self> {
        let runtime = runtime()?;
        let (here, there) = tokio::io::duplex(MEMORY_PIPE);
        drop(runtime.spawn(acp_agent::serve(agent, Transport::from_stream(there))));
        let (reader, writer) = tokio::io::split(here);
        let client = runtime.block_on(FloorClient::connect(reader, writer, 1, Reading::Skip))?;
        Ok(Connected { runtime, client: RefCell::new(client) })
    }

    fn turn(&self, updates: usize) -> Result<usize> {
        let prompt = Script::Say(updates).to_string();
        self.runtime.block_on(self.client.borrow_mut().turns(&[&prompt]))
    }

    fn load(&self) -> Result<usize> {
        self.runtime.block_on(self.client.borrow_mut().load(0))
    }
}

/// The turn is that of an agent that keeps nothing: it is the harder bar.
pub(crate) fn run(report: &mut Report, rounds: usize) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let agent = || Router::new("bench", "1", ()).on::<op::Prompt, _>(say);
    let forgetful = Connected::new(agent())?;
    let keeping = Connected::new(agent().store(Journal::at(folder.path())))?;
    ensure!(keeping.turn(UPDATES)? == UPDATES, "a turn has other updates");
    // The prompt comes back, too.
    ensure!(keeping.load()? == UPDATES + 1, "a replay has other updates");
    let recording = Connected::new(agent().store(Journal::at(folder.path().join("recording"))))?;
    let turn = |connected: &Connected| assert_eq!(connected.turn(UPDATES).ok(), Some(UPDATES));
    let contenders = [
        Contender { name: "turn", run: Box::new(|| turn(&forgetful)) },
        Contender { name: "turn, kept", run: Box::new(|| turn(&recording)) },
        Contender { name: "replay", run: Box::new(|| assert_eq!(keeping.load().ok(), Some(UPDATES + 1))) },
    ];
    let times = race(&contenders, (rounds / 10).max(3));
    let mut table = Table::new(&["", "each of 10,000", "of the turn"]);
    for (contender, taken) in contenders.iter().zip(&times) {
        let each = duration(taken.median() / UPDATES as f64);
        table.row(vec![contender.name.to_owned(), each, format!("{:.2}x", times_of(taken, &times[0]))]);
    }
    report.table("replay", table);
    report.ratio("load a stored session", LIMIT, "turn", times_of(&times[2], &times[0]), None);
    Ok(())
}
