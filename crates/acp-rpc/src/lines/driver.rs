//! The loop of a connection of lines.

use std::future::{pending, poll_fn};
use std::sync::Arc;
use std::time::Duration;

use acp_json::Node;
use tokio::time::{Instant, sleep_until, timeout};

use super::outlet::Outlet;
use super::{LineOptions, Lines};
use crate::connection::driver::Driver;
use crate::connection::pump::{Moved, Pump};
use crate::connection::share::Share;
use crate::connection::waits::{discard, exit_of, overdue};
use crate::core::deadline::ending;
use crate::core::error::CloseReason;
use crate::core::fault::Fault;
use crate::core::job::BoxFuture;
use crate::core::panics::guarded;
use crate::peer::Peer;
use crate::service::Service;
use crate::service::delivery::Delivery;
use crate::service::reply::Task;
use crate::service::request::Request;
use crate::tap::Observer;
use crate::transport::{ChildLink, Transport};
use crate::wire::codec::{Framer, Head, Line};
use crate::wire::message::Error;
use crate::wire::reading::{Noise, repaired};

/// The bytes that are read during a pause, so that the end of the input is seen.
const AHEAD: usize = 64 * 1024;

/// Connects a side to the peer at the other end of a transport.
///
/// Nothing happens until the [`Driver`] is spawned or awaited, on a tokio runtime with time
/// enabled. Lines that the [`Outlet`] is given before that are queued.
pub fn connect(transport: Transport, lines: impl Lines, options: LineOptions) -> (Outlet, Driver) {
    let outlet = Outlet::new(options.outgoing_budget);
    let lines: Arc<dyn Lines> = Arc::new(lines);
    let observer = Observer::new(options.tap, Arc::new(Faults(Arc::clone(&lines))));
    let framer = Framer::new(options.max_line);
    let connection = Connection {
        pump: Pump::new(framer, transport.reader, transport.writer, observer.clone(), None),
        child: transport.child,
        child_is_gone: false,
        end: transport.end,
        lines,
        observer,
        pause: None,
        outlet: outlet.clone(),
        share: Share::new(),
        noise: options.noise,
        max_line: options.max_line,
        drain: options.drain,
        pause_limit: options.pause_limit,
    };
    (outlet, Driver::new(connection.run()))
}

/// Takes the faults of a tap. No message gets here.
struct Faults(Arc<dyn Lines>);

impl Service for Faults {
    fn request(&self, method: &str, _: Node<'_>, _: Request) -> Result<Task, Error> {
        Err(Error::method_not_found(method))
    }

    fn notification(&self, _: &str, _: Node<'_>, _: &Peer) -> Delivery {
        Delivery::Ignore
    }

    fn fault(&self, fault: Fault<'_>) {
        self.0.fault(fault);
    }
}

// Fields drop in this order: the pipe, then the child process.
struct Connection {
    pump: Pump,
    child: Option<ChildLink>,
    child_is_gone: bool,
    /// The reason if the input ends.
    end: CloseReason,
    lines: Arc<dyn Lines>,
    observer: Observer,
    /// The future that the reader waits for.
    pause: Option<BoxFuture>,
    outlet: Outlet,
    share: Share,
    noise: Noise,
    max_line: usize,
    drain: Duration,
    pause_limit: Option<Duration>,
}

/// The outcome of one step of the loop.
enum Event {
    Moved,
    Ended(CloseReason),
    Exited(CloseReason),
    Resumed,
    Closing,
    Overdue,
}

impl Connection {
    async fn run(mut self) -> CloseReason {
        let reason = self.serve().await;
        let reason = self.last_lines(reason).await;
        let _ = self.outlet.way.reason.set(reason.clone());
        let ended = guarded(|| self.lines.ended(&reason)).unwrap_or_else(|_| Box::pin(async {}));
        self.flush(ended).await;
        let Self { mut pump, child, lines, outlet, drain, .. } = self;
        let _ = timeout(drain, pump.shutdown()).await;
        outlet.way.writer.close();
        outlet.way.finished.cancel();
        let rest = pump.close();
        if let Some(child) = child {
            tokio::select! {
                () = child.end() => {}
                // A program that cleans up may still write, and must not block because of it.
                () = discard(rest) => {}
            }
        }
        outlet.way.closed.cancel();
        let _ = guarded(|| lines.closed(&reason));
        reason
    }

    /// Reads until the connection has a reason to end.
    async fn serve(&mut self) -> CloseReason {
        loop {
            match self.step(true, None).await {
                Event::Moved | Event::Resumed | Event::Overdue => {}
                Event::Ended(reason) | Event::Exited(reason) => return reason,
                Event::Closing => return CloseReason::Local,
            }
        }
    }

    /// Takes the last lines, and waits for the exit of a child process: it says more than the end
    /// of the output.
    async fn last_lines(&mut self, cause: CloseReason) -> CloseReason {
        let mut reason = cause;
        let mut deadline = ending(self.drain);
        let mut held_until = self.pause_limit.map(ending);
        if matches!(reason, CloseReason::Local) {
            return reason;
        }
        while self.has_last_lines().await {
            match self.step(true, Some(deadline)).await {
                Event::Exited(exit) => reason = exit,
                // Output of an exited process is in the pipe already. More comes from others.
                Event::Moved if self.child_is_gone => {}
                Event::Moved => deadline = ending(self.drain),
                Event::Resumed => {
                    deadline = ending(self.drain);
                    held_until = self.pause_limit.map(ending);
                }
                // Others hold the reader up, not the peer.
                Event::Overdue if self.pause.is_some() && !has_come(held_until) => {
                    deadline = ending(self.drain);
                }
                Event::Overdue | Event::Closing => break,
                Event::Ended(_) => {}
            }
        }
        reason
    }

