//! The handler of a request, up to its answer.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::core::fault::{Fault, Origin};
use crate::core::panics::{caught, guarded};
use crate::peer::Peer;
use crate::service::Service;
use crate::service::reply::{Reply, Task};
use crate::service::request::Attachments;
use crate::wire::encode::Written;
use crate::wire::forms;
use crate::wire::message::{Error, Id};
use crate::wire::weight::{block, weight_of_error};
use crate::wire::writer::PushError;

/// One request of the peer.
pub(crate) struct Answering {
    pub(crate) peer: Peer,
    pub(crate) service: Arc<dyn Service>,
    pub(crate) id: Id,
    pub(crate) method: Box<str>,
    pub(crate) attachments: Attachments,
    /// Set when the handler has been polled, and has returned or waits for room.
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
        if self.attachments.answered_early().is_some() {
            self.contain(|| drop(outcome));
            return;
        }
        outcome = self.attachments.instead_of(outcome);
        let (permit, waits) = match self.peer.shared.writer.try_permit() {
            Some(permit) => (Ok(permit), None),
            None => {
                // Counted before it weighs: the reader must not see a table that it fills and that
                // nothing seems to empty.
                let waits = self.peer.shared.intake.answer_waits();
                outcome = self.weighed(outcome);
                self.has_run();
                (self.peer.shared.writer.permit().await, Some(waits))
            }
        };
        let in_flight = self.peer.shared.endpoint().finished(&self.id);
        // Counted until here: in between, the reader would see a full table that nothing empties.
        drop(waits);
        if permit.is_ok() && in_flight {
            self.send(outcome);
        } else {
            self.contain(|| drop(outcome));
        }
        drop(permit);
        // Dropped only now: its values live until its answer stands in the buffer.
        drop(handler);
    }

    /// Notes that the handler has had its chance to finish at once.
    fn has_run(&self) {
        if !self.has_run.swap(true, Ordering::Relaxed) {
            self.peer.shared.intake.started();
        }
    }

    /// Counts an outcome that must wait for room in the in-flight budget. A result is written for
    /// that, so that its length is known and its value can be dropped.
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

    /// Returns the error for a result that cannot be written.
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

/// Runs after the answer, and where the task is stopped half-way.
impl Drop for Answering {
    fn drop(&mut self) {
        self.has_run();
        if let Some(bytes) = self.attachments.answered_early() {
            self.peer.shared.endpoint().release(bytes);
        }
        self.contain(|| self.attachments.let_go());
    }
}
