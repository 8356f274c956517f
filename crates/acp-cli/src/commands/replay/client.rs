//! The client of a recording, played against an agent that may be another one.

use std::time::Duration;

use acp_client::Transport;
use acp_client::tap::{Direction, Record, Recording, replay};
use acp_testkit::recordings::{Comparison, Conversation, RecordFile, Side, Tape, TapeOptions};
use tokio::io::{AsyncWriteExt, copy};
use tokio::time::timeout;

use crate::args::replay::ReplayArgs;
use crate::commands::diff::{read, show};
use crate::named::Named;
use crate::outcome::{Failure, exit, tell};
use crate::passing::streams::Streams;

/// The time for a replay, beside that of the recording.
const PATIENCE: Duration = Duration::from_secs(60);
/// The time that the end of the recording may take.
const LAST_RECORDS: Duration = Duration::from_secs(10);

/// Drives an agent and compares it with the recorded one.
pub(super) async fn drive(
    args: &ReplayArgs,
    named: &Named,
    recorded: &Conversation,
    streams: &Streams,
) -> Result<u8, Failure> {
    let (transport, replay) = replay(Recording::open(&args.recording)?, recorded.client)?;
    let replay = if args.paced { replay.paced() } else { replay };
    let agent = named.find()?.transport(streams)?;
    let folder = tempfile::Builder::new().prefix("acp-replay-").tempdir()?;
    let file = args.record.clone().unwrap_or_else(|| folder.path().join("live.ndjson"));
    let tape = Tape::start(RecordFile::new(&file), TapeOptions::default())?;
    let patience = match args.timeout {
        Some(timeout) => timeout,
        None => PATIENCE + length(&args.recording)?,
    };
    let played = async { tokio::join!(replay, pass(transport, agent, &tape)).0 };
    let is_late = timeout(patience, played).await.is_err();
    if tape.end("the replay has ended", LAST_RECORDS).is_none() {
        return Err(format!("the recording {} could not be written", file.display()).into());
    }
    let live = read(&file, &args.options.normal)?;
    let comparison = Comparison::of_side(recorded, &live, Side::Agent);
    show(&comparison, &args.options)?;
    if is_late {
        tell(&format!(
            "acp: the agent did not send all that was recorded within {} s",
            patience.as_secs_f32()
        ));
    }
    Ok(if comparison.is_equal() && !is_late { exit::DONE } else { exit::ERROR })
}

/// Passes bytes between the played client and the agent until both have ended.
async fn pass(client: Transport, agent: Transport, tape: &Tape) {
    let (client, agent) = (client.into_parts(), agent.into_parts());
    let (mut of_client, mut to_client) = (tape.head(Direction::Out).on(client.reader), client.writer);
    let (mut of_agent, mut to_agent) = (tape.head(Direction::In).on(agent.reader), agent.writer);
    let up = async {
        // Either end may be gone.
        let _ = copy(&mut of_client, &mut to_agent).await;
        let _ = to_agent.shutdown().await;
        drop(to_agent);
        if let Some(process) = agent.process {
            process.end().await;
        }
    };
    let down = async {
        let _ = copy(&mut of_agent, &mut to_client).await;
        let _ = to_client.shutdown().await;
    };
    tokio::join!(up, down);
}

/// Returns the time from the first record to the last one.
fn length(recording: &std::path::Path) -> Result<Duration, Failure> {
    let mut ends = None;
    for record in Recording::open(recording)? {
        if let Record::Line(entry) = record? {
            let (first, _) = ends.unwrap_or((entry.time, entry.time));
            ends = Some((first, entry.time));
        }
    }
    Ok(ends.and_then(|(first, last)| last.duration_since(first).ok()).unwrap_or_default())
}
