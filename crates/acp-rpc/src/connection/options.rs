//! The limits of a connection, and how it treats noise.

use std::sync::Arc;
use std::time::Duration;

use super::flush_barrier::FlushBarrier;
use crate::layer::{Layer, Layers, Outbound};
use crate::service::Service;
use crate::tap::Tap;
#[cfg(feature = "tracing")]
use crate::trace::Tracing;
use crate::wire::reading::Noise;

/// Limits and habits of a connection. Every limit is in bytes unless it says otherwise.
///
/// Any value works. A size of `usize::MAX` limits nothing, a time of [`Duration::MAX`] never ends.
/// A budget of 0 counts as 1, which is one message at a time. A limit of 0 on lines, on messages or
/// on requests refuses all of them.
///
/// Lines and output count as they are on the wire. After a line has been read, its memory counts:
/// its values with their names, as if they were kept untyped; the future that handles it; the
/// queue, the task and the table entry. That is an estimate on the high side. Memory that a running
/// handler allocates is not included.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The longest line that is read. A longer one is skipped without being buffered, and answered
    /// by its id if one can be found. Default 64 MiB.
    pub max_line: usize,
    /// The most memory that the values of one message may take, which can be 70 times its line. A
    /// message above that is not read, and is answered like a line that is too long. Default 256
    /// MiB.
    pub max_message: usize,
    /// The most bytes that may wait to be written. At the budget senders wait, in the order in
    /// which they came. One message more may be there, however large. Default 1 MiB.
    pub outgoing_budget: usize,
    /// The most bytes of notifications, and of answers in lanes, that may wait or be handled. At
    /// the budget the reader pauses, unless a request outside lanes waits for its answer or
    /// something waits for room in the output: the work may depend on that. One message more may be
    /// there, however large. Default 8 MiB.
    pub incoming_budget: usize,
    /// The ceiling of the incoming budget while something waits like that, and also of the reader's
    /// own answers that the peer does not take. At the ceiling the reader pauses in any case, and
    /// those who wait fail with [`CallError::Overloaded`](crate::CallError::Overloaded). Default 64
    /// MiB.
    pub incoming_ceiling: usize,
    /// The most requests of the peer in flight. At the limit the reader pauses while handlers have
    /// not run for the first time, or while answers wait for room and nothing else does. Otherwise
    /// one more request is refused with `-32603`. Default 16,384.
    pub max_in_flight: usize,
    /// The most memory of all requests in flight, with results that wait for room to be written. At
    /// the limit one more request is treated as at [`max_in_flight`](Self::max_in_flight), unless
    /// it is the only one. Default 128 MiB.
    pub in_flight_budget: usize,
    /// The treatment of lines that are not JSON.
    pub noise: Noise,
    /// The time to wait at the end for something to happen: for a last message, for a handler's
    /// answer, for a job of a lane, for output to leave. Default 1 second.
    pub drain: Duration,
    /// The time that a request to the peer may take, unless [`Peer::timeout`](crate::Peer::timeout)
    /// sets another. Default `None`: for ever, because many requests wait for people.
    pub request_timeout: Option<Duration>,
    /// The layers of requests and notifications, in and out.
    pub layers: Layers,
    /// The observer of every line.
    pub tap: Option<Tap>,
    /// The work that output waits for before it leaves.
    pub flush_barrier: Option<FlushBarrier>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            max_line: 64 * 1024 * 1024,
            max_message: 256 * 1024 * 1024,
            outgoing_budget: 1024 * 1024,
            incoming_budget: 8 * 1024 * 1024,
            incoming_ceiling: 64 * 1024 * 1024,
            max_in_flight: 16 * 1024,
            in_flight_budget: 128 * 1024 * 1024,
            noise: Noise::Answer,
            drain: Duration::from_secs(1),
            request_timeout: None,
            layers: Layers::default(),
            tap: None,
            flush_barrier: None,
        }
    }
}

/// Each method sets the field of its name, or adds to it.
impl Options {
    /// Sets [`max_line`](Self::max_line).
    #[must_use]
    pub const fn max_line(mut self, bytes: usize) -> Self {
        self.max_line = bytes;
        self
    }

    /// Sets [`max_message`](Self::max_message).
    #[must_use]
    pub const fn max_message(mut self, bytes: usize) -> Self {
        self.max_message = bytes;
        self
    }

    /// Sets [`outgoing_budget`](Self::outgoing_budget).
    #[must_use]
    pub const fn outgoing_budget(mut self, bytes: usize) -> Self {
        self.outgoing_budget = bytes;
        self
    }

    /// Sets [`incoming_budget`](Self::incoming_budget).
    #[must_use]
    pub const fn incoming_budget(mut self, bytes: usize) -> Self {
        self.incoming_budget = bytes;
        self
    }

    /// Sets [`incoming_ceiling`](Self::incoming_ceiling).
    #[must_use]
    pub const fn incoming_ceiling(mut self, bytes: usize) -> Self {
        self.incoming_ceiling = bytes;
        self
    }

    /// Sets [`max_in_flight`](Self::max_in_flight).
    #[must_use]
    pub const fn max_in_flight(mut self, requests: usize) -> Self {
        self.max_in_flight = requests;
        self
    }

    /// Sets [`in_flight_budget`](Self::in_flight_budget).
    #[must_use]
    pub const fn in_flight_budget(mut self, bytes: usize) -> Self {
        self.in_flight_budget = bytes;
        self
    }

    /// Sets [`noise`](Self::noise).
    #[must_use]
    pub const fn noise(mut self, noise: Noise) -> Self {
        self.noise = noise;
        self
    }

    /// Sets [`drain`](Self::drain).
    #[must_use]
    pub const fn drain(mut self, drain: Duration) -> Self {
        self.drain = drain;
        self
    }

    /// Sets [`request_timeout`](Self::request_timeout).
    #[must_use]
    pub fn request_timeout(mut self, after: impl Into<Option<Duration>>) -> Self {
        self.request_timeout = after.into();
        self
    }

    /// Adds a [layer](crate::layer) for messages that come in to [`layers`](Self::layers). The
    /// layer that is added first is the outermost.
    #[must_use]
    pub fn layer_in<L>(mut self, layer: L) -> Self
    where
        L: Layer<Arc<dyn Service>> + Send + Sync + 'static,
        L::Service: Service,
    {
        self.layers.push_in(layer);
        self
    }

    /// Adds a [layer](crate::layer) for messages that go out to [`layers`](Self::layers). The layer
    /// that is added first is the outermost.
    #[must_use]
    pub fn layer_out<L>(mut self, layer: L) -> Self
    where
        L: Layer<Arc<dyn Outbound>> + Send + Sync + 'static,
        L::Service: Outbound,
    {
        self.layers.push_out(layer);
        self
    }

    /// Sets [`tap`](Self::tap).
    #[must_use]
    pub fn tap(mut self, tap: Tap) -> Self {
        self.tap = Some(tap);
        self
    }

    /// Sets [`flush_barrier`](Self::flush_barrier).
    #[must_use]
    pub fn flush_barrier(mut self, barrier: FlushBarrier) -> Self {
        self.flush_barrier = Some(barrier);
        self
    }

    /// Adds [`Tracing`] to the layers of both directions (feature `tracing`).
    #[cfg(feature = "tracing")]
    #[must_use]
    pub fn tracing(self, tracing: Tracing) -> Self {
        self.layer_in(tracing.clone()).layer_out(tracing)
    }
}
