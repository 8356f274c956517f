//! The handle on the other side: call it, notify it, close the connection.

use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use acp_json::FromNode;
use serde_core::Serialize;
use tokio::sync::oneshot::{self, error::RecvError};
use tokio_util::sync::CancellationToken;

use crate::budget::Intake;
use crate::encode;
use crate::endpoint::{Cancel, Endpoint, Limits};
use crate::error::{CallError, CloseReason};
use crate::message::{Error, Id};
use crate::options::Options;
use crate::service::LaneKey;
use crate::waiter::{Unsettled, Waiter};
use crate::writer::{Closed, PushError, Writer};

/// A cheap handle on the other side of a connection. It does not keep the connection open.
#[derive(Clone)]
pub struct Peer {
    pub(crate) shared: Arc<Shared>,
}

impl Peer {
    /// Sends a request and waits for its result.
    ///
    /// Waits while more bytes than [`Options::outgoing_budget`] are queued, then serialises `params` straight
    /// into the output buffer; params that serialise to `null` are left out. Dropping the future sends
    /// `$/cancel_request` and forgets the answer. The answer is delivered as soon as it arrives, ahead of
    /// notifications that still wait in lanes, so that jobs of lanes may call the peer.
    ///
    /// # Errors
    ///
    /// See [`CallError`]. Nothing was sent if it is [`CallError::Encode`].
    pub async fn request<P, R>(&self, method: &str, params: &P) -> Result<R, CallError>
    where
        P: Serialize + Sync + ?Sized,
        R: FromNode + Send + 'static,
    {
        self.call(None, method, params).await
    }

    /// Like [`request`](Self::request), but the answer is delivered in order: after every job of `lane` whose
    /// notification came before it has finished.
    ///
    /// A job must not await this for its own lane: it would wait for itself.
    ///
    /// # Errors
    ///
    /// As [`request`](Self::request).
    pub async fn request_in_lane<P, R>(&self, lane: LaneKey, method: &str, params: &P) -> Result<R, CallError>
    where
        P: Serialize + Sync + ?Sized,
        R: FromNode + Send + 'static,
    {
        self.call(Some(lane), method, params).await
    }

    /// Sends a notification. Waits while more bytes than [`Options::outgoing_budget`] are queued.
    ///
    /// # Errors
    ///
    /// [`CallError::Closed`] or [`CallError::Encode`]; nothing was sent then.
    pub async fn notify<P>(&self, method: &str, params: &P) -> Result<(), CallError>
    where
        P: Serialize + Sync + ?Sized,
    {
        let _turn = self.shared.writer.turn().await.map_err(|Closed| self.shared.closed_error())?;
        self.notify_now(method, params)
    }

    /// Sends a notification without ever waiting: for drop guards and [`Reply::after`](crate::Reply::after).
    ///
    /// It goes past the outgoing budget, so keep it to few and small messages.
    ///
    /// # Errors
    ///
    /// As [`notify`](Self::notify).
    pub fn notify_now<P>(&self, method: &str, params: &P) -> Result<(), CallError>
    where
        P: Serialize + ?Sized,
    {
        let pushed = self.shared.writer.push(|buffer| encode::notification(buffer, method, params));
        pushed.map_err(|error| self.shared.push_error(method, error))
    }

    /// Whether the connection has ended: no request can be answered any more.
    pub fn is_closed(&self) -> bool {
        self.shared.closed.is_cancelled()
    }

    /// Waits until the connection has ended, and says why.
    pub async fn closed(&self) -> CloseReason {
        self.shared.closed.cancelled().await;
        self.shared.reason()
    }

    /// Ends the connection: stops reading, fails pending calls, tells handlers to stop and gives them
    /// [`Options::drain`] to answer, sends what is queued, then closes. Returns at once.
    pub fn close(&self) {
        self.shared.closing.cancel();
    }

    /// Sends a request and returns as soon as it is on its way: whatever is sent after that comes after it.
    /// The answer is awaited separately, through `lane` where one is given, as in
    /// [`request_in_lane`](Self::request_in_lane).
    ///
    /// # Errors
    ///
    /// [`CallError::Closed`] or [`CallError::Encode`]; nothing was sent then.
    pub async fn begin<P, R>(
        &self,
        lane: Option<LaneKey>,
        method: &str,
        params: &P,
    ) -> Result<Pending<R>, CallError>
    where
        P: Serialize + Sync + ?Sized,
        R: FromNode + Send + 'static,
    {
        let (call, answer) = self.send(lane, method, params).await?;
        Ok(Pending { call, answer, method: method.into() })
    }

    async fn call<P, R>(&self, lane: Option<LaneKey>, method: &str, params: &P) -> Result<R, CallError>
    where
        P: Serialize + Sync + ?Sized,
        R: FromNode + Send + 'static,
    {
        let (call, answer) = self.send(lane, method, params).await?;
        call.settled(answer.await, method)
    }

