//! An end to doing too much at once.

use std::sync::Arc;

use acp_json::Node;
use tokio::sync::Semaphore;

use super::{Exchange, Layer, Outbound, Outgoing};
use crate::error::CloseReason;
use crate::fault::Fault;
use crate::message::Error;
use crate::peer::Peer;
use crate::service::{Delivery, Request, Service, Task};

/// A limit on how many requests are in work at once. Others wait, in the order they got there; notifications
/// do not count.
///
/// Out, a request is in work until it is answered; in, until its handler has answered. One that is cancelled while
/// it waits is answered with `-32800` at once, or as its handler [wants it](crate::Request::if_cancelled). Clones
/// share the limit, and so do connections with clones of one [`Options`](crate::Options).
///
/// A handler that calls the peer keeps its place meanwhile. If the peer calls back before it answers, and all
/// places are taken so, all wait for each other: leave methods that do so out with [`Only`](super::Only).
#[derive(Clone, Debug)]
pub struct Concurrency {
    places: Arc<Semaphore>,
}

impl Concurrency {
    /// At most this many requests at once, and at least one.
    pub fn new(requests: usize) -> Self {
        Self { places: Arc::new(Semaphore::new(requests.clamp(1, Semaphore::MAX_PERMITS))) }
    }
}

impl<S> Layer<S> for Concurrency {
    type Service = Limited<S>;

    fn layer(&self, inner: S) -> Limited<S> {
        Limited { inner, places: Arc::clone(&self.places) }
    }
}

/// What a [`Concurrency`] makes of it.
#[derive(Debug)]
pub struct Limited<S> {
    inner: S,
    places: Arc<Semaphore>,
}

impl<S: Outbound> Outbound for Limited<S> {
    fn send<'a>(&self, outgoing: Outgoing<'a>) -> Exchange<'a> {
        let is_request = outgoing.is_request();
        let exchange = self.inner.send(outgoing);
        if !is_request {
            return exchange;
        }
        let places = Arc::clone(&self.places);
        Box::pin(async move {
            // The semaphore is never closed.
            let _place = places.acquire().await;
            exchange.await
        })
    }
}

impl<S: Service> Service for Limited<S> {
    fn request(&self, method: &str, params: Node<'_>, request: Request) -> Result<Task, Error> {
        let (places, cancel) = (Arc::clone(&self.places), request.cancel.clone());
        let task = self.inner.request(method, params, request)?;
        Ok(Box::pin(async move {
            let _place = tokio::select! {
                biased;
                place = places.acquire() => place,
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
