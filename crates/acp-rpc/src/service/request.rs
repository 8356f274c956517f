//! A request of the peer, and what is attached to it until it is answered.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use tokio_util::sync::CancellationToken;

use super::reply::Reply;
use crate::peer::Peer;
use crate::wire::message::{Error, Id};

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
}

/// Values that are kept for a request until it is answered.
#[derive(Clone)]
pub(crate) struct Attachments(Arc<Mutex<Option<Held>>>);

#[derive(Default)]
struct Held {
    things: Vec<Box<dyn Send>>,
    /// The answer in place of `-32800`.
    if_cancelled: Option<Reply>,
}

impl Attachments {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Mutex::new(Some(Held::default()))))
    }

    fn add(&self, something: Box<dyn Send>) {
        let late = match &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(held) => {
                held.things.push(something);
                None
            }
            None => Some(something),
        };
        drop(late);
    }

    fn set_if_cancelled(&self, reply: Reply) {
        let before = match &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(held) => held.if_cancelled.replace(reply),
            None => Some(reply),
        };
        drop(before);
    }

    /// Returns the answer that replaces this one.
    pub(crate) fn instead_of(&self, outcome: Result<Reply, Error>) -> Result<Reply, Error> {
        match outcome {
            Err(error) if error.code == Error::REQUEST_CANCELLED => {
                let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
                held.as_mut().and_then(|held| held.if_cancelled.take()).ok_or(error)
            }
            outcome => outcome,
        }
    }

    /// Drops the values. That may panic.
    pub(crate) fn let_go(&self) {
        let held = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(held);
    }
}

impl fmt::Debug for Attachments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Attachments")
    }
}
