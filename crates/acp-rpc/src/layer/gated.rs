//! Layers in which requests wait before they begin.

use acp_json::Node;

use super::{Exchange, Outbound, Outgoing};
use crate::core::error::CloseReason;
use crate::core::fault::Fault;
use crate::peer::Peer;
use crate::service::Service;
use crate::service::delivery::Delivery;
use crate::service::reply::Task;
use crate::service::request::Request;
use crate::wire::message::Error;

/// The gate that requests wait for.
pub trait Gate: Clone + Send + Sync + 'static {
    /// The pass that a request holds as long as it is in work.
    type Pass: Send;

    /// Waits until one more may begin.
    fn pass(&self) -> impl Future<Output = Self::Pass> + Send;
}

/// Lets requests wait at a gate, in both directions. Notifications pass. A request that comes in
/// and is cancelled while it waits is answered with `-32800`.
#[derive(Debug)]
pub struct Gated<S, G> {
    pub(super) inner: S,
    pub(super) gate: G,
}

impl<S: Outbound, G: Gate> Outbound for Gated<S, G> {
    fn send<'a>(&self, outgoing: Outgoing<'a>) -> Exchange<'a> {
        let is_request = outgoing.is_request();
        let exchange = self.inner.send(outgoing);
        if !is_request {
            return exchange;
        }
        let gate = self.gate.clone();
        Box::pin(async move {
            let _pass = gate.pass().await;
            exchange.await
        })
    }
}

impl<S: Service, G: Gate> Service for Gated<S, G> {
    fn request(&self, method: &str, params: Node<'_>, request: Request) -> Result<Task, Error> {
        let (gate, cancel) = (self.gate.clone(), request.cancel.clone());
        let task = self.inner.request(method, params, request)?;
        Ok(Box::pin(async move {
            let _pass = tokio::select! {
                biased;
                pass = gate.pass() => pass,
                () = cancel.cancelled() => return Err(Error::cancelled()),
            };
            task.await
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
