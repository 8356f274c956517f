//! The way from lines to effects: the work of the reader for each line. It never waits and never
//! runs user code.

mod unread;

use std::mem::size_of_val;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::answering::Answering;
use super::lane::Lanes;
use crate::core::budget::{self, JOB, LANE, REQUEST};
use crate::core::endpoint::{Effect, Endpoint, is_reserved};
use crate::core::error::CloseReason;
use crate::core::fault::{Fault, Origin};
use crate::core::job::{BoxFuture, LaneKey};
use crate::core::panics::{caught, guarded};
use crate::peer::Peer;
use crate::peer::shared::Shared;
use crate::peer::waiter::{Settlement, Waiter};
use crate::service::Service;
use crate::service::delivery::Delivery;
use crate::service::reply::Task;
use crate::service::request::{Attachments, Request};
use crate::tap::Observer;
use crate::wire::codec::Line;
use crate::wire::forms;
use crate::wire::message::{Answer, Error, Id, Message};
use crate::wire::reading::{Noise, Unread, read};
use crate::wire::weight::{block, weight, weight_of_error};

/// The reader's half of a connection: the way of lines, and the tasks that they start.
pub(crate) struct Dispatch {
    pub(crate) peer: Peer,
    pub(crate) service: Arc<dyn Service>,
    pub(crate) tasks: JoinSet<()>,
    pub(crate) lanes: Lanes,
    observer: Observer,
    noise: Noise,
    max_line: usize,
    max_message: usize,
    /// The weight of a request that was handed back, to be received again.
    handed_back: Option<usize>,
    is_over: bool,
}

/// The outcome of a line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Received {
    /// It was dealt with.
    Done,
    /// It must be received again, once the pause that it caused is over.
    TooEarly,
}

impl Dispatch {
    pub(crate) fn new(
        peer: Peer,
        observer: Observer,
        noise: Noise,
        max_line: usize,
        max_message: usize,
    ) -> Self {
        Self {
            service: Arc::clone(observer.service()),
            tasks: JoinSet::new(),
            lanes: Lanes::new(Arc::clone(&peer.shared.intake)),
            peer,
            observer,
            noise,
            max_line,
            max_message,
            handed_back: None,
            is_over: false,
        }
    }

    /// Tells whether the reader must wait: for jobs to finish, for room for its own answers, or for
    /// handlers to run.
    pub(crate) fn is_paused(&mut self) -> bool {
        let Shared { intake, writer, .. } = &*self.peer.shared;
        if writer.has_room() {
            intake.has_room();
        }
        if intake.is_flooded() {
            self.give_up_calls();
        }
        let intake = &self.peer.shared.intake;
        intake.is_paused()
            || intake.is_ahead()
            || self.handed_back.is_some_and(|bytes| self.is_too_early(bytes))
    }

    /// Tells whether a request that weighs so much would be refused now, but perhaps not a little
    /// later.
    fn is_too_early(&self, bytes: usize) -> bool {
        is_too_early(&self.peer.shared, &self.peer.shared.endpoint(), bytes)
    }

    /// Tells whether a request was handed back and has not come again.
    pub(crate) const fn has_handed_back(&self) -> bool {
        self.handed_back.is_some()
    }

    /// Deals with one line.
    pub(crate) fn receive(&mut self, line: Line<'_>) -> Received {
        match line {
            Line::Whole(line) => return self.whole(line),
            Line::Oversized { head, length } => self.oversized(head, length),
        }
        Received::Done
    }

    fn whole(&mut self, line: &[u8]) -> Received {
        self.peer.shared.line.store(line.len(), Ordering::Relaxed);
        match read(line, self.max_message) {
            Ok(message) => {
                if self.is_new() {
                    self.observer.received(line, line);
                }
                return self.message(message);
            }
            Err(Unread::TooHeavy) => self.too_heavy(line),
            Err(Unread::NotJson(error)) => return self.not_read(line, error),
        }
        Received::Done
    }

    /// Tells whether the line comes for the first time. A line that was handed back has been seen.
    const fn is_new(&mut self) -> bool {
        self.handed_back.take().is_none()
    }

