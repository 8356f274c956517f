//! What holds for a request in flight, whoever answers it.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;

use crate::budget::is_slack;
use crate::message::{Error, Id};
use crate::service::Reply;

/// The promises of the requests in flight, by id. Most have none.
#[derive(Debug, Default)]
pub(crate) struct Promises {
    of: HashMap<Id, Promise>,
}

/// What was promised for one request.
#[derive(Default)]
pub(crate) struct Promise {
    /// What is answered in place of `-32800`.
    if_cancelled: Option<Reply>,
    /// What is dropped when the answer stands in the output buffer.
    kept: Vec<Box<dyn Send>>,
}

impl Promises {
    pub(crate) fn keep(&mut self, id: &Id, value: Box<dyn Send>) {
        self.entry(id).kept.push(value);
    }

    /// Returns the reply that was promised before.
    pub(crate) fn if_cancelled(&mut self, id: &Id, reply: Reply) -> Option<Reply> {
        self.entry(id).if_cancelled.replace(reply)
    }

    /// Takes them from the table: the answer is about to be sent.
    pub(crate) fn take(&mut self, id: &Id) -> Promise {
        if self.of.is_empty() {
            return Promise::default();
        }
        let promise = self.of.remove(id).unwrap_or_default();
        if is_slack(self.of.capacity(), self.of.len()) {
            self.of.shrink_to(2 * self.of.len());
        }
        promise
    }

    fn entry(&mut self, id: &Id) -> &mut Promise {
        match self.of.entry(id.clone()) {
            Entry::Occupied(taken) => taken.into_mut(),
            Entry::Vacant(free) => free.insert(Promise::default()),
        }
    }
}

impl Promise {
    /// The answer that is given where this one would be.
    pub(crate) fn instead_of(&mut self, outcome: Result<Reply, Error>) -> Result<Reply, Error> {
        match outcome {
            Err(error) if error.code == Error::REQUEST_CANCELLED => self.if_cancelled.take().ok_or(error),
            outcome => outcome,
        }
    }
}

impl fmt::Debug for Promise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Promise").field("kept", &self.kept.len()).finish_non_exhaustive()
    }
}
