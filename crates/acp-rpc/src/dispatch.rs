//! From lines to effects: what the reader does with each line. It never waits and never runs user code.

use std::sync::Arc;

use tokio::task::JoinSet;

use crate::codec::Line;
use crate::encode;
use crate::endpoint::Effect;
use crate::envelope::Head;
use crate::error::CloseReason;
use crate::fault::{Fault, Origin};
use crate::lane::{LaneJob, Lanes};
use crate::message::{Answer, Error, Id, Message};
use crate::options::Noise;
use crate::peer::Peer;
use crate::service::{BoxFuture, Delivery, LaneKey, Request, Service, Task};
use crate::tap::Observer;
use crate::task::{Answering, caught, guarded};
use crate::waiter::{Outcome, Waiter};

/// The reader's half of a connection: where lines go, and the tasks that came of them.
pub(crate) struct Dispatch {
    pub(crate) peer: Peer,
    pub(crate) service: Arc<dyn Service>,
    pub(crate) tasks: JoinSet<()>,
    pub(crate) lanes: Lanes,
    observer: Observer,
    noise: Noise,
    max_line: usize,
    /// The reader itself has answered something since there was last room to write.
    has_refused: bool,
    is_over: bool,
}

impl Dispatch {
    pub(crate) fn new(peer: Peer, observer: Observer, noise: Noise, max_line: usize) -> Self {
        Self {
            peer,
            service: Arc::clone(observer.service()),
            tasks: JoinSet::new(),
            lanes: Lanes::default(),
            observer,
            noise,
            max_line,
            has_refused: false,
            is_over: false,
        }
    }

    /// Whether the reader must wait: for jobs to be done, or for room for answers of its own.
    pub(crate) fn is_paused(&mut self) -> bool {
        self.has_refused &= !self.peer.shared.writer.has_room();
        if self.peer.shared.intake.is_flooded() {
            self.give_up_calls();
        }
        self.has_refused || self.peer.shared.intake.is_paused()
    }

    /// Deals with one line.
    pub(crate) fn receive(&mut self, line: Line<'_>) {
        match line {
            Line::Whole(line) => {
                self.observer.received(line);
                match Message::parse(line) {
                    Ok(message) => self.message(message, line.len()),
                    Err(error) => self.not_json(line, error.column),
                }
            }
            Line::Oversized { head, length } => self.oversized(Head::read(&head), length),
        }
    }

    fn message(&mut self, message: Message<'_>, bytes: usize) {
        let shared = Arc::clone(&self.peer.shared);
        let effect = shared.endpoint().receive(message, bytes, || shared.handlers.child_token());
        match effect {
            Effect::Run { id, method, params, token } => {
                let request = Request { id: id.clone(), peer: self.peer.clone(), cancel: token };
                let task = guarded(|| self.service.request(&method, params, request));
                self.started(id, &method, task);
            }
            Effect::Notify { method, params } => {
                match guarded(|| self.service.notification(&method, params, &self.peer)) {
                    Ok(delivery) => self.deliver(&method, delivery, bytes),
                    Err(panic) => self.panicked(&method, &panic),
                }
            }
            Effect::Deliver { id, waiter, answer } => self.answered(&id, waiter, answer, bytes),
            Effect::Refuse { id, error } => {
                self.service.fault(Fault::Refused { id: &id, error: &error });
                self.refuse(&id, &error);
            }
            Effect::Cancelled | Effect::Ignore => {}
            Effect::UnknownResponse { id } => self.service.fault(Fault::UnknownResponse { id: &id }),
            Effect::Unaddressed { error } => {
                self.service.fault(Fault::Unaddressed { error: error.as_ref() });
            }
            Effect::BadCancel => self.service.fault(Fault::BadCancel),
        }
    }

    /// Spawns the handler of a request, or answers at once if there is none.
    fn started(&mut self, id: Id, method: &str, task: Result<Result<Task, Error>, String>) {
        let error = match task {
            Ok(Ok(task)) => {
                let (peer, service) = (self.peer.clone(), Arc::clone(&self.service));
                self.tasks.spawn(Answering { peer, service, id, method: method.into() }.run(task));
                return;
            }
            Ok(Err(error)) => error,
            Err(panic) => {
                self.panicked(method, &panic);
                Error::internal("the handler failed unexpectedly")
            }
        };
        self.peer.shared.endpoint().finished(&id);
        self.refuse(&id, &error);
    }

    fn deliver(&mut self, method: &str, delivery: Delivery, bytes: usize) {
        match delivery {
            Delivery::Ignore => {}
            Delivery::Task(job) => {
                let charge = self.peer.shared.intake.charge(bytes);
                let (service, method) = (Arc::clone(&self.service), Box::<str>::from(method));
                self.tasks.spawn(async move {
                    let _charge = charge;
                    if let Err(panic) = caught(job).await {
                        let origin = Origin::Method(&method);
                        service.fault(Fault::Panicked { origin, message: &panic });
                    }
                });
            }
            Delivery::Lane { lane, job } => self.enqueue(&lane, job, bytes),
        }
    }

