//! The handle on the other side: calls it, notifies it, closes the connection.

pub(crate) mod call;
mod meta;
pub(crate) mod outgoing;
pub(crate) mod progress;
pub(crate) mod shared;
pub(crate) mod waiter;

use std::fmt;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use acp_json::FromNode;
use serde_core::Serialize;

use self::call::{Call, Pending, RequestStage, Timer, within};
use self::outgoing::{Outbound, Outgoing};
use self::shared::Shared;
use self::waiter::{Unsettled, Waiter};
use crate::core::error::{CallError, CloseReason};
use crate::core::job::LaneKey;
use crate::wire::encode::{Borrowed, Encode};
use crate::wire::forms;

/// A cheap handle on the other side of a connection. It does not keep the connection open.
#[derive(Clone)]
pub struct Peer {
    pub(crate) shared: Arc<Shared>,
    timeout: Option<Duration>,
}

impl Peer {
    pub(crate) fn new(shared: Shared, timeout: Option<Duration>) -> Self {
        Self { shared: Arc::new(shared), timeout }
    }

    /// Returns a handle on this peer whose requests may take as long as `after`, or for ever with
    /// `None`. It replaces [`Options::request_timeout`](crate::Options::request_timeout).
    ///
    /// The time runs from the call to its result, and includes waits for room to write, for layers
    /// and for jobs of a lane. Then the call fails with [`CallError::TimedOut`], a peer that has
    /// the request is sent `$/cancel_request`, and its late answer is dropped quietly. It needs a
    /// tokio runtime with time enabled.
    ///
    /// ```no_run
    /// # use acp_rpc::{CallError, Peer};
    /// # use std::time::Duration;
    /// # async fn ask(peer: &Peer) -> Result<(), CallError> {
    /// let answer: String = peer.timeout(Duration::from_secs(5)).request("ask", &()).await?;
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn timeout(&self, after: impl Into<Option<Duration>>) -> Self {
        Self { shared: Arc::clone(&self.shared), timeout: after.into() }
    }

    /// Sends a request and waits for its result.
    ///
    /// Waits while more bytes than [`Options::outgoing_budget`](crate::Options::outgoing_budget)
    /// are queued, then serialises `params` straight into the output buffer. Params that serialise
    /// to `null` are left out. Dropping the future sends `$/cancel_request` and forgets the answer.
    /// The answer is delivered as soon as it arrives, ahead of notifications that still wait in
    /// lanes, so that jobs of lanes may call the peer.
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

    /// Sends a request whose answer is delivered in order: after every job of `lane` whose
    /// notification came before it has finished. Otherwise like [`request`](Self::request).
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

    /// Sends a notification. Waits while more bytes than
    /// [`Options::outgoing_budget`](crate::Options::outgoing_budget) are queued.
    ///
    /// # Errors
    ///
    /// [`CallError::Closed`], [`CallError::Encode`] or [`CallError::Overloaded`], or the error of a
    /// layer that refuses it. Nothing was sent then.
    pub async fn notify<P>(&self, method: &str, params: &P) -> Result<(), CallError>
    where
        P: Encode + Sync + ?Sized,
    {
        let Some(layers) = &self.shared.outbound else {
            if self.try_notify(method, params)? {
                return Ok(());
            }
            let _permit = self.shared.permit(method).await?;
            return self.notify_now(method, params);
        };
        let params = Borrowed(params);
        let exchange = layers.send(Outgoing::notification(&self.shared, method, &params));
        exchange.await
    }

    /// Sends a notification if that needs no wait: there is room for it, nobody waits for room, and
    /// there are no layers. Returns whether it was sent. Senders of many notifications try this
    /// first and then call [`notify`](Self::notify), which waits.
    ///
    /// # Errors
    ///
    /// [`CallError::Closed`] or [`CallError::Encode`]. Nothing was sent then.
    pub fn try_notify<P>(&self, method: &str, params: &P) -> Result<bool, CallError>
    where
        P: Encode + ?Sized,
    {
        if self.shared.outbound.is_some() {
            return Ok(false);
        }
        let pushed = self.shared.writer.try_push(|buffer| forms::notification(buffer, method, params));
        match pushed {
            Some(pushed) => pushed.map(|_| true).map_err(|error| self.shared.push_error(method, error)),
            None => Ok(false),
        }
    }

    /// Sends a notification without ever waiting: for drop guards and
    /// [`Reply::after`](crate::Reply::after).
    ///
    /// It ignores the outgoing budget and goes past layers, so use it for few and small messages.
    ///
    /// # Errors
    ///
    /// As [`notify`](Self::notify).
    pub fn notify_now<P>(&self, method: &str, params: &P) -> Result<(), CallError>
    where
        P: Encode + ?Sized,
    {
        let pushed = self.shared.writer.push(|buffer| forms::notification(buffer, method, params));
        pushed.map(drop).map_err(|error| self.shared.push_error(method, error))
    }

