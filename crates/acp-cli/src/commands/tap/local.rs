//! An agent that is started here, with the streams of an editor.

use std::pin::pin;
use std::process::Stdio;
use std::time::Duration;

use acp_client::tap::Direction;
use acp_client::{Command, Transport};
use acp_testkit::recordings::Tape;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader, copy_buf};
use tokio::time::timeout;

use crate::outcome::Failure;
use crate::passing::signals::{Signals, code};

/// The time for the last bytes of an agent that has exited. Another process may hold its stdout.
const LAST_BYTES: Duration = Duration::from_secs(1);
/// The bytes that are passed on at once.
const CHUNK: usize = 64 * 1024;

/// Starts the agent and passes bytes on until it has ended. Returns the exit code and the reason.
pub(super) async fn run(command: Command, tape: &Tape) -> Result<(u8, String), Failure> {
    let program = command.program().display().to_string();
    let mut process = command.to_std();
    process.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut signals = Signals::listen()?;
    let child = tokio::process::Command::from(process).spawn();
    let mut child = child.map_err(|error| format!("cannot start `{program}`: {error}"))?;
    let (Some(to_agent), Some(of_agent)) = (child.stdin.take(), child.stdout.take()) else {
        return Err("the agent has no pipes".into());
    };
    let stdio = Transport::stdio()?.into_parts();
    let up = pass(tape.head(Direction::Out).on(stdio.reader), to_agent, true);
    let down = pass(tape.head(Direction::In).on(of_agent), stdio.writer, false);
    let status = {
        let (mut up, mut down) = (pin!(up), pin!(down));
        let (mut is_up, mut is_down) = (true, true);
        loop {
            tokio::select! {
                () = &mut up, if is_up => is_up = false,
                () = &mut down, if is_down => is_down = false,
                signal = signals.next() => signal.send_to(&child),
                status = child.wait() => {
                    if is_down {
                        // It may have written more than was passed on.
                        let _ = timeout(LAST_BYTES, down).await;
                    }
                    break status?;
                }
            }
        }
    };
    Ok((code(status), format!("the agent has ended: {status}")))
}

/// Passes bytes on as they are, and then closes both ends. If the writer fails and `drains`, the
/// rest is read and left out, so that the sender is not held up.
async fn pass(reader: impl AsyncRead + Unpin, mut writer: impl AsyncWrite + Unpin, drains: bool) {
    let mut reader = BufReader::with_capacity(CHUNK, reader);
    let passed = copy_buf(&mut reader, &mut writer).await;
    // Either end may be gone.
    let _ = writer.shutdown().await;
    drop(writer);
    if passed.is_err() && drains {
        while reader.fill_buf().await.is_ok_and(|bytes| !bytes.is_empty()) {
            let length = reader.buffer().len();
            reader.consume(length);
        }
    }
}
