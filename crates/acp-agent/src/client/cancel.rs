//! Cancellation of what a handler does.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;
use std::time::Duration;

use crate::error::{Error, Result};
use acp_rpc::CancellationToken;

/// How long a handler that has noticed its cancellation may take to end; then it is dropped.
pub const CANCEL_GRACE: Duration = Duration::from_secs(5);

/// The cancellation of one request, for handlers that want to look at it.
///
/// No handler has to: whatever it awaits on its `Turn` ends with [`Error::Cancelled`], and what it awaits
/// elsewhere is dropped (see [`Turn`](crate::Turn#cancellation)).
///
/// It fires on `$/cancel_request` for the request, when the client is gone and when serving ends; for a turn also on
/// `session/cancel`, `session/close` and `session/delete`.
#[derive(Clone, Debug)]
pub struct Cancel {
    token: CancellationToken,
    /// Whether the handler has been told, so that it gets the time to end by itself.
    noticed: Arc<AtomicBool>,
}

impl Cancel {
    pub(crate) fn new(token: CancellationToken) -> Self {
        Cancel { token, noticed: Arc::default() }
    }

    /// Whether it has fired.
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

    /// The token, to hand it to other libraries.
    ///
    /// Who has it is taken to act on it: the handler is no longer dropped when it fires, but gets
    /// [`CANCEL_GRACE`] to end.
    #[must_use]
    pub fn token(&self) -> CancellationToken {
        self.notice();
        self.token.clone()
    }

    /// The handler knows, or is going to.
    pub(crate) fn notice(&self) {
        self.noticed.store(true, Ordering::Release);
    }

    pub(crate) fn fire(&self) {
        self.token.cancel();
    }

    pub(crate) fn has_fired(&self) -> bool {
        self.token.is_cancelled()
    }

    /// Does `work`, which belongs to the handler, unless it is cancelled first.
    pub(crate) async fn heeding<T>(&self, work: impl Future<Output = Result<T>>) -> Result<T> {
        tokio::select! {
            biased;
            () = self.cancelled() => Err(Error::Cancelled),
            result = work => result,
        }
    }

    /// Runs a whole handler. It is dropped, with everything it awaits, before this returns.
    pub(crate) async fn run<T>(&self, handler: impl Future<Output = Result<T>>) -> Result<T> {
        let mut handler = pin!(handler);
        tokio::select! {
            biased;
            result = &mut handler => return result,
            () = self.token.cancelled() => {}
        }
        // The token may have fired after the handler was last polled: what it awaits of ours tells it now.
        if let Poll::Ready(result) = poll_fn(|cx| Poll::Ready(handler.as_mut().poll(cx))).await {
            return result;
        }
        if !self.noticed.load(Ordering::Acquire) {
            return Err(Error::Cancelled);
        }
        tokio::time::timeout(CANCEL_GRACE, handler).await.unwrap_or(Err(Error::Cancelled))
    }
}
