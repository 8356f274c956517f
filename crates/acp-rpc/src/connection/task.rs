//! What runs as a task of its own: the handler of a request, up to its answer. And how its panics are kept in.

use std::any::Any;
use std::future::poll_fn;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use crate::core::fault::{Fault, Origin};
use crate::peer::Peer;
use crate::service::{Kept, Reply, Service, Task, Written};
use crate::wire::forms;
use crate::wire::message::{Error, Id};
use crate::wire::weight::{block, weight_of_error};
use crate::wire::writer::PushError;

/// Runs a future of the service. What it panics with, and what its drop panics with, goes to `report`; the output
/// is `None` if it was lost with that. The future is dropped with what this returns, not when it is done.
pub(crate) fn caught<T, R: FnMut(&str) + Unpin>(future: Foreign<T>, report: R) -> Caught<T, R> {
    Caught { future: Some(future), report }
}

type Foreign<T> = Pin<Box<dyn Future<Output = T> + Send>>;

pub(crate) struct Caught<T, R: FnMut(&str) + Unpin> {
    future: Option<Foreign<T>>,
    report: R,
}

impl<T, R: FnMut(&str) + Unpin> Caught<T, R> {
    fn discard(&mut self) {
        let future = self.future.take();
        if let Err(panic) = guarded(|| drop(future)) {
            (self.report)(&panic);
        }
    }
}

impl<T, R: FnMut(&str) + Unpin> Future for Caught<T, R> {
    type Output = Option<T>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<T>> {
        let Some(future) = &mut self.future else { return Poll::Pending };
        let output = match guarded(|| future.as_mut().poll(cx)) {
            Ok(Poll::Pending) => return Poll::Pending,
            Ok(Poll::Ready(output)) => Some(output),
            Err(panic) => {
                (self.report)(&panic);
                None
            }
        };
        Poll::Ready(output)
    }
}

/// Also where a task is stopped half-way.
impl<T, R: FnMut(&str) + Unpin> Drop for Caught<T, R> {
    fn drop(&mut self) {
        self.discard();
    }
}

/// Runs a function; a panic becomes its message.
///
/// What a panicking handler left half done is its own: nothing of this crate is behind the closure.
pub(crate) fn guarded<T>(run: impl FnOnce() -> T) -> std::result::Result<T, String> {
    catch_unwind(AssertUnwindSafe(run)).map_err(message_of)
}

fn message_of(panic: Box<dyn Any + Send>) -> String {
    let message = match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
        (Some(message), _) => (*message).to_owned(),
        (_, Some(message)) => message.clone(),
        _ => "a panic without a message".to_owned(),
    };
    // What was thrown may panic in its turn when it is dropped, and so on: that one is left where it is.
    if let Err(another) = catch_unwind(AssertUnwindSafe(|| drop(panic))) {
        mem::forget(another);
    }
    message
}

/// One request of the peer.
pub(crate) struct Answering {
    pub(crate) peer: Peer,
    pub(crate) service: Arc<dyn Service>,
    pub(crate) id: Id,
    pub(crate) method: Box<str>,
    pub(crate) kept: Kept,
    /// The handler has been polled, and is not done or waits for room.
    pub(crate) has_run: AtomicBool,
}

impl Answering {
    /// Runs the handler and sends its answer: exactly one, whatever the handler does.
    pub(crate) async fn run(self, task: Task) {
        let mut handler = caught(task, |panic: &str| self.panicked(panic));
        let polled = poll_fn(|cx| {
            let polled = Pin::new(&mut handler).poll(cx);
            if polled.is_pending() {
                self.has_run();
            }
            polled
        });
        let mut outcome = polled.await.unwrap_or_else(|| Err(Error::panicked()));
        outcome = self.kept.instead_of(outcome);
        let turn = match self.peer.shared.writer.try_turn() {
            Some(turn) => Ok(turn),
            None => {
                outcome = self.weighed(outcome);
                let _waits = self.peer.shared.intake.answer_waits();
                self.has_run();
                self.peer.shared.writer.turn().await
            }
        };
        let in_flight = self.peer.shared.endpoint().finished(&self.id);
        if turn.is_ok() && in_flight {
            self.send(outcome);
        } else {
            self.contain(|| drop(outcome));
        }
        drop(turn);
        // Only now: what it holds is held until its answer stands in the buffer.
        drop(handler);
    }

