//! The one loop of a connection.

use std::fmt;
use std::future::{pending, poll_fn, ready};
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, copy, sink};
use tokio::time::{Instant, sleep_until, timeout};

use crate::codec::Framer;
use crate::dispatch::{Dispatch, Received};
use crate::error::CloseReason;
use crate::options::Options;
use crate::peer::Peer;
use crate::pump::{Moved, Pump};
use crate::service::Service;
use crate::share::Share;
use crate::shared::Shared;
use crate::tap::Observer;
use crate::transport::{ChildLink, Transport};

/// Connects a service to the peer at the other end of a transport.
///
/// Nothing happens until the [`Driver`] is spawned or awaited, on a tokio runtime with time enabled. What
/// the [`Peer`] is given before that is queued.
pub fn connect(transport: Transport, service: impl Service, options: Options) -> (Peer, Driver) {
    let peer = Peer::new(Shared::new(&options), options.request_timeout);
    let service = options.layers.inbound(Arc::new(service));
    let Options { max_line, max_message, noise, drain, tap, hold, .. } = options;
    let observer = Observer::new(tap, service);
    let pump = Pump::new(Framer::new(max_line), transport.reader, transport.writer, observer.clone(), hold);
    let dispatch = Dispatch::new(peer.clone(), observer, noise, max_line, max_message);
    let connection = Connection {
        dispatch,
        pump,
        child: transport.child,
        child_is_gone: false,
        unwritten: None,
        share: Share::new(),
        drain,
    };
    (peer, Driver { running: Box::pin(connection.run()) })
}

/// A connection at work: resolves to the reason it ended for.
///
/// Dropping it ends the connection on the spot, without a word to the peer. Within the drop, pending calls fail with
/// [`CloseReason::Local`], the tokens of handlers fire, jobs that wait in lanes are dropped, and
/// [`Service::closed`] is called. Handlers and jobs at work are aborted: the runtime drops them when they next wait.
/// What was queued is not sent. A child process is ended by a task of its own, or at once where there is no
/// runtime: see `Command::grace`.
#[must_use = "a connection does nothing unless its driver is spawned or awaited"]
pub struct Driver {
    running: Pin<Box<dyn Future<Output = CloseReason> + Send>>,
}

impl Future for Driver {
    type Output = CloseReason;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<CloseReason> {
        self.running.as_mut().poll(cx)
    }
}

impl fmt::Debug for Driver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Driver").finish_non_exhaustive()
    }
}

// Fields drop in this order: handlers first, then the pipe, then the child process.
struct Connection {
    dispatch: Dispatch,
    pump: Pump,
    child: Option<ChildLink>,
    child_is_gone: bool,
    /// Why nothing can be written any more.
    unwritten: Option<Arc<io::Error>>,
    share: Share,
    drain: Duration,
}

/// Why the reader does not go on with the lines in the buffer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AtHand {
    /// There are none.
    Nothing,
    /// It must wait.
    Paused,
    /// It is the turn of other tasks.
    More,
}

/// What a turn of the loop came to.
enum Event {
    /// A handler or a lane is done.
    Finished,
    /// Bytes came in.
    Read,
    /// Bytes went out.
    Wrote,
    /// The peer closed its side.
    Eof,
    ReadFailed(Arc<io::Error>),
    WriteFailed(Arc<io::Error>),
    /// The child process is gone.
    Exited(CloseReason),
    /// This side wants to end.
    Close,
    /// The deadline has passed.
    Overdue,
}

/// Whether the peer is still listened to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Serving,
    Ending,
}

impl Connection {
    async fn run(mut self) -> CloseReason {
        let cause = self.serve().await;
        let reason = self.last_words(cause).await;
        self.dispatch.fail_calls(&reason);
        self.wind_down(&reason).await;
        let reason = self.with_losses(reason);
        let Self { mut dispatch, mut pump, child, drain, .. } = self;
        // A peer that does not read must not keep us; what could not be sent by now is lost with it.
        let _ = timeout(drain, pump.shutdown()).await;
        let rest = pump.close();
        if let Some(child) = child {
            tokio::select! {
                () = child.end() => {}
                // A program that tidies up may still write, and must not fail or block because of it.
                () = discard(rest) => {}
            }
        }
        dispatch.over(&reason);
        reason
    }

