//! One command, from its start to the end of everything it started.

use std::convert::Infallible;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use acp_process::Scrollback;
use acp_rpc::{Exit, Output, Running};
use acp_types::v1::{
    CreateTerminalRequest, SessionId, TerminalExitStatus, TerminalId, TerminalOutputResponse,
};
use tokio::io::AsyncReadExt;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// The number of bytes that are read at a time.
const CHUNK: usize = 16 * 1024;
/// The capacity of the largest pipe that a process without special rights can make.
const PIPE: usize = 1024 * 1024;

/// A command of the agent and its output, to show them: see
/// [`LocalTerminals::get`](crate::LocalTerminals::get).
///
/// It stays readable while this is held, even after the agent has released the terminal.
///
/// ```no_run
/// # async fn show(mut terminal: acp_client::Terminal) {
/// while terminal.changed().await {
///     let output = terminal.output().output;
///     // draw it
/// }
/// # }
/// ```
#[derive(Clone)]
pub struct Terminal {
    screen: Arc<Screen>,
    seen: watch::Receiver<()>,
}

/// The state of a command, with its output (rule v1-term-03).
pub(super) struct Screen {
    id: TerminalId,
    request: CreateTerminalRequest,
    scrollback: Mutex<Scrollback>,
    changed: watch::Sender<()>,
    exit: watch::Sender<Option<TerminalExitStatus>>,
    /// Fires when the command is to end.
    kill: CancellationToken,
    /// Fires when the terminal is to be forgotten: the agent has released it, or its session is
    /// over.
    released: CancellationToken,
    /// Fires when nothing of the command is left.
    done: CancellationToken,
}

impl Terminal {
    pub(super) fn new(screen: Arc<Screen>) -> Self {
        let mut seen = screen.changed.subscribe();
        seen.mark_changed();
        Self { screen, seen }
    }

    /// Returns the id by which the agent names it.
    #[must_use]
    pub fn id(&self) -> &TerminalId {
        &self.screen.id
    }

    /// Returns the agent's request: the command with its arguments, and its session. `cwd` is
    /// always set.
    #[must_use]
    pub fn request(&self) -> &CreateTerminalRequest {
        &self.screen.request
    }

    /// Returns the answer to the agent's request for output: the text that is kept, whether there
    /// was more before it, and the exit of the command, if it has ended.
    #[must_use]
    pub fn output(&self) -> TerminalOutputResponse {
        self.screen.output()
    }

    /// Waits for news since the last call. The first call returns at once. Returns false if there
    /// will be no more news. Dropping the future loses nothing.
    pub async fn changed(&mut self) -> bool {
        tokio::select! {
            biased;
            changed = self.seen.changed() => changed.is_ok(),
            () = self.screen.done.cancelled() => false,
        }
    }

    /// Waits for the end of the command and returns its exit. The exit is not known if neither
    /// member is set.
    pub async fn wait(&self) -> TerminalExitStatus {
        self.screen.exited().await
    }

    /// Ends the command and everything that it has started, and waits until it has ended.
    pub async fn kill(&self) {
        self.screen.kill().await;
    }
}

impl fmt::Debug for Terminal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Terminal").field("id", self.id()).finish_non_exhaustive()
    }
}

impl Screen {
    pub(super) fn new(
        id: TerminalId,
        request: CreateTerminalRequest,
        limit: usize,
        released: CancellationToken,
    ) -> Self {
        Self {
            id,
            request,
            scrollback: Mutex::new(Scrollback::new(limit)),
            changed: watch::Sender::new(()),
            exit: watch::Sender::new(None),
            kill: CancellationToken::new(),
            released,
            done: CancellationToken::new(),
        }
    }

    pub(super) const fn id(&self) -> &TerminalId {
        &self.id
    }

    pub(super) const fn session(&self) -> &SessionId {
        &self.request.session_id
    }

