//! A layer for some methods.

use std::fmt;
use std::sync::Arc;

use acp_json::Node;

use super::{Exchange, Layer, Outbound, Outgoing};
use crate::core::error::CloseReason;
use crate::core::fault::Fault;
use crate::peer::Peer;
use crate::service::Service;
use crate::service::delivery::Delivery;
use crate::service::reply::Task;
use crate::service::request::Request;
use crate::wire::message::Error;

/// A layer that applies to some methods. Other methods go past it.
#[derive(Clone)]
pub struct Only<L> {
    applies: Applies,
    layer: L,
}

type Applies = Arc<dyn Fn(&str) -> bool + Send + Sync>;

impl<L> Only<L> {
    /// Applies `layer` to the methods for which `applies` returns true.
    pub fn new(applies: impl Fn(&str) -> bool + Send + Sync + 'static, layer: L) -> Self {
        Self { applies: Arc::new(applies), layer }
    }
}

impl<S: Clone, L: Layer<S>> Layer<S> for Only<L> {
    type Service = Fork<S, L::Service>;

    fn layer(&self, inner: S) -> Self::Service {
        Fork { applies: Arc::clone(&self.applies), layered: self.layer.layer(inner.clone()), inner }
    }
}

/// The wrapper that [`Only`] puts around a service or a way out.
pub struct Fork<S, T> {
    applies: Applies,
    layered: T,
    inner: S,
}

impl<S: Outbound, T: Outbound> Outbound for Fork<S, T> {
    fn send<'a>(&self, outgoing: Outgoing<'a>) -> Exchange<'a> {
        if (self.applies)(outgoing.method()) {
            self.layered.send(outgoing)
        } else {
            self.inner.send(outgoing)
        }
    }
}

impl<S: Service, T: Service> Service for Fork<S, T> {
    fn request(&self, method: &str, params: Node<'_>, request: Request) -> Result<Task, Error> {
        if (self.applies)(method) {
            self.layered.request(method, params, request)
        } else {
            self.inner.request(method, params, request)
        }
    }

    fn notification(&self, method: &str, params: Node<'_>, peer: &Peer) -> Delivery {
        if (self.applies)(method) {
            self.layered.notification(method, params, peer)
        } else {
            self.inner.notification(method, params, peer)
        }
    }

    fn fault(&self, fault: Fault<'_>) {
        self.layered.fault(fault);
    }

    fn closed(&self, reason: &CloseReason) {
        self.layered.closed(reason);
    }
}

impl<L: fmt::Debug> fmt::Debug for Only<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Only").field("layer", &self.layer).finish_non_exhaustive()
    }
}

impl<S, T: fmt::Debug> fmt::Debug for Fork<S, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fork").field("layered", &self.layered).finish_non_exhaustive()
    }
}