    /// Tells whether the connection has ended, so that no request can be answered any more.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.shared.closed.is_cancelled()
    }

    /// Waits until the connection has ended, and returns the reason.
    pub async fn closed(&self) -> CloseReason {
        self.shared.closed.cancelled().await;
        self.shared.reason()
    }

    /// Ends the connection and returns at once. Reading stops, pending calls fail, handlers are
    /// told to stop and have [`Options::drain`](crate::Options::drain) to answer. What is queued is
    /// sent, then the connection closes.
    pub fn close(&self) {
        self.shared.closing.cancel();
    }

    /// Sends a request and returns as soon as it is on its way: later messages come after it. Await
    /// the answer separately. With a `lane` it comes through the lane, as in
    /// [`request_in_lane`](Self::request_in_lane).
    ///
    /// # Errors
    ///
    /// [`CallError::Closed`], [`CallError::Encode`] or [`CallError::TimedOut`], or the error of a
    /// layer that refuses it. Nothing was sent then.
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
        let mut timer = Timer::start(self.timeout);
        let start = pin!(async {
            if self.shared.outbound.is_some() {
                // Boxed, so that calls without layers do not carry it.
                return Box::pin(self.begin_through_layers(lane, method, params)).await;
            }
            let (waiter, answer) = call::waiter(&self.shared, lane);
            Ok(RequestStage::Sent(Call::start(&self.shared, waiter, method, params).await?, answer))
        });
        let stage = within(&mut timer, method, start).await?;
        Ok(Pending::new(stage, timer, method))
    }

    /// Sends a request, returns as soon as it is on its way as [`begin`](Self::begin) does, and
    /// gives the result to `then`, even if the caller is gone by then. The request is not cancelled
    /// and has no timeout.
    ///
    /// With a `lane`, `then` is called after every job of the lane whose message came before the
    /// answer. It may run on the reader, so it must not block: use it to pass the result on. Its
    /// panic is reported as a [`Fault::Panicked`](crate::Fault::Panicked).
    ///
    /// # Errors
    ///
    /// [`CallError::Closed`] or [`CallError::Encode`], or the error of a layer that refuses it.
    /// Nothing was sent then, and `then` is not called. If the connection ends at that moment,
    /// `then` may be called as well.
    pub async fn begin_then<P, R>(
        &self,
        lane: Option<LaneKey>,
        method: &'static str,
        params: &P,
        then: impl FnOnce(Result<R, CallError>) + Send + 'static,
    ) -> Result<(), CallError>
    where
        P: Serialize + Sync + ?Sized,
        R: FromNode + Send + 'static,
    {
        if self.shared.outbound.is_some() {
            let pending = self.timeout(None).begin(lane, method, params).await?;
            tokio::spawn(async move { then(pending.await) });
            return Ok(());
        }
        let waiting = self.shared.counted_in(lane.as_ref());
        let waiter = Waiter::then(lane, waiting, move |result: Result<R, Unsettled>| {
            then(result.map_err(|unsettled| unsettled.into_error(method)));
        });
        Call::start(&self.shared, waiter, method, params).await?.run_on();
        Ok(())
    }

    async fn begin_through_layers<P, R>(
        &self,
        lane: Option<LaneKey>,
        method: &str,
        params: &P,
    ) -> Result<RequestStage<R>, CallError>
    where
        P: Serialize + Sync + ?Sized,
        R: FromNode + Send + 'static,
    {
        let in_lane = lane.is_some();
        // The exchange outlives the borrow of the params.
        let (outgoing, on_wire, result) = Outgoing::begun(&self.shared, lane, method, params)?;
        let shared = Arc::clone(&self.shared);
        let exchange = Box::pin(async move {
            shared.through_layers(outgoing, in_lane, result.method()).await?;
            result.take()
        });
        RequestStage::through_layers(exchange, on_wire).await
    }

    /// Returns the length of the message that came in last, for code on the reader.
    pub(crate) fn line_length(&self) -> usize {
        self.shared.line.load(Ordering::Relaxed)
    }

    async fn call<P, R>(&self, lane: Option<LaneKey>, method: &str, params: &P) -> Result<R, CallError>
    where
        P: Serialize + Sync + ?Sized,
        R: FromNode + Send + 'static,
    {
        let exchange = pin!(async {
            if self.shared.outbound.is_some() {
                return Box::pin(self.call_through_layers(lane, method, params)).await;
            }
            let (waiter, answer) = call::waiter(&self.shared, lane);
            let call = Call::start(&self.shared, waiter, method, params).await?;
            call.settled(answer.await, method)
        });
        within(&mut Timer::start(self.timeout), method, exchange).await
    }

    async fn call_through_layers<P, R>(
        &self,
        lane: Option<LaneKey>,
        method: &str,
        params: &P,
    ) -> Result<R, CallError>
    where
        P: Serialize + Sync + ?Sized,
        R: FromNode + Send + 'static,
    {
        let in_lane = lane.is_some();
        let (outgoing, result) = Outgoing::request(&self.shared, lane, method, &params);
        self.shared.through_layers(outgoing, in_lane, method).await?;
        result.take()
    }
}

impl fmt::Debug for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Peer").field("closed", &self.is_closed()).finish_non_exhaustive()
    }
}
