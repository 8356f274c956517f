//! A limit on waiting.

use std::time::Duration;

use acp_json::Node;
use tokio::time::timeout;

use super::{Exchange, Layer, Outbound, Outgoing};
use crate::core::error::{CallError, CloseReason};
use crate::core::fault::Fault;
use crate::peer::Peer;
use crate::service::Service;
use crate::service::delivery::Delivery;
use crate::service::reply::Task;
use crate::service::request::Request;
use crate::wire::message::Error;

/// A limit on how long messages take.
///
/// Out: a request that is not answered in time, and a notification that cannot leave in time, fail
/// with [`CallError::TimedOut`]. A request that was sent is cancelled. [`Peer::timeout`] does that
/// per call.
///
/// In: a request whose handler does not answer in time is answered with `-32603`, its
/// [`cancel`](Request::cancel) fires, and the handler is dropped. Notifications have no limit.
#[derive(Clone, Copy, Debug)]
pub struct Timeout {
    after: Duration,
}

impl Timeout {
    /// Creates a limit of this time.
    #[must_use]
    pub const fn new(after: Duration) -> Self {
        Self { after }
    }
}

impl<S> Layer<S> for Timeout {
    type Service = Timed<S>;

    fn layer(&self, inner: S) -> Timed<S> {
        Timed { inner, after: self.after }
    }
}

/// The wrapper that [`Timeout`] puts around a service or a way out.
#[derive(Debug)]
pub struct Timed<S> {
    inner: S,
    after: Duration,
}

impl<S: Outbound> Outbound for Timed<S> {
    fn send<'a>(&self, outgoing: Outgoing<'a>) -> Exchange<'a> {
        let (after, method) = (self.after, outgoing.method().to_owned());
        let exchange = self.inner.send(outgoing);
        Box::pin(async move {
            timeout(after, exchange).await.unwrap_or(Err(CallError::TimedOut { method, after }))
        })
    }
}

impl<S: Service> Service for Timed<S> {
    fn request(&self, method: &str, params: Node<'_>, request: Request) -> Result<Task, Error> {
        let (after, name, cancel) = (self.after, method.to_owned(), request.cancel.clone());
        let task = self.inner.request(method, params, request)?;
        Ok(Box::pin(async move {
            timeout(after, task).await.unwrap_or_else(|_| {
                cancel.cancel();
                Err(Error::internal(format!("`{name}` was stopped: it took longer than {after:?}")))
            })
        }))
    }

    fn notification(&self, method: &str, params: Node<'_>, peer: &Peer) -> Delivery {
        self.inner.notification(method, params, peer)
    }

    fn fault(&self, fault: Fault<'_>) {
        self.inner.fault(fault);
    }

    fn closed(&self, reason: &CloseReason) {
        self.inner.closed(reason);
    }
}
