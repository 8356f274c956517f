//! Cancellation of handlers.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;
use std::time::Duration;

use crate::error::{Error, Result};
use acp_rpc::CancellationToken;

/// The time that a handler has to end once it has noticed its cancellation. Then it is dropped.
pub const CANCEL_GRACE: Duration = Duration::from_secs(5);

/// The cancellation of one request, for handlers that want to look at it.
///
/// Handlers may ignore it. An await on the `Turn` ends with [`Error::Cancelled`], and any other
/// await is dropped (see [`Turn`](crate::Turn#cancellation)).
///
/// It fires on `$/cancel_request` for the request, when the client is gone and when serving ends.
/// For a turn it also fires on `session/cancel`, `session/close` and `session/delete`, and when
/// another process has taken its session over.
#[derive(Clone, Debug)]
pub struct Cancel {
    token: CancellationToken,
    /// Set once the handler knows of its cancellation. It then gets the time to end by itself.
    noticed: Arc<AtomicBool>,
    /// Set if it has fired because the turn cannot be kept any more, which the client did not ask
    /// for.
    given_up: Arc<AtomicBool>,
}

impl Cancel {
    pub(crate) fn new(token: CancellationToken) -> Self {
        Cancel { token, noticed: Arc::default(), given_up: Arc::default() }
    }

    /// Returns whether it has fired.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        let cancelled = self.token.is_cancelled();
        if cancelled {
            self.notice();
        }
        cancelled
    }

    /// Waits until it fires.
    pub async fn cancelled(&self) {
        self.token.cancelled().await;
        self.notice();
    }

    /// Returns the token, for other libraries.
    ///
    /// Its holder is expected to act on it: when it fires, the handler is not dropped at once, but
    /// gets [`CANCEL_GRACE`] to end.
    #[must_use]
    pub fn token(&self) -> CancellationToken {
        self.notice();
        self.token.clone()
    }

    /// Notes that the handler knows of its cancellation, or is going to.
    pub(crate) fn notice(&self) {
        self.noticed.store(true, Ordering::Release);
    }

    pub(crate) fn fire(&self) {
        // The client gets the answer that it asks for, even if the turn was given up before.
        self.given_up.store(false, Ordering::Release);
        self.token.cancel();
    }

    /// Fires, unless it has fired before, because the turn cannot be kept any more.
    pub(crate) fn give_up(&self) {
        if !self.has_fired() {
            self.given_up.store(true, Ordering::Release);
            self.token.cancel();
        }
    }

    /// Returns true if it has fired for the client or for the end of the connection.
    pub(crate) fn is_asked_for(&self) -> bool {
        self.has_fired() && !self.given_up.load(Ordering::Acquire)
    }

    pub(crate) fn has_fired(&self) -> bool {
        self.token.is_cancelled()
    }

    /// Does `work` of the handler, unless it is cancelled first.
    pub(crate) async fn heeding<T>(&self, work: impl Future<Output = Result<T>>) -> Result<T> {
        tokio::select! {
            biased;
            () = self.cancelled() => Err(Error::Cancelled),
            result = work => result,
        }
    }

    /// Runs a whole handler, which is to be dropped when this has returned, with all that it
    /// awaits.
    pub(crate) async fn run<T>(&self, handler: impl Future<Output = Result<T>>) -> Result<T> {
        let mut handler = pin!(handler);
        tokio::select! {
            biased;
            result = &mut handler => return result,
            () = self.token.cancelled() => {}
        }
        // The token may have fired after the last poll of the handler. What it awaits of ours
        // reports that now.
        if let Poll::Ready(result) = poll_fn(|cx| Poll::Ready(handler.as_mut().poll(cx))).await {
            return result;
        }
        if !self.noticed.load(Ordering::Acquire) {
            return Err(Error::Cancelled);
        }
        tokio::time::timeout(CANCEL_GRACE, handler).await.unwrap_or(Err(Error::Cancelled))
    }
}