    fn answered(&mut self, id: &Id, waiter: Waiter, answer: Answer<'_>, bytes: usize) {
        if let Answer::Malformed(problem) = answer {
            self.service.fault(Fault::MalformedResponse { id, problem });
        }
        match guarded(|| waiter.settle(Outcome::Answer(answer))) {
            Ok(Some((lane, job))) => self.enqueue(&lane, job, bytes),
            Ok(None) => {}
            Err(message) => {
                self.service.fault(Fault::Panicked { origin: Origin::Result, message: &message });
            }
        }
    }

    fn enqueue(&mut self, lane: &LaneKey, job: BoxFuture, bytes: usize) {
        let charge = self.peer.shared.intake.charge(bytes);
        if let Some(runner) = self.lanes.enqueue(lane, LaneJob { job, charge }, &self.service) {
            self.tasks.spawn(runner);
        }
    }

    fn not_json(&mut self, line: &[u8], column: usize) {
        self.service.fault(Fault::NotJson { line, column });
        let head = Head::read(line);
        // Rule v1-rpc-16: what is not JSON is answered under no id, even where one can be made out.
        let head = if head.is_response { head } else { Head::default() };
        self.unreadable(head, Error::parse_error, "it is not valid JSON");
    }

    fn oversized(&mut self, head: Head, length: u64) {
        let limit = self.max_line;
        self.observer.oversized(head.id.as_ref(), length);
        self.service.fault(Fault::Oversized { length, limit, id: head.id.as_ref() });
        let error =
            || Error::invalid_request(format!("the message is longer than the limit of {limit} bytes"));
        self.unreadable(head, error, "it is longer than the limit");
    }

    /// Deals with a line of which no more can be made out than its head.
    fn unreadable(&mut self, head: Head, error: impl FnOnce() -> Error, problem: &'static str) {
        match head {
            // Never answer an answer; but the one who waits for it must not wait for ever.
            Head { id, is_response: true, .. } => {
                let id = id.unwrap_or(Id::Null);
                let waiter = self.peer.shared.endpoint().settle(&id);
                if let Some(waiter) = waiter {
                    self.answered(&id, waiter, Answer::Malformed(problem), 0);
                }
            }
            Head { id: Some(id), is_call: true, .. } => self.refuse(&id, &error()),
            Head { .. } if self.noise == Noise::Answer => self.refuse(&Id::Null, &error()),
            Head { .. } => {}
        }
    }

    fn refuse(&mut self, id: &Id, error: &Error) {
        self.has_refused = true;
        self.peer.shared.refuse(id, error);
    }

    /// No more can be read for the sake of requests outside lanes: fails those that wait, and tells the peer.
    fn give_up_calls(&mut self) {
        let shared = Arc::clone(&self.peer.shared);
        let waiting = shared.endpoint().give_up(|waiter| !waiter.is_in_lane());
        for (id, waiter) in waiting {
            // A connection that cannot be written to any more has no peer to tell.
            let _ = shared.writer.push(|buffer| encode::cancel(buffer, id));
            drop(waiter.settle(Outcome::Overloaded));
        }
    }

    fn panicked(&self, method: &str, message: &str) {
        self.service.fault(Fault::Panicked { origin: Origin::Method(method), message });
    }

    /// Fails every pending call; those of a lane after the lane's earlier jobs.
    pub(crate) fn fail_calls(&mut self, reason: &CloseReason) {
        let shared = Arc::clone(&self.peer.shared);
        shared.set_reason(reason.clone());
        let waiting = shared.endpoint().close();
        // First, so that nobody learns from a failed call of an end that `is_closed` does not know of.
        shared.closed.cancel();
        for waiter in waiting {
            if let Some((lane, job)) = waiter.settle(Outcome::Closed(reason.clone())) {
                self.enqueue(&lane, job, 0);
            }
        }
    }

    /// Answers every request whose handler did not, with `-32800`.
    pub(crate) fn cancel_handlers(&mut self) {
        self.tasks.abort_all();
        let unanswered = self.peer.shared.endpoint().unanswered();
        for id in unanswered {
            self.refuse(&id, &Error::cancelled());
        }
    }

    /// Tells the service that it is over.
    pub(crate) fn over(&mut self, reason: &CloseReason) {
        if !std::mem::replace(&mut self.is_over, true) {
            self.peer.shared.writer.close();
            self.service.closed(reason);
        }
    }
}

/// A driver that is dropped before its end still lets nobody wait for ever.
impl Drop for Dispatch {
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        let shared = Arc::clone(&self.peer.shared);
        shared.handlers.cancel();
        if !shared.closed.is_cancelled() {
            shared.set_reason(CloseReason::Local);
            let waiting = shared.endpoint().close();
            shared.closed.cancel();
            // No lane runs any more: those who wait in one notice that nobody will answer.
            waiting.into_iter().for_each(|waiter| drop(waiter.settle(Outcome::Closed(CloseReason::Local))));
        }
        self.over(&CloseReason::Local);
    }
}