    /// Serves until something says that it is over.
    async fn serve(&mut self) -> CloseReason {
        loop {
            match self.turn(Stage::Serving, None).await {
                Event::Finished | Event::Read | Event::Wrote | Event::Overdue => {}
                Event::Eof => return CloseReason::Eof,
                Event::Exited(exit) => return exit,
                Event::Close => return CloseReason::Local,
                Event::ReadFailed(error) | Event::WriteFailed(error) => {
                    return CloseReason::Io(error);
                }
            }
        }
    }

    /// A peer that exits or closes its stdin may have answers on the way, and the exit of a child process
    /// says more than the end of its output: waits for both, as long as something comes.
    async fn last_words(&mut self, cause: CloseReason) -> CloseReason {
        let mut reason = cause;
        let mut done = self.dispatch.lanes.finished();
        let mut told = false;
        let mut deadline = ending(self.drain);
        if matches!(reason, CloseReason::Local) {
            return reason;
        }
        while self.pump.reading
            || self.dispatch.has_handed_back()
            || (self.child.is_some() && !self.child_is_gone)
        {
            match self.turn(Stage::Serving, Some(deadline)).await {
                Event::Exited(_) if told => {}
                Event::Exited(exit) => reason = exit,
                // What an exited process leaves behind in the pipe is there already: more comes from others.
                Event::Read if self.child_is_gone => {}
                Event::Read => deadline = ending(self.drain),
                // Not the peer keeps us waiting, but a slow consumer on this side. It gets all there is; but
                // one that does nothing at all must not keep others from hearing that it is over.
                Event::Overdue if self.pump.reading && self.dispatch.is_paused() => {
                    if done == self.dispatch.lanes.finished() {
                        self.dispatch.fail_calls(&reason);
                        told = true;
                    }
                    done = self.dispatch.lanes.finished();
                    deadline = ending(self.drain);
                }
                Event::Overdue | Event::Close => break,
                Event::Finished | Event::Wrote | Event::Eof => {}
                Event::ReadFailed(_) | Event::WriteFailed(_) => {}
            }
        }
        reason
    }

    /// Lets handlers answer and lanes run dry, as long as something gets done; then tells handlers to stop;
    /// then stops them.
    async fn wind_down(&mut self, reason: &CloseReason) {
        let shared = Arc::clone(&self.dispatch.peer.shared);
        let mut told = matches!(reason, CloseReason::Local) || reason.is_exit() || !self.pump.writing;
        let mut done = self.dispatch.lanes.finished();
        let mut deadline = ending(self.drain);
        loop {
            if told {
                shared.handlers.cancel();
            }
            let idle = self.dispatch.tasks.is_empty();
            if idle {
                // Others than handlers may never stop sending.
                shared.writer.finish();
            }
            if idle && self.pump.is_flushed(&shared.writer) {
                return;
            }
            match self.turn(Stage::Ending, Some(deadline)).await {
                Event::Finished => deadline = ending(self.drain),
                Event::Wrote if idle => deadline = ending(self.drain),
                Event::WriteFailed(_) => told = true,
                Event::Overdue if done != self.dispatch.lanes.finished() => {
                    done = self.dispatch.lanes.finished();
                    deadline = ending(self.drain);
                }
                Event::Overdue if told => break,
                Event::Overdue => {
                    told = true;
                    deadline = ending(self.drain);
                }
                _ => {}
            }
        }
        self.dispatch.cancel_handlers();
        let deadline = ending(self.drain);
        while !self.dispatch.tasks.is_empty() || !self.pump.is_flushed(&shared.writer) {
            if let Event::Overdue = self.turn(Stage::Ending, Some(deadline)).await {
                return;
            }
        }
    }

    /// An end in good order was none if the last answers could not be written, unless nobody was there to read them.
    fn with_losses(&mut self, reason: CloseReason) -> CloseReason {
        match (reason, self.unwritten.take()) {
            (CloseReason::Eof | CloseReason::Local, Some(error)) if is_loss(&error) => CloseReason::Io(error),
            (reason, _) => reason,
        }
    }