    async fn send<P, R>(
        &self,
        lane: Option<LaneKey>,
        method: &str,
        params: &P,
    ) -> Result<(Call, oneshot::Receiver<Settled<R>>), CallError>
    where
        P: Serialize + Sync + ?Sized,
        R: FromNode + Send + 'static,
    {
        let shared = &self.shared;
        // From here on: also the wait for room may be what the jobs that hold the incoming budget wait for.
        let waiting = lane.is_none().then(|| shared.intake.wait());
        let _turn = shared.writer.turn().await.map_err(|Closed| shared.closed_error())?;
        let (answer, arrival) = oneshot::channel();
        let waiter = Waiter::new(lane, waiting, answer);
        let id = shared.endpoint().call(waiter).ok_or_else(|| shared.closed_error())?;
        let mut call = Call { shared: Arc::clone(shared), id, sent: false };
        let pushed = shared.writer.push(|buffer| encode::request(buffer, id, method, params));
        pushed.map_err(|error| shared.push_error(method, error))?;
        call.sent = true;
        Ok((call, arrival))
    }
}

impl fmt::Debug for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Peer").field("closed", &self.is_closed()).finish_non_exhaustive()
    }
}

/// A request that has been sent: a future of its result. Dropping it sends `$/cancel_request` and forgets the
/// answer.
#[must_use = "dropping a pending request cancels it"]
pub struct Pending<R> {
    call: Call,
    answer: oneshot::Receiver<Settled<R>>,
    method: Box<str>,
}

impl<R> Future for Pending<R> {
    type Output = Result<R, CallError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let arrived = ready!(Pin::new(&mut self.answer).poll(cx));
        Poll::Ready(self.call.settled(arrived, &self.method))
    }
}

impl<R> fmt::Debug for Pending<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pending")
            .field("method", &self.method)
            .field("id", &self.call.id)
            .finish_non_exhaustive()
    }
}

type Settled<R> = Result<R, Unsettled>;

/// A request of ours on its way; dropped before its answer came, it tells the peer.
struct Call {
    shared: Arc<Shared>,
    id: i64,
    sent: bool,
}

impl Call {
    fn settled<R>(&self, arrived: Result<Settled<R>, RecvError>, method: &str) -> Result<R, CallError> {
        match arrived {
            Ok(settled) => settled.map_err(|unsettled| unsettled.into_error(method)),
            Err(_) if self.shared.closed.is_cancelled() => Err(self.shared.closed_error()),
            Err(_) => Err(Unsettled::Malformed("reading it failed unexpectedly").into_error(method)),
        }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        if !self.sent {
            self.shared.endpoint().retract(self.id);
        } else if self.shared.endpoint().abandon(self.id) {
            // If the connection is gone the peer cannot be told, and need not be.
            let _ = self.shared.writer.push(|buffer| encode::cancel(buffer, self.id));
        }
    }
}

/// What the handles, the handlers' tasks and the driver of one connection share.
pub(crate) struct Shared {
    endpoint: Mutex<Endpoint<Waiter, CancellationToken>>,
    pub(crate) writer: Writer,
    pub(crate) intake: Arc<Intake>,
    /// Fires when this side wants to end the connection.
    pub(crate) closing: CancellationToken,
    /// Parent of every handler's token.
    pub(crate) handlers: CancellationToken,
    /// Fires when pending calls have failed.
    pub(crate) closed: CancellationToken,
    reason: Mutex<Option<CloseReason>>,
}

impl Shared {
    pub(crate) fn new(options: &Options) -> Self {
        let limits = Limits { requests: options.max_in_flight, bytes: options.in_flight_budget };
        Self {
            endpoint: Mutex::new(Endpoint::new(limits)),
            writer: Writer::new(options.outgoing_budget),
            intake: Intake::new(options.incoming_budget, options.incoming_ceiling),
            closing: CancellationToken::new(),
            handlers: CancellationToken::new(),
            closed: CancellationToken::new(),
            reason: Mutex::new(None),
        }
    }

    pub(crate) fn endpoint(&self) -> MutexGuard<'_, Endpoint<Waiter, CancellationToken>> {
        // Only plain table operations run under this lock; none of them panics half-way.
        self.endpoint.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Answers with an error, past the budget: who calls this waits for room by himself.
    pub(crate) fn refuse(&self, id: &Id, error: &Error) {
        // Error objects always serialise; and on a closed connection nobody listens.
        let _ = self.writer.push(|buffer| encode::error(buffer, id, error));
    }

    pub(crate) fn set_reason(&self, reason: CloseReason) {
        *self.reason.lock().unwrap_or_else(PoisonError::into_inner) = Some(reason);
    }

    fn reason(&self) -> CloseReason {
        let reason = self.reason.lock().unwrap_or_else(PoisonError::into_inner);
        reason.clone().unwrap_or(CloseReason::Local)
    }

    fn closed_error(&self) -> CallError {
        CallError::Closed(self.reason())
    }

    fn push_error(&self, method: &str, error: PushError) -> CallError {
        match error {
            PushError::Closed => self.closed_error(),
            PushError::Encode(error) => {
                CallError::Encode { method: method.to_owned(), message: error.to_string() }
            }
        }
    }
}

impl Cancel for CancellationToken {
    fn cancel(&self) {
        Self::cancel(self);
    }
}
