//! A request of the peer, and what is attached to it until it is answered.

use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use tokio_util::sync::CancellationToken;

use super::reply::Reply;
use crate::core::error::CallError;
use crate::core::panics::guarded;
use crate::peer::Peer;
use crate::wire::encode::Encode;
use crate::wire::forms;
use crate::wire::message::{Error, Id};
use crate::wire::writer::{EncodeMessage, PushError};

/// A request of the peer, as its handler sees it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Request {
    /// Its id, which the peer chose.
    pub id: Id,
    /// The peer.
    pub peer: Peer,
    /// Fires when the peer cancels this request (`$/cancel_request`) and when the connection ends.
    /// The handler still answers, with a result or with [`Error::cancelled`].
    pub cancel: CancellationToken,
    pub(crate) attachments: Attachments,
}

impl Request {
    /// Keeps a value until the answer stands in the output buffer, and then drops it at once. The
    /// answer may be a result or an error, and may come from a layer that drops the handler. A
    /// value for a request that is answered already is dropped at once.
    ///
    /// ```
    /// # use acp_rpc::{Error, Reply, Request, Task};
    /// # use std::sync::{Arc, Mutex};
    /// /// One at a time, and none before the answer of the one before.
    /// fn exclusive(busy: &Arc<tokio::sync::Semaphore>, request: Request) -> Result<Task, Error> {
    ///     let place = Arc::clone(busy).try_acquire_owned().map_err(|_| Error::internal("busy"))?;
    ///     request.keep(place);
    ///     Ok(Box::pin(async { Ok(Reply::empty()) }))
    /// }
    /// ```
    pub fn keep(&self, something: impl Send + 'static) {
        self.attachments.add(Box::new(something));
    }

    /// Answers `reply` instead of `-32800`, whether its task or a layer cancels the request, such
    /// as a layer in which it waits for its turn. A handler that is stopped by the end of the
    /// connection is answered `-32800` all the same.
    pub fn if_cancelled(&self, reply: Reply) {
        self.attachments.set_if_cancelled(reply);
    }

    /// Answers with `result` now, while the handler goes on, and sends notifications right behind
    /// the answer: their methods and params, in one write with it. It waits for room first, as a
    /// handler's own answer does.
    ///
    /// The outcome of the handler is dropped then, and `$/cancel_request` does not reach it any
    /// more. What the request [keeps](Self::keep) is kept until the handler has ended. Layers see
    /// the outcome of the handler, not this answer.
    ///
    /// # Errors
    /// [`CallError::Closed`] once the connection is closed or the request is answered;
    /// [`CallError::Encode`] with `method` if a message cannot be written. Nothing was sent then,
    /// and a request that was not answered still can be.
    pub async fn answer_early(
        &self,
        method: &str,
        result: &(impl Encode + Sync),
        notifications: &[(&str, &(dyn Encode + Sync))],
    ) -> Result<(), CallError> {
        let _permit = self.peer.shared.permit(method).await?;
        self.answer_early_now(method, result, notifications)
    }

    /// Answers like [`answer_early`](Self::answer_early), without waiting for room. It goes past
    /// the outgoing budget, so use it for few and small messages.
    ///
    /// # Errors
    /// The errors of [`answer_early`](Self::answer_early).
    pub fn answer_early_now(
        &self,
        method: &str,
        result: &(impl Encode + Sync),
        notifications: &[(&str, &(dyn Encode + Sync))],
    ) -> Result<(), CallError> {
        let shared = &self.peer.shared;
        let answer = |buffer: &mut Vec<u8>| forms::response(buffer, &self.id, result);
        let others: Vec<_> = notifications
            .iter()
            .map(|(method, params)| move |buffer: &mut Vec<u8>| forms::notification(buffer, method, *params))
            .collect();
        let mut messages: Vec<EncodeMessage<'_>> = vec![&answer];
        for other in &others {
            messages.push(other);
        }
        // First, because the peer may use the id again as soon as it has the answer.
        let handler = shared.endpoint().answered_early(&self.id);
        let handler = handler.ok_or_else(|| shared.closed_error())?;
        let pushed = guarded(|| shared.writer.push_together(&messages));
        let pushed = pushed.unwrap_or_else(|panic| Err(PushError::Encode(panicked(&panic))));
        match pushed {
            Ok(()) => {
                self.attachments.set_answered_early(handler.bytes);
                Ok(())
            }
            Err(error) => {
                shared.endpoint().still_in_flight(&self.id, handler);
                Err(shared.push_error(method, error))
            }
        }
    }
}

fn panicked(message: &str) -> serde_json::Error {
    serde_core::ser::Error::custom(format_args!("writing it panicked: {message}"))
}

/// Values that are kept for a request until it is answered.
#[derive(Clone)]
pub(crate) struct Attachments(Arc<Attached>);

struct Attached {
    held: Mutex<Option<Held>>,
    /// Set once the request was answered while its handler goes on: the weight of the request.
    answered_early: OnceLock<usize>,
}

#[derive(Default)]
struct Held {
    things: Vec<Box<dyn Send>>,
    /// The answer in place of `-32800`.
    if_cancelled: Option<Reply>,
}

impl Attachments {
    pub(crate) fn new() -> Self {
        let held = Mutex::new(Some(Held::default()));
        Self(Arc::new(Attached { held, answered_early: OnceLock::new() }))
    }

    fn add(&self, something: Box<dyn Send>) {
        let late = match &mut *self.0.held.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(held) => {
                held.things.push(something);
                None
            }
            None => Some(something),
        };
        drop(late);
    }

    fn set_if_cancelled(&self, reply: Reply) {
        let before = match &mut *self.0.held.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(held) => held.if_cancelled.replace(reply),
            None => Some(reply),
        };
        drop(before);
    }

    fn set_answered_early(&self, bytes: usize) {
        // The endpoint hands a request out once.
        let _ = self.0.answered_early.set(bytes);
    }

    /// Returns the weight of a request that was answered while its handler goes on.
    pub(crate) fn answered_early(&self) -> Option<usize> {
        self.0.answered_early.get().copied()
    }

    /// Returns the answer that replaces this one.
    pub(crate) fn instead_of(&self, outcome: Result<Reply, Error>) -> Result<Reply, Error> {
        match outcome {
            Err(error) if error.code == Error::REQUEST_CANCELLED => {
                let mut held = self.0.held.lock().unwrap_or_else(PoisonError::into_inner);
                held.as_mut().and_then(|held| held.if_cancelled.take()).ok_or(error)
            }
            outcome => outcome,
        }
    }

    /// Drops the values. That may panic.
    pub(crate) fn let_go(&self) {
        let held = self.0.held.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(held);
    }
}

impl fmt::Debug for Attachments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Attachments")
    }
}
