//! The trace context on its way through a program.

use std::fmt;
use std::sync::Arc;

use acp_json::Node;

use super::TraceContext;
use crate::core::error::CloseReason;
use crate::core::fault::Fault;
use crate::layer::{Exchange, Layer, Outbound, Outgoing};
use crate::peer::Peer;
use crate::service::Service;
use crate::service::delivery::Delivery;
use crate::service::reply::Task;
use crate::service::request::Request;
use crate::wire::message::Error;

/// Reads the [`TraceContext`] of messages that come in, and adds one to messages that go out.
///
/// In: handlers find it in [`TraceContext::current`]. Out: it goes into the `_meta` of params that
/// are objects and have none already.
#[derive(Clone)]
pub struct Propagate {
    current: Current,
}

type Current = Arc<dyn Fn() -> Option<TraceContext> + Send + Sync>;

impl Propagate {
    /// Sends the context of the request or notification that is being handled.
    pub fn new() -> Self {
        Self::with(TraceContext::current)
    }

    /// Sends the context that `current` returns. It is called in the task that sends.
    pub fn with(current: impl Fn() -> Option<TraceContext> + Send + Sync + 'static) -> Self {
        Self { current: Arc::new(current) }
    }
}

impl Default for Propagate {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Propagate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Propagate").finish_non_exhaustive()
    }
}

impl<S> Layer<S> for Propagate {
    type Service = Propagated<S>;

    fn layer(&self, inner: S) -> Propagated<S> {
        Propagated { inner, current: Arc::clone(&self.current) }
    }
}

/// The wrapper that [`Propagate`] puts around a service or a way out.
pub struct Propagated<S> {
    inner: S,
    current: Current,
}

impl<S: Outbound> Outbound for Propagated<S> {
    fn send<'a>(&self, mut outgoing: Outgoing<'a>) -> Exchange<'a> {
        if let Some(context) = (self.current)() {
            context.add_to(&mut outgoing);
        }
        self.inner.send(outgoing)
    }
}

impl<S: Service> Service for Propagated<S> {
    fn request(&self, method: &str, params: Node<'_>, request: Request) -> Result<Task, Error> {
        let Some(context) = TraceContext::of_params(&params) else {
            return self.inner.request(method, params, request);
        };
        let task = context.clone().scope_of(|| self.inner.request(method, params, request))?;
        Ok(Box::pin(context.scope(task)))
    }

    fn notification(&self, method: &str, params: Node<'_>, peer: &Peer) -> Delivery {
        let Some(context) = TraceContext::of_params(&params) else {
            return self.inner.notification(method, params, peer);
        };
        match context.clone().scope_of(|| self.inner.notification(method, params, peer)) {
            done @ (Delivery::Ignore | Delivery::Done) => done,
            Delivery::Task(job) => Delivery::Task(Box::pin(context.scope(job))),
            Delivery::Lane { lane, job } => Delivery::Lane { lane, job: Box::pin(context.scope(job)) },
        }
    }

    fn fault(&self, fault: Fault<'_>) {
        self.inner.fault(fault);
    }

    fn closed(&self, reason: &CloseReason) {
        self.inner.closed(reason);
    }
}

impl<S: fmt::Debug> fmt::Debug for Propagated<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Propagated").field("inner", &self.inner).finish_non_exhaustive()
    }
}
