//! An agent that is started here, with the streams of an editor.

use std::io;
use std::pin::pin;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use acp_client::tap::Direction;
use acp_client::{Command, Transport};
use acp_testkit::recordings::Tape;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader, copy_buf};
use tokio::process::Child;
use tokio::sync::watch;
use tokio::time::sleep;

use crate::outcome::Failure;

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

/// Returns the exit code of the agent as a shell shows it.
fn code(status: ExitStatus) -> u8 {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return u8::try_from(128 + signal).unwrap_or(u8::MAX);
    }
    match status.code() {
        Some(0) => 0,
        // A code that has no room is still not a success.
        Some(code) => u8::try_from(code & 0xff).ok().filter(|code| *code != 0).unwrap_or(1),
        None => 1,
    }
}

/// Signals that the agent gets, too.
#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    hangup: tokio::signal::unix::Signal,
    quit: tokio::signal::unix::Signal,
    /// The terminal sends its signals to the agent itself.
    has_terminal: bool,
}

/// A signal that came.
#[cfg(unix)]
struct Came(Option<rustix::process::Signal>);

#[cfg(unix)]
impl Signals {
    fn listen() -> io::Result<Self> {
        use std::io::IsTerminal;

        use tokio::signal::unix::{SignalKind, signal};

        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
            quit: signal(SignalKind::quit())?,
            has_terminal: io::stdin().is_terminal() || io::stderr().is_terminal(),
        })
    }

    async fn next(&mut self) -> Came {
        use rustix::process::Signal;
        let of_terminal = |signal| Came((!self.has_terminal).then_some(signal));
        tokio::select! {
            _ = self.interrupt.recv() => of_terminal(Signal::INT),
            _ = self.quit.recv() => of_terminal(Signal::QUIT),
            _ = self.terminate.recv() => Came(Some(Signal::TERM)),
            _ = self.hangup.recv() => Came(Some(Signal::HUP)),
        }
    }
}

#[cfg(unix)]
impl Came {
    fn send_to(&self, child: &Child) {
        let pid = child.id().and_then(|pid| rustix::process::Pid::from_raw(i32::try_from(pid).ok()?));
        if let (Some(signal), Some(pid)) = (self.0, pid) {
            // It may have exited in this moment.
            let _ = rustix::process::kill_process(pid, signal);
        }
    }
}

/// Signals that the agent gets, too: the console sends them to it.
#[cfg(not(unix))]
struct Signals(tokio::signal::windows::CtrlC);

/// A signal that came.
#[cfg(not(unix))]
struct Came;

#[cfg(not(unix))]
impl Signals {
    fn listen() -> io::Result<Self> {
        tokio::signal::windows::ctrl_c().map(Self)
    }

    async fn next(&mut self) -> Came {
        self.0.recv().await;
        Came
    }
}

#[cfg(not(unix))]
impl Came {
    fn send_to(&self, _: &Child) {}
}
