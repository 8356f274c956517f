//! An agent that is started here, with the streams of an editor.

use std::pin::pin;
use std::process::Stdio;
use std::time::Duration;

use acp_client::tap::Direction;
use acp_client::{Command, Transport};
use acp_testkit::recordings::Tape;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader, copy_buf};
use tokio::sync::watch;
use tokio::time::sleep;

use crate::outcome::Failure;
use crate::passing::signals::{Signals, code};

/// The time to wait for the last bytes of an agent that has exited. Another process may hold its
/// stdout.
const LAST_BYTES: Duration = Duration::from_secs(1);
/// The most bytes of an agent that has exited: a pipe holds no more.
const MOST_LAST: usize = 1024 * 1024;
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
    let (exited, has_exited) = watch::channel(false);
    let up = pass_up(tape.head(Direction::Out).on(stdio.reader), to_agent);
    let down = pass_down(tape.head(Direction::In).on(of_agent), stdio.writer, has_exited);
    let status = {
        let (mut up, mut down) = (pin!(up), pin!(down));
        let (mut is_up, mut is_down) = (true, true);
        let status = loop {
            tokio::select! {
                () = &mut up, if is_up => is_up = false,
                () = &mut down, if is_down => is_down = false,
                signal = signals.next() => signal.send_to(&child),
                status = child.wait() => break status?,
            }
        };
        exited.send_replace(true);
        if is_down {
            // It may have written more than was passed on. The editor has the time that it takes.
            tokio::select! {
                () = &mut down => {}
                _ = signals.next() => {}
            }
        }
        status
    };
    Ok((code(status), format!("the agent has ended: {status}")))
}

/// Passes bytes on to the agent as they are, and then closes its stdin. If the agent takes no more,
/// the rest is read and left out, so that the editor is not held up.
async fn pass_up(reader: impl AsyncRead + Unpin, mut agent: impl AsyncWrite + Unpin) {
    let mut reader = BufReader::with_capacity(CHUNK, reader);
    let passed = copy_buf(&mut reader, &mut agent).await;
    // Either end may be gone.
    let _ = agent.shutdown().await;
    drop(agent);
    if passed.is_err() {
        while reader.fill_buf().await.is_ok_and(|bytes| !bytes.is_empty()) {
            let length = reader.buffer().len();
            reader.consume(length);
        }
    }
}

/// Passes bytes on to the editor as they are. Once the agent has exited, more bytes are waited for
/// only shortly, and the editor may still be slow.
async fn pass_down(
    agent: impl AsyncRead + Unpin,
    mut editor: impl AsyncWrite + Unpin,
    mut has_exited: watch::Receiver<bool>,
) {
    let mut reader = BufReader::with_capacity(CHUNK, agent);
    let mut left = MOST_LAST;
    loop {
        let is_last = *has_exited.borrow();
        let bytes = tokio::select! {
            biased;
            bytes = reader.fill_buf() => bytes.unwrap_or_default(),
            () = patience(&mut has_exited) => break,
        };
        let count = if is_last { bytes.len().min(left) } else { bytes.len() };
        let Some(passing) = bytes.get(..count).filter(|bytes| !bytes.is_empty()) else { break };
        if editor.write_all(passing).await.is_err() || editor.flush().await.is_err() {
            break;
        }
        reader.consume(count);
        if is_last {
            left -= count;
        }
    }
    // The editor may be gone.
    let _ = editor.shutdown().await;
}

/// Waits until the agent has exited, and then for as long as its last bytes may take.
async fn patience(has_exited: &mut watch::Receiver<bool>) {
    // The sender is there until the end.
    let _ = has_exited.wait_for(|has_exited| *has_exited).await;
    sleep(LAST_BYTES).await;
}