    pub(super) fn output(&self) -> TerminalOutputResponse {
        // Read first: the exit is set when all output before it is here.
        let exit = self.exit.borrow().clone();
        let scrollback = self.scrollback();
        let mut output = TerminalOutputResponse::new(scrollback.text(), scrollback.is_truncated());
        output.exit_status = exit;
        output
    }

    pub(super) async fn exited(&self) -> TerminalExitStatus {
        let mut exit = self.exit.subscribe();
        let exit = exit.wait_for(Option::is_some).await;
        exit.map(|exit| exit.clone()).ok().flatten().unwrap_or_default()
    }

    pub(super) async fn kill(&self) {
        self.kill.cancel();
        self.done.cancelled().await;
    }

    pub(super) async fn release(&self) {
        self.released.cancel();
        self.done.cancelled().await;
    }

    pub(super) async fn released(&self) {
        self.released.cancelled().await;
    }

    /// Supervises the command until nothing of it is left.
    pub(super) async fn supervise(&self, mut running: Running, mut output: Output, time: Option<Duration>) {
        let ending = self.is_to_end(time);
        tokio::pin!(ending);
        let exit = tokio::select! {
            exit = running.exited() => Some(exit),
            () = &mut ending => None,
            never = self.read(&mut output) => match never {},
        };
        let is_gone = match exit {
            Some(exit) => {
                self.read_rest(&mut output);
                self.set_exit(&exit);
                tokio::select! {
                    () = running.gone() => true,
                    () = &mut ending => false,
                    never = self.read(&mut output) => match never {},
                }
            }
            None => false,
        };
        if !is_gone {
            let exit = tokio::select! {
                exit = running.end() => exit,
                never = self.read(&mut output) => match never {},
            };
            self.read_rest(&mut output);
            self.set_exit(&exit);
        }
        self.read_rest(&mut output);
    }

    /// Marks the command as gone, or as supervised by nobody.
    pub(super) fn finish(&self) {
        self.scrollback().end();
        self.set_exit(&Exit::default());
        self.changed.send_replace(());
        self.done.cancel();
    }

    async fn is_to_end(&self, time: Option<Duration>) {
        let time_is_up = async {
            match time {
                Some(time) => tokio::time::sleep(time).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = self.kill.cancelled() => {}
            () = self.released.cancelled() => {}
            () = time_is_up => {}
        }
    }

    /// Takes in output, for ever.
    async fn read(&self, output: &mut Output) -> Infallible {
        let mut chunk = vec![0; CHUNK];
        while let Ok(length @ 1..) = output.read(&mut chunk).await {
            self.print(chunk.get(..length).unwrap_or_default());
            // A flood must leave time for others.
            tokio::task::consume_budget().await;
        }
        std::future::pending().await
    }

    /// Takes in the output so far. From a process that never stops, it takes no more than a pipe
    /// can hold.
    fn read_rest(&self, output: &mut Output) {
        let mut chunk = vec![0; CHUNK];
        for _ in 0..PIPE / CHUNK {
            match output.read_now(&mut chunk) {
                0 => return,
                length => self.print(chunk.get(..length).unwrap_or_default()),
            }
        }
    }

    fn print(&self, bytes: &[u8]) {
        self.scrollback().push(bytes);
        self.changed.send_replace(());
    }

    /// Sets the exit of the command, once.
    fn set_exit(&self, how: &Exit) {
        if self.exit.borrow().is_some() {
            return;
        }
        // A process that has ended does not complete half a character.
        self.scrollback().end();
        self.exit.send_replace(Some(exit_status(how)));
        self.changed.send_replace(());
    }

    fn scrollback(&self) -> MutexGuard<'_, Scrollback> {
        self.scrollback.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn exit_status(exit: &Exit) -> TerminalExitStatus {
    let mut status = TerminalExitStatus::new();
    // On Windows some codes have the highest bit set.
    status.exit_code = exit.status.map(i32::cast_unsigned);
    status.signal = exit.signal_name();
    status
}
