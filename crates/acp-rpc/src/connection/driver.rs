//! The one loop of a connection.

use std::fmt;
use std::future::poll_fn;
use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::{Instant, timeout};
use tokio_util::sync::WaitForCancellationFutureOwned;

use super::dispatch::{Dispatch, Received};
use super::options::Options;
use super::pump::{Moved, Pump};
use super::share::Share;
use super::waits::{discard, is_loss, overdue};
use crate::core::budget::Intake;
use crate::core::deadline::ending;
use crate::core::endpoint::Limits;
use crate::core::error::CloseReason;
use crate::peer::Peer;
use crate::peer::shared::Shared;
use crate::service::Service;
use crate::tap::Observer;
use crate::transport::{ChildLink, Transport};
use crate::wire::codec::Framer;
use crate::wire::writer::Writer;

/// Connects a service to the peer at the other end of a transport.
///
/// Nothing happens until the [`Driver`] is spawned or awaited, on a tokio runtime with time
/// enabled. Messages that the [`Peer`] is given before that are queued.
pub fn connect(transport: Transport, service: impl Service, options: Options) -> (Peer, Driver) {
    let peer = Peer::new(shared(&options), options.request_timeout);
    let service = options.layers.inbound(Arc::new(service));
    let Options { max_line, max_message, noise, drain, tap, flush_barrier, .. } = options;
    let observer = Observer::new(tap, service);
    let pump =
        Pump::new(Framer::new(max_line), transport.reader, transport.writer, observer.clone(), flush_barrier);
    let dispatch = Dispatch::new(peer.clone(), observer, noise, max_line, max_message);
    let connection = Connection {
        closing: Box::pin(peer.shared.closing.clone().cancelled_owned()),
        exit: transport.child.as_ref().map(|child| Box::pin(child.exited()) as _),
        dispatch,
        pump,
        child: transport.child,
        end: transport.end,
        unwritten: None,
        share: Share::new(),
        drain,
    };
    (peer, Driver::new(connection.run()))
}

fn shared(options: &Options) -> Shared {
    let limits = Limits { requests: options.max_in_flight, bytes: options.in_flight_budget };
    let writer = Writer::new(options.outgoing_budget.max(1));
    let intake = Intake::new(options.incoming_budget.max(1), options.incoming_ceiling);
    Shared::new(limits, writer, intake, options.layers.outbound())
}

/// A connection at work. It resolves to the reason why it ended.
///
/// Dropping it ends the connection at once, without a word to the peer. The drop fails pending
/// calls with [`CloseReason::Local`], fires the tokens of handlers, drops jobs that wait in lanes
/// and calls [`Service::closed`]. It aborts handlers and jobs at work: the runtime drops them when
/// they next wait. Queued messages are not sent. A task of its own ends a child process, or the
/// drop itself without a runtime: see `Command::grace`.
#[must_use = "a connection does nothing unless its driver is spawned or awaited"]
pub struct Driver {
    running: Pin<Box<dyn Future<Output = CloseReason> + Send>>,
}

impl Driver {
    pub(crate) fn new(running: impl Future<Output = CloseReason> + Send + 'static) -> Self {
        Driver { running: Box::pin(running) }
    }
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
    /// The end that this side asks for. This future and the next are kept over all steps: to make
    /// them, enter them and drop them costs more than the rest of a step.
    closing: Pin<Box<WaitForCancellationFutureOwned>>,
    /// The exit of the child process, unless it is known.
    exit: Option<Pin<Box<dyn Future<Output = CloseReason> + Send>>>,
    /// The reason if the input ends.
    end: CloseReason,
    /// The error after which nothing can be written.
    unwritten: Option<Arc<io::Error>>,
    share: Share,
    drain: Duration,
}

/// The reason why the reader does not go on with the lines in the buffer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AtHand {
    /// There are no more lines.
    Nothing,
    /// It must wait.
    Paused,
    /// Other tasks have their turn.
    More,
}

/// The end of the wait of a step.
enum Woken {
    Event(Event),
    Moved(Moved),
    /// The lines at hand may go on.
    Resumed,
}

/// The outcome of one step of the loop.
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