    /// It has had its chance to be done at once.
    fn has_run(&self) {
        if !self.has_run.swap(true, Ordering::Relaxed) {
            self.peer.shared.intake.started();
        }
    }

    /// Has an outcome that must wait for room count in the in-flight budget. A result is written for that, so that
    /// its length is known and the value need not be kept.
    fn weighed(&self, outcome: Result<Reply, Error>) -> Result<Reply, Error> {
        let (outcome, bytes) = match outcome {
            Ok(Reply { result, after, sent }) => {
                let mut json = Vec::new();
                let written = guarded(|| result.encode(&mut json));
                self.contain(|| drop(result));
                if let Err(error) = self.written(written) {
                    self.contain(|| drop(after));
                    return Err(error);
                }
                let bytes = block(json.capacity());
                (Ok(Reply { result: Box::new(Written(json)), after, sent }), bytes)
            }
            Err(error) => {
                let bytes = weight_of_error(&error);
                (Err(error), bytes)
            }
        };
        self.peer.shared.endpoint().weigh(&self.id, bytes);
        outcome
    }

    fn send(&self, outcome: Result<Reply, Error>) {
        let error = match outcome {
            Ok(reply) => self.send_result(reply).err(),
            Err(error) => Some(error),
        };
        if let Some(error) = error {
            self.peer.shared.refuse(&self.id, &error);
        }
    }

    fn send_result(&self, Reply { result, after, sent }: Reply) -> Result<(), Error> {
        let writer = &self.peer.shared.writer;
        let pushed = guarded(|| writer.push(|buffer| forms::response(buffer, &self.id, result.as_ref())));
        self.contain(|| drop(result));
        let written = match pushed {
            Ok(Ok(bytes)) => {
                if let Some(sent) = sent {
                    sent(bytes);
                }
                Ok(Ok(()))
            }
            Ok(Err(PushError::Closed)) => Ok(Ok(())),
            Ok(Err(PushError::Encode(error))) => Ok(Err(error)),
            Err(panic) => Err(panic),
        };
        let error = self.written(written).err();
        match (after, error) {
            (None, error) => error.map_or(Ok(()), Err),
            (Some(after), None) => {
                self.contain(|| after(&self.peer));
                Ok(())
            }
            (Some(after), Some(error)) => {
                self.contain(|| drop(after));
                Err(error)
            }
        }
    }

    /// What a result is answered with that cannot be written.
    fn written(&self, written: Result<Result<(), serde_json::Error>, String>) -> Result<(), Error> {
        match written {
            Ok(written) => written.map_err(|error| self.unwritable(&error.to_string())),
            Err(panic) => {
                self.panicked(&panic);
                Err(Error::panicked())
            }
        }
    }

    fn contain(&self, run: impl FnOnce()) {
        if let Err(panic) = guarded(run) {
            self.panicked(&panic);
        }
    }

    fn panicked(&self, message: &str) {
        Fault::Panicked { origin: Origin::Method(&self.method), message }.report(&*self.service);
    }

    fn unwritable(&self, message: &str) -> Error {
        Fault::UnwritableResult { method: &self.method, message }.report(&*self.service);
        Error::internal("the result cannot be written as JSON")
    }
}

/// When it is answered, and where its task is stopped half-way.
impl Drop for Answering {
    fn drop(&mut self) {
        self.has_run();
        self.contain(|| self.kept.let_go());
    }
}