    fn message(&mut self, message: Message<'_>) -> Received {
        let bytes = weight_of_request(&message);
        let shared = &self.peer.shared;
        let effect = match message {
            // Most messages are these, and the endpoint has no part in them.
            Message::Notification { method, params } if !is_reserved(&method) => {
                Effect::Notify { method, params }
            }
            message => {
                // Asked and received under one lock: an answer that waits adds its weight to the
                // table, and between two locks it would fill it.
                let mut endpoint = shared.endpoint();
                if bytes > 0 && is_too_early(shared, &endpoint, bytes) {
                    self.handed_back = Some(bytes);
                    return Received::TooEarly;
                }
                endpoint.receive(message, bytes, || shared.handlers.child_token())
            }
        };
        match effect {
            Effect::Run { id, method, params, token } => {
                let attachments = Attachments::new();
                let request = Request {
                    id: id.clone(),
                    peer: self.peer.clone(),
                    cancel: token,
                    attachments: attachments.clone(),
                };
                let task = guarded(|| self.service.request(&method, params, request));
                self.started(&id, &method, task, attachments);
            }
            Effect::Notify { method, params } => {
                let bytes = weight(&params);
                match guarded(|| self.service.notification(&method, params, &self.peer)) {
                    Ok(delivery) => self.deliver(&method, delivery, bytes),
                    Err(panic) => self.panicked(&method, &panic),
                }
            }
            Effect::Deliver { id, waiter, answer } => self.answered(&id, waiter, answer),
            Effect::Refuse { id, error } => {
                self.report(Fault::Refused { id: &id, error: &error });
                self.refuse(&id, &error);
            }
            Effect::Cancel { token } => token.cancel(),
            Effect::Ignore => {}
            Effect::UnknownResponse { id } => self.report(Fault::UnknownResponse { id: &id }),
            Effect::Unaddressed { error } => {
                self.report(Fault::Unaddressed { error: error.as_ref() });
            }
            Effect::BadCancel => self.report(Fault::BadCancel),
        }
        Received::Done
    }

    /// Spawns the handler of a request, or answers at once if there is none.
    fn started(
        &mut self,
        id: &Id,
        method: &str,
        task: Result<Result<Task, Error>, String>,
        attachments: Attachments,
    ) {
        let task = task.unwrap_or_else(|panic| {
            self.panicked(method, &panic);
            Err(Error::panicked())
        });
        let task: Task = match task {
            Ok(task) => task,
            Err(error) if self.peer.shared.writer.has_room() => {
                self.peer.shared.endpoint().finished(id);
                self.peer.shared.refuse(id, &error);
                if let Err(panic) = guarded(|| attachments.let_go()) {
                    self.panicked(method, &panic);
                }
                return;
            }
            // It waits for room as the answers of handlers do, and the reader goes on.
            Err(error) => Box::pin(async move { Err(error) }),
        };
        let bytes = block(size_of_val(&*task));
        let (peer, service) = (self.peer.clone(), Arc::clone(&self.service));
        let answering = Answering {
            peer,
            service,
            id: id.clone(),
            method: method.into(),
            attachments,
            has_run: AtomicBool::new(false),
        };
        let answering = answering.run(task);
        self.peer.shared.endpoint().weigh(id, budget::task(&answering) + bytes);
        self.peer.shared.intake.spawned();
        self.tasks.spawn(answering);
    }

    fn deliver(&mut self, method: &str, delivery: Delivery, bytes: usize) {
        match delivery {
            Delivery::Ignore | Delivery::Done => {}
            Delivery::Task(job) => {
                let bytes = bytes + block(size_of_val(&*job));
                let (service, method) = (Arc::clone(&self.service), Box::<str>::from(method));
                self.spawn(bytes, async move {
                    let report = |message: &str| {
                        Fault::Panicked { origin: Origin::Method(&method), message }.report(&*service);
                    };
                    let _done = caught(job, report).await;
                });
            }
            Delivery::Lane { lane, job } => self.enqueue(&lane, job, bytes),
        }
    }

    fn answered(&mut self, id: &Id, waiter: Waiter, answer: Answer<'_>) {
        waiter.received(self.peer.line_length());
        if let Answer::Malformed(problem) = answer {
            self.report(Fault::MalformedResponse { id, problem });
        }
        self.settle(waiter, Settlement::Answer(answer));
    }

    /// Gives the outcome to a waiter. The waiter and the reader of its result may panic.
    fn settle(&mut self, waiter: Waiter, outcome: Settlement<'_>) {
        let lane = waiter.lane().filter(|lane| self.lanes.is_busy(lane)).cloned();
        let bytes = match (&lane, &outcome) {
            (Some(_), Settlement::Answer(answer)) => weight_of_answer(answer),
            _ => 0,
        };
        match (guarded(|| waiter.settle(outcome, lane.is_some())), lane) {
            (Ok(Some(job)), Some(lane)) => self.enqueue(&lane, job, bytes),
            (Ok(_), _) => {}
            (Err(message), _) => {
                self.report(Fault::Panicked { origin: Origin::Result, message: &message });
            }
        }
    }