    /// Deals with the lines that no pause holds up. Returns true if more may come, of lines or of
    /// the child process.
    async fn has_last_lines(&mut self) -> bool {
        while self.receive_lines() {
            self.share.renew().await;
        }
        // A peer that reads no answers has gone with its questions.
        let is_heard = self.pump.writing || self.child.is_some();
        self.pump.reading
            || (self.child.is_some() && !self.child_is_gone)
            || (is_heard && self.pump.framer.rest() > 0)
    }

    /// Lets output leave until `ended` is done, and all of it after that.
    async fn flush(&mut self, mut ended: BoxFuture) {
        let mut is_done = false;
        let way = Arc::clone(&self.outlet.way);
        let mut deadline = ending(self.drain);
        loop {
            if is_done {
                way.writer.finish();
                if self.pump.is_flushed(&way.writer) {
                    return;
                }
            }
            tokio::select! {
                biased;
                () = &mut ended, if !is_done => {
                    is_done = true;
                    deadline = ending(self.drain);
                }
                moved = poll_fn(|cx| self.pump.poll(cx, &way.writer, false)) => {
                    deadline = ending(self.drain);
                    if moved.wrote.is_some_and(|wrote| wrote.is_err()) {
                        self.stop_writing();
                    }
                }
                () = sleep_until(deadline), if is_done => return,
            }
        }
    }

    /// One step of the loop: deals with the lines at hand, then waits for the next thing to happen.
    async fn step(&mut self, may_read: bool, deadline: Option<Instant>) -> Event {
        if self.receive_lines() {
            self.share.renew().await;
            return Event::Resumed;
        }
        let Self { pump, child, pause, outlet, child_is_gone, .. } = self;
        let way = Arc::clone(&outlet.way);
        let may_read = may_read && (pause.is_none() || pump.framer.rest() < AHEAD);
        tokio::select! {
            biased;
            () = way.closing.cancelled() => Event::Closing,
            exit = exit_of(child), if !*child_is_gone => {
                *child_is_gone = true;
                Event::Exited(exit)
            }
            moved = poll_fn(|cx| pump.poll(cx, &way.writer, may_read)) => self.moved(moved),
            () = until(pause) => {
                *pause = None;
                Event::Resumed
            }
            () = overdue(deadline) => Event::Overdue,
        }
    }

    /// Deals with the whole lines in the buffer. Returns true if other tasks have their turn first.
    fn receive_lines(&mut self) -> bool {
        while self.pause.is_none() {
            if self.share.is_spent() {
                return true;
            }
            let Some(line) = self.pump.framer.next_line() else { return false };
            self.share.line();
            let receiver = Receiver {
                lines: &*self.lines,
                observer: &self.observer,
                noise: self.noise,
                limit: self.max_line,
            };
            receiver.receive(line);
            self.pause = guarded(|| self.lines.pause()).unwrap_or_default();
        }
        false
    }

    fn stop_writing(&mut self) {
        self.pump.stop_writing(&self.outlet.way.writer);
        self.outlet.way.finished.cancel();
    }

    fn moved(&mut self, moved: Moved) -> Event {
        if let Some(Err(error)) = moved.wrote {
            self.stop_writing();
            self.pump.reading &= self.child.is_some();
            return Event::Ended(CloseReason::Io(Arc::new(error)));
        }
        match moved.read {
            Some(Ok(0)) => {
                self.pump.reading = false;
                // The last line is taken with those that a pause holds up.
                self.pump.framer.end();
                Event::Ended(self.end.clone())
            }
            Some(Err(error)) => {
                self.pump.reading = false;
                Event::Ended(CloseReason::Io(Arc::new(error)))
            }
            Some(Ok(bytes)) => {
                self.share.read(bytes);
                Event::Moved
            }
            None => Event::Moved,
        }
    }
}

/// The reader of one line.
struct Receiver<'a> {
    lines: &'a dyn Lines,
    observer: &'a Observer,
    noise: Noise,
    limit: usize,
}

impl Receiver<'_> {
    fn receive(&self, line: Line<'_>) {
        match line {
            Line::Whole(line) => match std::str::from_utf8(line) {
                Ok(text) => self.take(line, text),
                Err(error) => match repaired(line, self.noise) {
                    Some(text) => {
                        self.lines.fault(Fault::Repaired { line, column: error.valid_up_to() + 1 });
                        self.take(line, &text);
                    }
                    None => {
                        let fault = Fault::NotJson { line, column: error.valid_up_to() + 1 };
                        let _ = guarded(|| self.lines.skipped(&Head::of(line), fault));
                    }
                },
            },
            Line::Oversized { head, length } => {
                self.observer.oversized(head.id.as_ref(), length);
                let id = head.id.clone();
                let fault = Fault::Oversized { length, limit: self.limit, id: id.as_ref() };
                let _ = guarded(|| self.lines.skipped(&head, fault));
            }
        }
    }

    fn take(&self, line: &[u8], text: &str) {
        self.observer.received(line, text.as_bytes());
        let _ = guarded(|| self.lines.line(text));
    }
}

fn has_come(time: Option<Instant>) -> bool {
    time.is_some_and(|time| Instant::now() >= time)
}

async fn until(pause: &mut Option<BoxFuture>) {
    match pause {
        Some(pause) => pause.await,
        None => pending().await,
    }
}
