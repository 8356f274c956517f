//! The agent of a recording, on stdin and stdout.

use acp_client::Transport;
use acp_client::tap::{Direction, Recording, replay};
use acp_testkit::recordings::opposite;
use tokio::io::{AsyncWriteExt, copy};

use crate::args::replay::ReplayArgs;
use crate::outcome::{Failure, exit, tell};

/// Plays the agent until its client hangs up.
pub(super) async fn serve(args: &ReplayArgs, client: Direction) -> Result<u8, Failure> {
    let (transport, replay) = replay(Recording::open(&args.recording)?, opposite(client))?;
    let replay = if args.paced { replay.paced() } else { replay }.lasting();
    let mut stdio = Transport::stdio()?.into_parts();
    let mut played = transport.into_parts();
    let up = async {
        let passed = copy(&mut stdio.reader, &mut played.writer).await;
        // The end of the client is the end of the replay.
        played.writer.shutdown().await.and(passed)
    };
    let down = async {
        // A client that reads no more may still send something.
        let _ = copy(&mut played.reader, &mut stdio.writer).await;
        let _ = stdio.writer.shutdown().await;
    };
    let (_, (), played) = tokio::join!(up, down, replay);
    if played.is_faithful() {
        return Ok(exit::DONE);
    }
    tell(&format!("acp: the client is not that of {}: {played}", args.recording.display()));
    Ok(exit::ERROR)
}