    /// One turn of the loop: deals with the lines at hand, then waits for the next thing to happen.
    async fn turn(&mut self, stage: Stage, deadline: Option<Instant>) -> Event {
        loop {
            let at_hand = match stage {
                Stage::Serving => self.receive_lines(),
                Stage::Ending => AtHand::Paused,
            };
            if at_hand == AtHand::More {
                self.share.renew().await;
            }
            let Self { dispatch, pump, child, .. } = self;
            let shared = Arc::clone(&dispatch.peer.shared);
            // The order matters, because an earlier branch that is always ready starves the later ones.
            // Ends come first: they happen once. Then tasks that are done: each was started by a line, so
            // there are no more of them than the pipe below brings in, and their memory is given back
            // before more is taken. Then the pipe, both directions in one attempt. The last ones only
            // matter when nothing else happens.
            tokio::select! {
                biased;
                () = shared.closing.cancelled(), if stage == Stage::Serving => return Event::Close,
                exit = exit_of(child), if !self.child_is_gone => {
                    self.child_is_gone = true;
                    return Event::Exited(exit);
                }
                Some(_) = dispatch.tasks.join_next(), if !dispatch.tasks.is_empty() => {
                    return Event::Finished;
                }
                moved = poll_fn(|cx| pump.poll(cx, &shared.writer, at_hand == AtHand::Nothing)) => {
                    return self.moved(moved);
                }
                () = shared.intake.resumed(), if at_hand == AtHand::Paused && stage == Stage::Serving => {}
                () = overdue(deadline) => return Event::Overdue,
                () = ready(()), if at_hand == AtHand::More => {}
            }
        }
    }

    /// Deals with the whole lines in the buffer.
    fn receive_lines(&mut self) -> AtHand {
        while !self.dispatch.is_paused() {
            if self.share.is_spent() {
                return AtHand::More;
            }
            let Some(line) = self.pump.framer.next_line() else { return AtHand::Nothing };
            self.share.line();
            if self.dispatch.receive(line) == Received::TooEarly {
                self.pump.framer.hand_back();
            }
        }
        AtHand::Paused
    }

    fn moved(&mut self, moved: Moved) -> Event {
        let shared = &self.dispatch.peer.shared;
        let write_error = moved.wrote.and_then(Result::err).map(Arc::new);
        if let Some(error) = &write_error {
            if !shared.closed.is_cancelled() {
                // For those who send before the end is known.
                shared.set_reason(CloseReason::Io(Arc::clone(error)));
            }
            self.pump.stop_writing(&shared.writer);
            self.unwritten = Some(Arc::clone(error));
        }
        match (moved.read, write_error) {
            (Some(Ok(0)), _) => {
                self.pump.reading = false;
                if let Some(line) = self.pump.framer.finish()
                    && self.dispatch.receive(line) == Received::TooEarly
                {
                    self.pump.framer.hand_back();
                }
                Event::Eof
            }
            (Some(Err(error)), _) => {
                self.pump.reading = false;
                Event::ReadFailed(Arc::new(error))
            }
            (_, Some(error)) => Event::WriteFailed(error),
            (Some(Ok(bytes)), None) => {
                self.share.read(bytes);
                Event::Read
            }
            (None, None) => Event::Wrote,
        }
    }
}

/// Tells whether the system could not write, and that not because there is nobody to read. A sink of messages may say anything
/// once it is closed.
fn is_loss(error: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, NotConnected};
    let is_gone = matches!(error.kind(), BrokenPipe | ConnectionReset | ConnectionAborted | NotConnected);
    error.raw_os_error().is_some() && !is_gone
}

/// Reads what nobody wants to know; never done.
async fn discard(mut stream: Pin<Box<dyn AsyncRead + Send>>) {
    let _ = copy(&mut stream, &mut sink()).await;
    pending().await
}

/// The end of a wait that begins now: one that no clock can show is as good as never.
fn ending(after: Duration) -> Instant {
    let now = Instant::now();
    now.checked_add(after).unwrap_or_else(|| now + crate::options::NEVER)
}

/// Made only when it is polled: a timer that nobody needs is not even looked at.
async fn overdue(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => sleep_until(deadline).await,
        None => pending().await,
    }
}

async fn exit_of(child: &mut Option<ChildLink>) -> CloseReason {
    match child {
        Some(child) => child.exited().await,
        None => pending().await,
    }
}
