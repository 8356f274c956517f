//! The state of one connection.

use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

use super::outgoing::{Outbound, Outgoing};
use super::waiter::Waiter;
use crate::core::budget::{Intake, Waiting};
use crate::core::endpoint::{Endpoint, Limits};
use crate::core::error::{CallError, CloseReason};
use crate::core::job::LaneKey;
use crate::wire::forms;
use crate::wire::message::{Error, Id};
use crate::wire::writer::{Closed, Permit, PushError, Writer};

/// The state of one connection, shared by its handles, the tasks of handlers and the driver.
pub(crate) struct Shared {
    endpoint: Mutex<Endpoint<Waiter, CancellationToken>>,
    pub(crate) writer: Writer,
    pub(crate) intake: Arc<Intake>,
    /// The layers of requests and notifications that go out, if there are any.
    pub(crate) outbound: Option<Arc<dyn Outbound>>,
    /// The length of the message that the reader is at.
    pub(crate) line: AtomicUsize,
    /// Fires when this side wants to end the connection.
    pub(crate) closing: CancellationToken,
    /// Parent of every handler's token.
    pub(crate) handlers: CancellationToken,
    /// Fires when pending calls have failed.
    pub(crate) closed: CancellationToken,
    reason: Mutex<Option<CloseReason>>,
}

impl Shared {
    pub(crate) fn new(
        limits: Limits,
        writer: Writer,
        intake: Arc<Intake>,
        outbound: Option<Arc<dyn Outbound>>,
    ) -> Self {
        Self {
            endpoint: Mutex::new(Endpoint::new(limits)),
            writer,
            intake,
            outbound,
            line: AtomicUsize::new(0),
            closing: CancellationToken::new(),
            handlers: CancellationToken::new(),
            closed: CancellationToken::new(),
            reason: Mutex::new(None),
        }
    }

    pub(crate) fn endpoint(&self) -> MutexGuard<'_, Endpoint<Waiter, CancellationToken>> {
        // Only plain table operations run under this lock. None panics half-way or drops a waiter.
        self.endpoint.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for room and for the permit to write. Meanwhile the reader goes on, because the peer
    /// may be waiting for room too. If the reader has to stop, the wait fails.
    pub(crate) async fn permit(&self, method: &str) -> Result<Permit<'_>, CallError> {
        if let Some(permit) = self.writer.try_permit() {
            return Ok(permit);
        }
        // Made first: from the moment the wait counts, it may have to fail.
        let flooded = self.intake.flooded();
        let _waiting = self.intake.wait();
        tokio::select! {
            biased;
            permit = self.writer.permit() => permit.map_err(|Closed| self.closed_error()),
            () = flooded => Err(CallError::Overloaded { method: method.to_owned() }),
        }
    }

    /// Answers with an error, past the budget: the caller waits for room by itself. Returns its
    /// length.
    pub(crate) fn refuse(&self, id: &Id, error: &Error) -> usize {
        // Error objects always serialise, and on a closed connection nobody listens.
        self.writer.push(|buffer| forms::error(buffer, id, error)).unwrap_or(0)
    }

    /// Makes the reader go on for a request outside lanes. It starts before the request is sent:
    /// the jobs that hold the incoming budget may also be waiting for its layers or for room.
    pub(crate) fn counted_in(&self, lane: Option<&LaneKey>) -> Option<Waiting> {
        lane.is_none().then(|| self.intake.wait())
    }

    /// Waits for the layers of a request. Like the wait for room, it fails when no more can be read
    /// for its sake.
    pub(crate) async fn through_layers(
        &self,
        outgoing: Outgoing<'_>,
        in_lane: bool,
        method: &str,
    ) -> Result<(), CallError> {
        let Some(layers) = &self.outbound else { return outgoing.exchange().await };
        let mut exchange = layers.send(outgoing);
        let flooded = self.intake.flooded();
        tokio::select! {
            biased;
            done = &mut exchange => done,
            () = flooded, if !in_lane => Err(CallError::Overloaded { method: method.to_owned() }),
        }
    }

    pub(crate) fn set_reason(&self, reason: CloseReason) {
        // The old reason may hold an error of the transport, so it is dropped after the lock.
        let _before = self.reason.lock().unwrap_or_else(PoisonError::into_inner).replace(reason);
    }

    pub(crate) fn reason(&self) -> CloseReason {
        let reason = self.reason.lock().unwrap_or_else(PoisonError::into_inner);
        reason.clone().unwrap_or(CloseReason::Local)
    }

    pub(crate) fn closed_error(&self) -> CallError {
        CallError::Closed(self.reason())
    }

    pub(crate) fn push_error(&self, method: &str, error: PushError) -> CallError {
        match error {
            PushError::Closed => self.closed_error(),
            PushError::Encode(error) => {
                CallError::Encode { method: method.to_owned(), message: error.to_string() }
            }
        }
    }
}
