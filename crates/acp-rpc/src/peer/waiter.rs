//! The waiter for the answer to a request of this side.

use acp_json::{FromNode, ReadError};
use tokio::sync::oneshot;

use super::progress::Progress;
use crate::core::budget::Waiting;
use crate::core::error::{CallError, CloseReason};
use crate::core::job::{BoxFuture, LaneKey};
use crate::wire::message::{Answer, Error};

/// Takes an answer on the reader, reads the result there, and passes it on: at once, or through a
/// lane.
pub(crate) struct Waiter {
    lane: Option<LaneKey>,
    settle: Settle,
    progress: Option<Progress>,
    _waiting: Option<Waiting>,
}

/// Takes the outcome, and whether to wait for a turn in a lane. In that case it returns the rest,
/// which runs later.
type Settle = Box<dyn FnOnce(Settlement<'_>, bool) -> Option<BoxFuture> + Send>;

/// An answer, or the reason why there will be none.
pub(crate) enum Settlement<'a> {
    Answer(Answer<'a>),
    Closed(CloseReason),
    Overloaded,
}

/// A [`CallError`] that does not know its method yet.
pub(crate) enum Unsettled {
    Remote(Error),
    Closed(CloseReason),
    Read(ReadError),
    Malformed(&'static str),
    Overloaded,
}

impl Waiter {
    pub(crate) fn new<R: FromNode + Send + 'static>(
        lane: Option<LaneKey>,
        waiting: Option<Waiting>,
        answer: oneshot::Sender<Result<R, Unsettled>>,
    ) -> Self {
        Self::with(lane, waiting, None, answer, read)
    }

    /// Makes a waiter for layers, which know nothing of results: the `result` goes past them.
    pub(crate) fn layered<R: FromNode + Send + 'static>(
        lane: Option<LaneKey>,
        waiting: Option<Waiting>,
        progress: Progress,
        answer: oneshot::Sender<Result<(), Unsettled>>,
        result: oneshot::Sender<R>,
    ) -> Self {
        // A caller that gave up in the meantime does not want it.
        let keep = |outcome: Settlement<'_>| read(outcome).map(|value| drop(result.send(value)));
        Self::with(lane, waiting, Some(progress), answer, keep)
    }

    /// Makes a waiter that calls a function with the result.
    pub(crate) fn then<R: FromNode + Send + 'static>(
        lane: Option<LaneKey>,
        waiting: Option<Waiting>,
        then: impl FnOnce(Result<R, Unsettled>) + Send + 'static,
    ) -> Self {
        Self { lane, settle: settle(read, then), progress: None, _waiting: waiting }
    }

    fn with<T: Send + 'static>(
        lane: Option<LaneKey>,
        waiting: Option<Waiting>,
        progress: Option<Progress>,
        answer: oneshot::Sender<Result<T, Unsettled>>,
        read: impl FnOnce(Settlement<'_>) -> Result<T, Unsettled> + Send + 'static,
    ) -> Self {
        Self { lane, settle: settle(read, |result| drop(answer.send(result))), progress, _waiting: waiting }
    }

    /// Notes that the answer has come, in a line of so many bytes.
    pub(crate) fn received(&self, bytes: usize) {
        if let Some(progress) = &self.progress {
            progress.set_received(bytes);
        }
    }

    /// Returns the lane of the answer, if it goes through one.
    pub(crate) const fn lane(&self) -> Option<&LaneKey> {
        self.lane.as_ref()
    }

    /// Settles the call. Returns the rest of it if that has to run later.
    pub(crate) fn settle(self, outcome: Settlement<'_>, later: bool) -> Option<BoxFuture> {
        (self.settle)(outcome, later)
    }
}

/// Reads the result at once, and does the rest at once or later.
fn settle<T: Send + 'static>(
    read: impl FnOnce(Settlement<'_>) -> Result<T, Unsettled> + Send + 'static,
    then: impl FnOnce(Result<T, Unsettled>) + Send + 'static,
) -> Settle {
    Box::new(move |outcome, later| {
        let result = read(outcome);
        if later {
            let job: BoxFuture = Box::pin(async move { then(result) });
            return Some(job);
        }
        then(result);
        None
    })
}

fn read<R: FromNode>(outcome: Settlement<'_>) -> Result<R, Unsettled> {
    match outcome {
        Settlement::Answer(Answer::Result(result)) => acp_json::read(result).map_err(Unsettled::Read),
        Settlement::Answer(Answer::Error(error)) => Err(Unsettled::Remote(error)),
        Settlement::Answer(Answer::Malformed(problem)) => Err(Unsettled::Malformed(problem)),
        Settlement::Closed(reason) => Err(Unsettled::Closed(reason)),
        Settlement::Overloaded => Err(Unsettled::Overloaded),
    }
}

impl Unsettled {
    pub(crate) fn into_error(self, method: &str) -> CallError {
        let method = || method.to_owned();
        match self {
            Self::Remote(error) => CallError::Remote(error),
            Self::Closed(reason) => CallError::Closed(reason),
            Self::Read(error) => CallError::Read { method: method(), error },
            Self::Malformed(problem) => CallError::Malformed { method: method(), problem },
            Self::Overloaded => CallError::Overloaded { method: method() },
        }
    }
}
