//! An agent that `npx` runs: with the package from its cache, and if that fails once more with the
//! one from the network.

use std::cell::Cell;
use std::io;
use std::os::unix::process::CommandExt;
use std::pin::pin;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use acp_client::{Command, Transport};
use rustix::process::{Pid, Signal, getpgrp, getpid, kill_process_group};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::named::installed::guard::Guard;
use crate::named::installed::listener::Listener;
use crate::named::installed::start::prefer_offline;
use crate::outcome::{Failure, tell};
use crate::passing::signals::{Signals, code};

/// The time for the last bytes of an agent that has exited. Another process may hold its stdout.
const LAST_BYTES: Duration = Duration::from_secs(1);
/// The bytes that are passed on at once.
const CHUNK: usize = 64 * 1024;
/// The most bytes of stdin that are kept for the second attempt.
const MOST_KEPT: usize = 1024 * 1024;

/// Runs the agent, and returns its exit code.
pub(super) async fn run(id: &str, command: &Command, guard: Guard) -> Result<u8, Failure> {
    // A process group that this program leads is ended by its starter, as a whole.
    let leads = getpgrp() == getpid();
    let mut signals = if leads { Signals::listen()? } else { Signals::listen_for_group()? };
    let stdio = Transport::stdio()?.into_parts();
    let (mut input, mut output) = (Input::of(stdio.reader), Output::of(stdio.writer, id));
    let cached = prefer_offline(command);
    let first = attempt(&cached, leads, &mut input, &mut output, &mut signals).await?;
    let ended = if first.may_be_repeated && !input.is_lost && !first.status.success() {
        tell("acp: npx has failed with the packages of its cache: once more with those of the network");
        attempt(command, leads, &mut input, &mut output, &mut signals).await?
    } else {
        first
    };
    // A write to a stuck reader is not waited for.
    let _ = timeout(LAST_BYTES, output.writer.shutdown()).await;
    if let Some(keeping) = output.keeping.take() {
        // It waits for no other process. A failure is not told.
        let _ = keeping.await;
    }
    drop(guard);
    Ok(code(ended.status))
}

/// The end of an attempt.
struct Attempt {
    status: ExitStatus,
    /// The agent has not written anything, and nobody has asked it to end.
    may_be_repeated: bool,
}

async fn attempt<R, W>(
    command: &Command,
    leads: bool,
    input: &mut Input<R>,
    output: &mut Output<W>,
    signals: &mut Signals,
) -> Result<Attempt, Failure>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    let mut process = command.to_std();
    process.stdin(Stdio::piped()).stdout(Stdio::piped());
    if !leads {
        process.process_group(0);
    }
    let child = tokio::process::Command::from(process).spawn();
    let mut child = child.map_err(|error| format!("cannot start `npx`: {error}"))?;
    let group = child.id().and_then(|pid| Pid::from_raw(i32::try_from(pid).ok()?)).filter(|_| !leads);
    let (Some(to_agent), Some(of_agent)) = (child.stdin.take(), child.stdout.take()) else {
        return Err("the agent has no pipes".into());
    };
    let has_spoken = Cell::new(false);
    let mut is_told = false;
    let status = {
        let mut up = pin!(input.pass_to(to_agent, &has_spoken));
        let mut down = pin!(pass_back(of_agent, output, &has_spoken));
        let (mut is_up, mut is_down) = (true, true);
        loop {
            tokio::select! {
                () = &mut up, if is_up => is_up = false,
                () = &mut down, if is_down => is_down = false,
                signal = signals.next() => {
                    is_told = true;
                    match group {
                        Some(group) => signal.send_to_group(group),
                        None => signal.send_to(&child),
                    }
                }
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
    if let Some(group) = group {
        // npx may leave the processes behind that it has started. It is fine if there are none.
        let _ = kill_process_group(group, Signal::KILL);
    }
    Ok(Attempt { status, may_be_repeated: !has_spoken.get() && !is_told })
}

/// The bytes of the client, and those that a second attempt would need.
struct Input<R> {
    reader: R,
    kept: Vec<u8>,
    is_ended: bool,
    /// Too much came to be kept.
    is_lost: bool,
}

impl<R: AsyncRead + Unpin> Input<R> {
    const fn of(reader: R) -> Self {
        Self { reader, kept: Vec::new(), is_ended: false, is_lost: false }
    }

    /// Passes bytes on, those that were kept first. Dropping the future loses none of them before
    /// the agent has spoken.
    async fn pass_to(&mut self, mut agent: impl AsyncWrite + Unpin, has_spoken: &Cell<bool>) {
        let mut is_open = agent.write_all(&self.kept).await.is_ok();
        let mut chunk = vec![0; CHUNK];
        while !self.is_ended {
            let count = self.reader.read(&mut chunk).await.unwrap_or(0);
            let Some(bytes) = chunk.get(..count).filter(|bytes| !bytes.is_empty()) else {
                self.is_ended = true;
                break;
            };
            self.keep(bytes, has_spoken.get());
            // The rest of a client that is not heard is left out, so that it is not held up.
            is_open = is_open && agent.write_all(bytes).await.is_ok() && agent.flush().await.is_ok();
        }
        // The agent may be gone.
        let _ = agent.shutdown().await;
    }

    fn keep(&mut self, bytes: &[u8], has_spoken: bool) {
        if has_spoken || self.is_lost {
            self.kept = Vec::new();
        } else if self.kept.len() + bytes.len() > MOST_KEPT {
            (self.kept, self.is_lost) = (Vec::new(), true);
        } else {
            self.kept.extend_from_slice(bytes);
        }
    }
}

/// The way back to the client, which hears the agent's answer to `initialize`.
struct Output<W> {
    writer: W,
    id: String,
    listener: Listener,
    /// The answer is being written down.
    keeping: Option<JoinHandle<()>>,
}

impl<W: AsyncWrite + Unpin> Output<W> {
    fn of(writer: W, id: &str) -> Self {
        Self { writer, id: id.to_owned(), listener: Listener::new(), keeping: None }
    }

    async fn pass(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.writer.write_all(bytes).await?;
        self.writer.flush().await?;
        if let Some(answered) = self.listener.hear(bytes) {
            // The client has its answer already, and the agent's next words do not wait.
            self.keeping = Some(tokio::spawn(answered.keep(self.id.clone())));
        }
        Ok(())
    }
}

/// Passes the bytes of the agent on.
async fn pass_back<W: AsyncWrite + Unpin>(
    mut agent: impl AsyncRead + Unpin,
    output: &mut Output<W>,
    has_spoken: &Cell<bool>,
) {
    let mut chunk = vec![0; CHUNK];
    let mut pass = async || -> io::Result<()> {
        loop {
            let count = agent.read(&mut chunk).await?;
            let Some(bytes) = chunk.get(..count).filter(|bytes| !bytes.is_empty()) else { return Ok(()) };
            has_spoken.set(true);
            output.pass(bytes).await?;
        }
    };
    // Either end may be gone. The agent notices that.
    let _ = pass().await;
}
