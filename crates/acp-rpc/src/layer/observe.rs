//! A layer that sees requests and how they end, for logs and metrics.

use std::fmt;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use acp_json::Node;
use tokio::time::Instant;

use super::{Exchange, Layer, Outbound, Outgoing, Progress};
use crate::core::error::{CallError, CloseReason};
use crate::core::fault::Fault;
use crate::core::job::BoxFuture;
use crate::core::panics::guarded;
use crate::peer::Peer;
use crate::service::Service;
use crate::service::delivery::Delivery;
use crate::service::reply::Task;
use crate::service::request::Request;
use crate::tap::Direction;
use crate::wire::message::{Error, Id};

/// Calls a function when each request and notification starts and when it ends. [`Tap`](crate::Tap)
/// sees lines instead.
///
/// It observes what is inside it: as the first layer it also counts the waits in the others. The
/// function runs in the tasks of callers and handlers, and on the reader, so it must not block. Its
/// panics are dropped.
#[derive(Clone)]
pub struct Observe {
    observer: OnStep,
}

type OnStep = Arc<dyn Fn(&Observed<'_>) + Send + Sync>;

impl Observe {
    /// Creates a layer that calls `observer`.
    pub fn new(observer: impl Fn(&Observed<'_>) + Send + Sync + 'static) -> Self {
        Self { observer: Arc::new(observer) }
    }
}

impl fmt::Debug for Observe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Observe").finish_non_exhaustive()
    }
}

/// A step of a request or notification. `Display` shows no params, results or error texts.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Observed<'a> {
    /// The side whose request or notification it is: [`Direction::In`] is the peer's.
    pub direction: Direction,
    /// Its method.
    pub method: &'a str,
    /// True for a request, false for a notification.
    pub is_request: bool,
    /// The id of a request. One of this side has none before it is sent.
    pub id: Option<&'a Id>,
    /// The lane of a notification that came in, or of an answer that will, if it goes through one.
    pub lane: Option<&'a str>,
    /// The step itself.
    pub step: Step<'a>,
}

/// The step of a request or notification.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Step<'a> {
    /// It starts.
    Started,
    /// It is over.
    #[non_exhaustive]
    Ended {
        /// The outcome.
        outcome: Outcome<'a>,
        /// The time since it started. For a notification of the peer it runs to the end of its
        /// handler.
        duration: Duration,
        /// The length in bytes of the line that was sent for it: request, notification or result.
        /// It is 0 if there was none, and for answers with an error.
        sent: usize,
        /// The length in bytes of the line that was received for it, or 0 if there was none.
        received: usize,
    },
}

/// The way in which a request or notification ended.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Outcome<'a> {
    /// A request was answered with a result; a notification was sent, or handled.
    Done,
    /// Nobody here handles this notification of the peer.
    Ignored,
    /// A request was answered with this error, by the peer or by this side.
    Error(&'a Error),
    /// A request or notification of this side failed otherwise.
    Failed(&'a CallError),
    /// The handler panicked.
    Panicked,
    /// It was given up: the caller dropped it, the end of the connection stopped its handler, or
    /// its result could not be written.
    Dropped,
}

impl<'a> Outcome<'a> {
    /// Returns the outcome of an exchange.
    pub(crate) const fn of(done: &'a Result<(), CallError>) -> Self {
        match done {
            Ok(()) => Self::Done,
            Err(CallError::Remote(error)) => Self::Error(error),
            Err(error) => Self::Failed(error),
        }
    }
}

impl<S> Layer<S> for Observe {
    type Service = Watched<S>;

    fn layer(&self, inner: S) -> Watched<S> {
        Watched { inner, observer: Arc::clone(&self.observer) }
    }
}

/// The wrapper that [`Observe`] puts around a service or a way out.
pub struct Watched<S> {
    inner: S,
    observer: OnStep,
}

impl<S: Outbound> Outbound for Watched<S> {
    fn send<'a>(&self, outgoing: Outgoing<'a>) -> Exchange<'a> {
        let mut watch = Watch::new(&self.observer, Direction::Out, outgoing.method());
        watch.is_request = outgoing.is_request();
        watch.lane = outgoing.lane().map(Into::into);
        watch.progress = Some(outgoing.progress());
        let exchange = self.inner.send(outgoing);
        Box::pin(async move {
            watch.start();
            let done = exchange.await;
            watch.end(Outcome::of(&done));
            done
        })
    }
}

