//! An end to doing too much in a time.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use acp_json::Node;
use tokio::time::{Instant, sleep_until};

use super::{Exchange, Layer, Outbound, Outgoing};
use crate::error::CloseReason;
use crate::fault::Fault;
use crate::message::Error;
use crate::peer::Peer;
use crate::service::{Delivery, Request, Service, Task};

/// A limit on how many requests begin in a time. More wait until it is their turn, in the order they got
/// there; notifications do not count.
///
/// A whole time's worth may begin at once, after that they come evenly. One that is given up while it waits has
/// used its turn; in, it is answered with `-32800` at once, or as its handler
/// [wants it](crate::Request::if_cancelled). Clones share the limit, and so do connections with
/// clones of one [`Options`](crate::Options).
#[derive(Clone, Debug)]
pub struct RateLimit {
    pace: Arc<Pace>,
}

impl RateLimit {
    /// At most this many requests, and at least one, in this time.
    pub fn new(requests: u32, per: Duration) -> Self {
        let interval = per / requests.max(1);
        Self { pace: Arc::new(Pace { interval, burst: per - interval, next: Mutex::new(None) }) }
    }
}

/// When who may begin.
#[derive(Debug)]
struct Pace {
    interval: Duration,
    /// How far ahead of an even pace one may be.
    burst: Duration,
    /// When the next one would begin at an even pace.
    next: Mutex<Option<Instant>>,
}

impl Pace {
    /// Takes the next turn, and says when it is.
    fn turn(&self) -> Instant {
        let now = Instant::now();
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let even = next.map_or(now, |next| next.max(now));
        *next = Some(even + self.interval);
        even.checked_sub(self.burst).unwrap_or(now)
    }
}

impl<S> Layer<S> for RateLimit {
    type Service = Paced<S>;

    fn layer(&self, inner: S) -> Paced<S> {
        Paced { inner, pace: Arc::clone(&self.pace) }
    }
}

/// What a [`RateLimit`] makes of it.
#[derive(Debug)]
pub struct Paced<S> {
    inner: S,
    pace: Arc<Pace>,
}

impl<S: Outbound> Outbound for Paced<S> {
    fn send<'a>(&self, outgoing: Outgoing<'a>) -> Exchange<'a> {
        let is_request = outgoing.is_request();
        let exchange = self.inner.send(outgoing);
        if !is_request {
            return exchange;
        }
        let pace = Arc::clone(&self.pace);
        Box::pin(async move {
            sleep_until(pace.turn()).await;
            exchange.await
        })
    }
}

impl<S: Service> Service for Paced<S> {
    fn request(&self, method: &str, params: Node<'_>, request: Request) -> Result<Task, Error> {
        let (pace, cancel) = (Arc::clone(&self.pace), request.cancel.clone());
        let task = self.inner.request(method, params, request)?;
        Ok(Box::pin(async move {
            tokio::select! {
                biased;
                () = sleep_until(pace.turn()) => {}
                () = cancel.cancelled() => return Err(Error::cancelled()),
            }
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