    fn enqueue(&mut self, lane: &LaneKey, job: BoxFuture, bytes: usize) {
        let bytes = bytes + block(size_of_val(&*job)) + JOB;
        if let Some(runner) = self.lanes.enqueue(lane, job, bytes, &self.service) {
            self.spawn(LANE + block(lane.len()), runner);
        }
    }

    /// Spawns a future that weighs on the budget as long as it lives: its own size, and `bytes`
    /// besides.
    fn spawn(&mut self, bytes: usize, future: impl Future<Output = ()> + Send + 'static) {
        let charge = self.peer.shared.intake.charge(bytes + budget::task(&future));
        self.tasks.spawn(async move {
            future.await;
            drop(charge);
        });
    }

    fn refuse(&mut self, id: &Id, error: &Error) {
        let bytes = self.peer.shared.refuse(id, error);
        self.peer.shared.intake.refused(bytes);
    }

    /// Fails the calls that wait, because no more can be read for their sake, and cancels their
    /// requests.
    fn give_up_calls(&mut self) {
        let shared = Arc::clone(&self.peer.shared);
        shared.intake.give_up();
        let waiting = shared.endpoint().give_up(|waiter| waiter.lane().is_none());
        for (id, waiter) in waiting {
            // A connection that cannot be written to has nobody left to tell.
            let _ = shared.writer.push(|buffer| forms::cancel(buffer, id));
            self.settle(waiter, Settlement::Overloaded);
        }
    }

    fn report(&self, fault: Fault<'_>) {
        fault.report(&*self.service);
    }

    fn panicked(&self, method: &str, message: &str) {
        self.report(Fault::Panicked { origin: Origin::Method(method), message });
    }

    /// Fails every pending call. Calls of a lane fail after the lane's earlier jobs.
    pub(crate) fn fail_calls(&mut self, reason: &CloseReason) {
        let shared = Arc::clone(&self.peer.shared);
        shared.set_reason(reason.clone());
        let waiting = shared.endpoint().close();
        // Comes first, so that nobody learns of the end from a failed call while `is_closed` does
        // not know it.
        shared.closed.cancel();
        for waiter in waiting {
            self.settle(waiter, Settlement::Closed(reason.clone()));
        }
    }

    /// Answers every open request with `-32800`.
    pub(crate) fn cancel_handlers(&mut self) {
        self.tasks.abort_all();
        self.lanes.clear(&*self.service);
        let unanswered = self.peer.shared.endpoint().unanswered();
        for id in unanswered {
            self.refuse(&id, &Error::cancelled());
        }
    }

    /// Reports the end to the service.
    pub(crate) fn over(&mut self, reason: &CloseReason) {
        if !std::mem::replace(&mut self.is_over, true) {
            self.peer.shared.writer.close();
            let _ = guarded(|| self.service.closed(reason));
        }
    }
}

/// Tells whether a request that weighs so much would be refused now, but perhaps not a little
/// later.
///
/// The table comes first: an answer is counted before its weight is. So whoever sees the weight
/// sees the answer too.
fn is_too_early(shared: &Shared, endpoint: &Endpoint<Waiter, CancellationToken>, bytes: usize) -> bool {
    endpoint.is_full(bytes) && shared.intake.is_draining()
}

/// Returns the weight of a message as a request in flight, apart from its task. It is 0 for other
/// messages.
fn weight_of_request(message: &Message<'_>) -> usize {
    let Message::Request { id, method, params } = message else { return 0 };
    let id = if let Id::Str(id) = id { block(id.len()) } else { 0 };
    REQUEST + id + block(method.len()) + weight(params)
}

fn weight_of_answer(answer: &Answer<'_>) -> usize {
    match answer {
        Answer::Result(result) => weight(result),
        Answer::Error(error) => weight_of_error(error),
        Answer::Malformed(_) => 0,
    }
}

/// Fails all waiters of a driver that is dropped before its end.
impl Drop for Dispatch {
    fn drop(&mut self) {
        self.lanes.clear(&*self.service);
        if self.is_over {
            return;
        }
        let shared = Arc::clone(&self.peer.shared);
        shared.handlers.cancel();
        if !shared.closed.is_cancelled() {
            shared.set_reason(CloseReason::Local);
            let waiting = shared.endpoint().close();
            shared.closed.cancel();
            // Lanes run no more, so waiters need no turn.
            for waiter in waiting {
                self.settle(waiter, Settlement::Closed(CloseReason::Local));
            }
        }
        self.over(&CloseReason::Local);
    }
}