impl<S: Service> Service for Watched<S> {
    fn request(&self, method: &str, params: Node<'_>, request: Request) -> Result<Task, Error> {
        let mut watch = Watch::new(&self.observer, Direction::In, method);
        watch.is_request = true;
        watch.id = Some(request.id.clone());
        watch.received = request.peer.line_length();
        watch.start();
        let task = match self.inner.request(method, params, request) {
            Ok(task) => task,
            Err(error) => {
                watch.end(Outcome::Error(&error));
                return Err(error);
            }
        };
        Ok(Box::pin(async move {
            let answer = task.await;
            match answer {
                // It ends when it has been written, or is dropped if that fails.
                Ok(reply) => Ok(reply.on_sent(move |bytes| {
                    watch.sent = bytes;
                    watch.end(Outcome::Done);
                })),
                Err(error) => {
                    watch.end(Outcome::Error(&error));
                    Err(error)
                }
            }
        }))
    }

    fn notification(&self, method: &str, params: Node<'_>, peer: &Peer) -> Delivery {
        let mut watch = Watch::new(&self.observer, Direction::In, method);
        watch.received = peer.line_length();
        match self.inner.notification(method, params, peer) {
            Delivery::Ignore => {
                watch.start();
                watch.end(Outcome::Ignored);
                Delivery::Ignore
            }
            Delivery::Done => {
                watch.start();
                watch.end(Outcome::Done);
                Delivery::Done
            }
            Delivery::Task(job) => Delivery::Task(watch.around(job)),
            Delivery::Lane { lane, job } => {
                watch.lane = Some(Arc::clone(&lane));
                Delivery::Lane { lane, job: watch.around(job) }
            }
        }
    }

    fn fault(&self, fault: Fault<'_>) {
        self.inner.fault(fault);
    }

    fn closed(&self, reason: &CloseReason) {
        self.inner.closed(reason);
    }
}

impl<S: fmt::Debug> fmt::Debug for Watched<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watched").field("inner", &self.inner).finish_non_exhaustive()
    }
}

/// Reports one request or notification to an observer. A drop before its end reports that it was
/// dropped.
struct Watch {
    observer: OnStep,
    direction: Direction,
    method: Box<str>,
    is_request: bool,
    id: Option<Id>,
    lane: Option<Arc<str>>,
    progress: Option<Progress>,
    sent: usize,
    received: usize,
    /// The time when it started, until it ends.
    started: Option<Instant>,
}

impl Watch {
    fn new(observer: &OnStep, direction: Direction, method: &str) -> Self {
        Self {
            observer: Arc::clone(observer),
            direction,
            method: method.into(),
            is_request: false,
            id: None,
            lane: None,
            progress: None,
            sent: 0,
            received: 0,
            started: None,
        }
    }

    fn start(&mut self) {
        self.started = Some(Instant::now());
        self.report(Step::Started);
    }

    fn end(&mut self, outcome: Outcome<'_>) {
        let Some(started) = self.started.take() else { return };
        if let Some(progress) = &self.progress {
            (self.id, self.sent, self.received) = (progress.id(), progress.sent(), progress.received());
        }
        let (duration, sent, received) = (started.elapsed(), self.sent, self.received);
        self.report(Step::Ended { outcome, duration, sent, received });
    }

    /// Watches the job of a notification.
    fn around(mut self, job: BoxFuture) -> BoxFuture {
        self.start();
        Box::pin(async move {
            job.await;
            self.end(Outcome::Done);
        })
    }

    fn report(&self, step: Step<'_>) {
        let observed = Observed {
            direction: self.direction,
            method: &self.method,
            is_request: self.is_request,
            id: self.id.as_ref(),
            lane: self.lane.as_deref(),
            step,
        };
        // A handler's panic may be unwinding here: a second panic would end the process.
        let _ = guarded(|| (self.observer)(&observed));
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.end(if thread::panicking() { Outcome::Panicked } else { Outcome::Dropped });
    }
}

impl fmt::Display for Observed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.direction == Direction::In { "<- " } else { "-> " })?;
        f.write_str(self.method)?;
        if let Some(id) = self.id {
            write!(f, " id {id}")?;
        }
        match self.step {
            Step::Started => f.write_str(" started"),
            Step::Ended { outcome, duration, .. } => write!(f, " {outcome} after {duration:?}"),
        }
    }
}

impl fmt::Display for Outcome<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Done => f.write_str("done"),
            Self::Ignored => f.write_str("ignored"),
            Self::Error(error) => write!(f, "error {}", error.code),
            Self::Failed(CallError::TimedOut { .. }) => f.write_str("timed out"),
            Self::Failed(CallError::Closed(_)) => f.write_str("closed"),
            Self::Failed(CallError::Refused { .. }) => f.write_str("refused"),
            Self::Failed(CallError::Overloaded { .. }) => f.write_str("over budget"),
            Self::Failed(_) => f.write_str("failed"),
            Self::Panicked => f.write_str("panicked"),
            Self::Dropped => f.write_str("dropped"),
        }
    }
}
