//! One command, from its start to the end of everything it started.

use std::convert::Infallible;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use acp_rpc::{Exit, Output, Running};
use acp_types::v1::{
    CreateTerminalRequest, SessionId, TerminalExitStatus, TerminalId, TerminalOutputResponse,
};
use tokio::io::AsyncReadExt;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::scrollback::Scrollback;

/// How much is read at a time.
const CHUNK: usize = 16 * 1024;
/// The most that a pipe holds unless somebody with special rights says otherwise.
const PIPE: usize = 1024 * 1024;

/// A command of the agent's and what it prints, to show them: see [`LocalTerminals::get`](crate::LocalTerminals::get).
///
/// It stays readable as long as this is held, also after the agent has released the terminal.
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

/// What is known of a command.
pub(super) struct Screen {
    id: TerminalId,
    request: CreateTerminalRequest,
    scrollback: Mutex<Scrollback>,
    changed: watch::Sender<()>,
    exit: watch::Sender<Option<TerminalExitStatus>>,
    /// Fires when the command is to end.
    kill: CancellationToken,
    /// Fires when the terminal is to be forgotten: the agent does not need it any more, or its session is over.
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

    /// The id that the agent names it by.
    #[must_use]
    pub fn id(&self) -> &TerminalId {
        &self.screen.id
    }

    /// What the agent asked for: the command with its arguments, and the session it runs for. `cwd` is always set.
    #[must_use]
    pub fn request(&self) -> &CreateTerminalRequest {
        &self.screen.request
    }

    /// What the agent is told when it asks: the text that is kept, whether there was more before it, and how the
    /// command ended, once it has.
    #[must_use]
    pub fn output(&self) -> TerminalOutputResponse {
        self.screen.output()
    }

    /// Waits until there is something new since this handle last waited; the first time it returns at once. False when
    /// there will be nothing new any more. Dropping the future loses nothing.
    pub async fn changed(&mut self) -> bool {
        tokio::select! {
            biased;
            changed = self.seen.changed() => changed.is_ok(),
            () = self.screen.done.cancelled() => false,
        }
    }

    /// Waits until the command has ended, and says how. Where neither member is set, that is not known.
    pub async fn wait(&self) -> TerminalExitStatus {
        self.screen.exited().await
    }

    /// Ends the command and everything it started, and waits until it has ended.
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
        // Looked at first: an exit is told when all that was printed before it is here.
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

    /// Looks after the command until nothing of it is left.
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
                self.tell(&exit);
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
            self.tell(&exit);
        }
        self.read_rest(&mut output);
    }

    /// Nothing is left of the command, or nobody looks after it any more.
    pub(super) fn finish(&self) {
        self.scrollback().end();
        self.tell(&Exit::default());
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

    /// Takes what is printed, for ever.
    async fn read(&self, output: &mut Output) -> Infallible {
        let mut chunk = vec![0; CHUNK];
        while let Ok(length @ 1..) = output.read(&mut chunk).await {
            self.print(chunk.get(..length).unwrap_or_default());
            // A flood leaves time for others.
            tokio::task::consume_budget().await;
        }
        std::future::pending().await
    }

    /// Takes what has been printed so far, of somebody who never stops not more than a pipe full.
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

    /// Says how the command ended, once.
    fn tell(&self, how: &Exit) {
        if self.exit.borrow().is_some() {
            return;
        }
        // Half a character will not be made whole by a process that has ended.
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
    // On Windows some have the highest bit set.
    status.exit_code = exit.status.map(i32::cast_unsigned);
    status.signal = exit.signal_name();
    status
}