/// The two halves of a connection's life: the reader listens to the peer, or not any more.
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
        // A peer that does not read must not keep this side. Output that could not leave by now is
        // lost.
        let _ = timeout(drain, pump.shutdown()).await;
        let rest = pump.close();
        if let Some(child) = child {
            tokio::select! {
                () = child.end() => {}
                // A program that cleans up may still write, and must not fail or block because of
                // it.
                () = discard(rest) => {}
            }
        }
        dispatch.over(&reason);
        reason
    }

    /// Serves until the connection has a reason to end.
    async fn serve(&mut self) -> CloseReason {
        loop {
            match self.step(Stage::Serving, None).await {
                Event::Finished | Event::Read | Event::Wrote | Event::Overdue => {}
                Event::Eof => return self.end.clone(),
                Event::Exited(exit) => return exit,
                Event::Close => return CloseReason::Local,
                Event::ReadFailed(error) | Event::WriteFailed(error) => {
                    return CloseReason::Io(error);
                }
            }
        }
    }

    /// Waits for last messages and for the exit of a child process, as long as something comes. A
    /// peer that exits or closes its stdin may have answers on the way, and an exit says more than
    /// the end of the output.
    async fn last_words(&mut self, cause: CloseReason) -> CloseReason {
        let mut reason = cause;
        let mut done = self.dispatch.lanes.finished();
        let mut calls_have_failed = false;
        let mut deadline = ending(self.drain);
        if matches!(reason, CloseReason::Local) {
            return reason;
        }
        while self.pump.reading || self.dispatch.has_handed_back() || self.exit.is_some() {
            match self.step(Stage::Serving, Some(deadline)).await {
                Event::Exited(_) if calls_have_failed => {}
                Event::Exited(exit) => reason = exit,
                // Output of an exited process is in the pipe already. More comes from others.
                Event::Read if self.child.is_some() && self.exit.is_none() => {}
                Event::Read => deadline = ending(self.drain),
                // A slow consumer on this side holds things up, not the peer. It gets all there is.
                // But if it does nothing at all, others must still learn of the end.
                Event::Overdue if self.pump.reading && self.dispatch.is_paused() => {
                    if done == self.dispatch.lanes.finished() {
                        self.dispatch.fail_calls(&reason);
                        calls_have_failed = true;
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

    /// Lets handlers answer and lanes run dry, as long as something gets done. Then tells handlers
    /// to stop, and at last stops them.
    async fn wind_down(&mut self, reason: &CloseReason) {
        let shared = Arc::clone(&self.dispatch.peer.shared);
        let mut are_stopping = matches!(reason, CloseReason::Local) || reason.is_exit() || !self.pump.writing;
        let mut done = self.dispatch.lanes.finished();
        let mut deadline = ending(self.drain);
        loop {
            if are_stopping {
                shared.handlers.cancel();
            }
            let idle = self.dispatch.tasks.is_empty();
            if idle {
                // Other senders than handlers may never stop.
                shared.writer.finish();
            }
            if idle && self.pump.is_flushed(&shared.writer) {
                return;
            }
            match self.step(Stage::Ending, Some(deadline)).await {
                Event::Finished => deadline = ending(self.drain),
                Event::Wrote if idle => deadline = ending(self.drain),
                Event::WriteFailed(_) => are_stopping = true,
                Event::Overdue if done != self.dispatch.lanes.finished() => {
                    done = self.dispatch.lanes.finished();
                    deadline = ending(self.drain);
                }
                Event::Overdue if are_stopping => break,
                Event::Overdue => {
                    are_stopping = true;
                    deadline = ending(self.drain);
                }
                _ => {}
            }
        }
        self.dispatch.cancel_handlers();
        let deadline = ending(self.drain);
        while !self.dispatch.tasks.is_empty() || !self.pump.is_flushed(&shared.writer) {
            if let Event::Overdue = self.step(Stage::Ending, Some(deadline)).await {
                return;
            }
        }
    }

    /// Corrects the reason for the end: if the last answers were lost although the peer was there,
    /// the end was not in order.
    fn with_losses(&mut self, reason: CloseReason) -> CloseReason {
        match (reason, self.unwritten.take()) {
            (CloseReason::Eof | CloseReason::Ended | CloseReason::Local, Some(error)) if is_loss(&error) => {
                CloseReason::Io(error)
            }
            (reason, _) => reason,
        }
    }

    /// One step of the loop: deals with the lines at hand, then waits for the next thing to happen.
    async fn step(&mut self, stage: Stage, deadline: Option<Instant>) -> Event {
        loop {
            let at_hand = match stage {
                Stage::Serving => self.receive_lines(),
                Stage::Ending => AtHand::Paused,
            };
            if at_hand == AtHand::More {
                self.share.renew().await;
            }
            match self.woken(stage, at_hand, deadline).await {
                Woken::Event(event) => return event,
                Woken::Moved(moved) => return self.moved(moved),
                Woken::Resumed => {}
            }
        }
    }

    /// Waits for the next thing to happen.
    ///
    /// The order matters, because an earlier branch that is always ready starves the later ones.
    /// Ends come first: they happen once. Then tasks that are done: each was started by a line, so
    /// the pipe below limits their number, and their memory is given back before more is taken.
    /// Then the pipe, both directions in one attempt. The last branches only matter when nothing
    /// else happens.
    async fn woken(&mut self, stage: Stage, at_hand: AtHand, deadline: Option<Instant>) -> Woken {
        let Self { dispatch, pump, closing, exit, .. } = self;
        let shared = Arc::clone(&dispatch.peer.shared);
        let is_serving = stage == Stage::Serving;
        // These two do nothing until they are polled.
        let mut resumed = pin!(shared.intake.resumed());
        let mut overdue = pin!(overdue(deadline));
        poll_fn(|cx| {
            if is_serving && closing.as_mut().poll(cx).is_ready() {
                return Poll::Ready(Woken::Event(Event::Close));
            }
            if let Some(Poll::Ready(reason)) = exit.as_mut().map(|exit| exit.as_mut().poll(cx)) {
                *exit = None;
                return Poll::Ready(Woken::Event(Event::Exited(reason)));
            }
            // Without tasks it is ready, and means nothing.
            if let Poll::Ready(Some(_)) = dispatch.tasks.poll_join_next(cx) {
                return Poll::Ready(Woken::Event(Event::Finished));
            }
            if let Poll::Ready(moved) = pump.poll(cx, &shared.writer, at_hand == AtHand::Nothing) {
                return Poll::Ready(Woken::Moved(moved));
            }
            if at_hand == AtHand::Paused && is_serving && resumed.as_mut().poll(cx).is_ready() {
                return Poll::Ready(Woken::Resumed);
            }
            if deadline.is_some() && overdue.as_mut().poll(cx).is_ready() {
                return Poll::Ready(Woken::Event(Event::Overdue));
            }
            if at_hand == AtHand::More { Poll::Ready(Woken::Resumed) } else { Poll::Pending }
        })
        .await
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
                // For senders that come before the end is known.
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
