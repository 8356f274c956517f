//! A request of this side on its way, until it is answered, given up or overdue.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use acp_json::FromNode;
use tokio::sync::oneshot::{self, error::RecvError};
use tokio::time::{Sleep, sleep};

use super::shared::Shared;
use super::waiter::{Unsettled, Waiter};
use crate::core::error::CallError;
use crate::core::job::LaneKey;
use crate::wire::encode::Encode;
use crate::wire::forms;

pub(crate) type Settled<R> = Result<R, Unsettled>;

/// A request in the output buffer or beyond. Dropping it before its answer tells the peer, unless
/// it runs on.
pub(crate) struct Call {
    shared: Arc<Shared>,
    pub(crate) id: i64,
    /// The length of its line.
    pub(crate) bytes: usize,
    runs_on: bool,
}

impl Call {
    /// Waits for room, then puts the request into the output buffer.
    pub(crate) async fn start<P: Encode + ?Sized>(
        shared: &Arc<Shared>,
        waiter: Waiter,
        method: &str,
        params: &P,
    ) -> Result<Self, CallError> {
        Self::start_noting(shared, waiter, method, params, |_| {}).await
    }

    /// Starts a request, and gives its id to `note` before the peer can know it.
    pub(crate) async fn start_noting<P: Encode + ?Sized>(
        shared: &Arc<Shared>,
        waiter: Waiter,
        method: &str,
        params: &P,
        note: impl FnOnce(i64),
    ) -> Result<Self, CallError> {
        let _permit = shared.permit(method).await?;
        let entered = shared.endpoint().call(waiter);
        let id = entered.map_err(|_waiter| shared.closed_error())?;
        note(id);
        let mut call = Self { shared: Arc::clone(shared), id, bytes: 0, runs_on: false };
        let pushed = shared.writer.push(|buffer| forms::request(buffer, id, method, params));
        call.bytes = pushed.map_err(|error| shared.push_error(method, error))?;
        Ok(call)
    }

    /// Lets the request run on: nobody will give it up.
    pub(crate) fn run_on(mut self) {
        self.runs_on = true;
    }

    /// Sends `$/cancel_request`. The answer is still waited for.
    pub(crate) fn withdraw(&self) {
        // A peer whose connection is gone cannot be told, and need not be.
        let _ = self.shared.writer.push(|buffer| forms::cancel(buffer, self.id));
    }

    pub(crate) fn settled<R>(
        &self,
        arrived: Result<Settled<R>, RecvError>,
        method: &str,
    ) -> Result<R, CallError> {
        match arrived {
            Ok(settled) => settled.map_err(|unsettled| unsettled.into_error(method)),
            Err(_) if self.shared.closed.is_cancelled() => Err(self.shared.closed_error()),
            Err(_) => Err(Unsettled::Malformed("reading it failed unexpectedly").into_error(method)),
        }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        if self.runs_on {
            return;
        }
        // A waiter may own anything, even another request, so it is dropped after the endpoint is
        // unlocked.
        if self.bytes == 0 {
            let _waiter = self.shared.endpoint().retract(self.id);
            return;
        }
        let waiter = self.shared.endpoint().abandon(self.id);
        if waiter.is_some() {
            // A peer whose connection is gone cannot be told, and need not be.
            let _ = self.shared.writer.push(|buffer| forms::cancel(buffer, self.id));
        }
    }
}

/// The future of the result of a request that has been sent. Dropping it sends `$/cancel_request`
/// and forgets the answer.
#[must_use = "dropping a pending request cancels it"]
pub struct Pending<R> {
    /// `None` once the result has been given.
    stage: Option<RequestStage<R>>,
    timer: Option<Timer>,
    method: Box<str>,
}

/// The stage of a request.
pub(crate) enum RequestStage<R> {
    Sent(Call, oneshot::Receiver<Settled<R>>),
    /// Layers work on it.
    Layered(Layered<R>),
    /// The layers had an outcome before the caller asked for it.
    Settled(Result<R, CallError>),
}

pub(crate) type Layered<R> = Pin<Box<dyn Future<Output = Result<R, CallError>> + Send>>;

impl<R> RequestStage<R> {
    /// Runs the layers until the request is on its way. An error is one from before that.
    pub(crate) async fn through_layers(
        mut exchange: Layered<R>,
        mut on_wire: oneshot::Receiver<()>,
    ) -> Result<Self, CallError> {
        tokio::select! {
            biased;
            Ok(()) = &mut on_wire => Ok(Self::Layered(exchange)),
            outcome = &mut exchange => match on_wire.try_recv() {
                Ok(()) => Ok(Self::Settled(outcome)),
                Err(_) => outcome.map(Ok).map(Self::Settled),
            },
        }
    }
}

impl<R> Pending<R> {
    pub(crate) fn new(stage: RequestStage<R>, timer: Option<Timer>, method: &str) -> Self {
        Self { stage: Some(stage), timer, method: method.into() }
    }
}

/// A result is never pinned.
impl<R> Unpin for Pending<R> {}

impl<R> Future for Pending<R> {
    type Output = Result<R, CallError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        let stage = match this.stage.take() {
            None => return Poll::Pending,
            Some(RequestStage::Settled(outcome)) => return Poll::Ready(outcome),
            Some(RequestStage::Sent(call, mut answer)) => match Pin::new(&mut answer).poll(cx) {
                Poll::Ready(arrived) => return Poll::Ready(call.settled(arrived, &this.method)),
                Poll::Pending => RequestStage::Sent(call, answer),
            },
            Some(RequestStage::Layered(mut exchange)) => match exchange.as_mut().poll(cx) {
                Poll::Ready(outcome) => return Poll::Ready(outcome),
                Poll::Pending => RequestStage::Layered(exchange),
            },
        };
        if let Some(timer) = &mut this.timer
            && timer.sleep.as_mut().poll(cx).is_ready()
        {
            return Poll::Ready(Err(timer.error(&this.method)));
        }
        this.stage = Some(stage);
        Poll::Pending
    }
}

impl<R> fmt::Debug for Pending<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pending").field("method", &self.method).finish_non_exhaustive()
    }
}

/// The time that a call may take, running.
pub(crate) struct Timer {
    after: Duration,
    sleep: Pin<Box<Sleep>>,
}

impl Timer {
    pub(crate) fn start(after: Option<Duration>) -> Option<Self> {
        after.map(|after| Self { after, sleep: Box::pin(sleep(after)) })
    }

    fn error(&self, method: &str) -> CallError {
        CallError::TimedOut { method: method.to_owned(), after: self.after }
    }
}

/// Does `work` unless the time is up first.
pub(crate) async fn within<T>(
    timer: &mut Option<Timer>,
    method: &str,
    mut work: Pin<&mut impl Future<Output = Result<T, CallError>>>,
) -> Result<T, CallError> {
    let Some(timer) = timer else { return work.await };
    tokio::select! {
        biased;
        done = &mut work => done,
        () = timer.sleep.as_mut() => Err(timer.error(method)),
    }
}

/// Makes both ends of a request that goes through no layers.
pub(crate) fn waiter<R: FromNode + Send + 'static>(
    shared: &Shared,
    lane: Option<LaneKey>,
) -> (Waiter, oneshot::Receiver<Settled<R>>) {
    let (answer, arrival) = oneshot::channel();
    let waiting = shared.counted_in(lane.as_ref());
    (Waiter::new(lane, waiting, answer), arrival)
}
