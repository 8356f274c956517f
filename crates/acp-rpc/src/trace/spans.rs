//! Spans and events for the `tracing` crate.

use std::fmt;
use std::sync::Arc;
use std::thread;

use acp_json::Node;
use tracing::field::{Empty, display};
use tracing::{Instrument, Span};

use super::TraceContext;
use crate::core::error::CloseReason;
use crate::core::fault::Fault;
use crate::core::job::BoxFuture;
use crate::core::panics::guarded;
use crate::layer::{Exchange, Layer, Outbound, Outcome, Outgoing, Progress};
use crate::peer::Peer;
use crate::service::Service;
use crate::service::delivery::Delivery;
use crate::service::reply::Task;
use crate::service::request::Request;
use crate::tap::Direction;
use crate::wire::message::Error;

/// Makes a span of each request and notification, and an event of each fault (feature `tracing`).
///
/// The target is `acp_rpc`. Requests are spans `request` at level INFO, notifications spans
/// `notification` at TRACE. Their fields are `direction` (`in`, `out`), `method`, `id`, `session`
/// (the `sessionId` of the params, if they have one) and, when they end, `outcome`. Handlers run
/// within their span. Faults are events at WARN, the end of the connection is one at DEBUG. Params,
/// results and texts of errors are never included.
///
/// For OpenTelemetry the two functions below connect spans with the trace context in `_meta`. If
/// one of them is set, spans also have `otel.name` and `otel.kind`. With the crates `opentelemetry`
/// and `tracing-opentelemetry`:
///
/// ```ignore
/// let tracing = Tracing::new()
///     .set_parent(|span, context| {
///         let parent = propagator.extract(&headers_of(context));
///         let _ = span.set_parent(parent);
///     })
///     .inject(|span| context_of(&span.context()));
/// let options = Options::default().tracing(tracing);
/// ```
#[derive(Clone, Default)]
pub struct Tracing {
    set_parent: Option<SetParent>,
    inject: Option<Inject>,
}

type SetParent = Arc<dyn Fn(&Span, &TraceContext) + Send + Sync>;
type Inject = Arc<dyn Fn(&Span) -> Option<TraceContext> + Send + Sync>;

impl Tracing {
    /// Creates spans that know nothing of other programs.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets a function that gets the span of each request and notification that comes in with a
    /// [`TraceContext`], before the span is entered. It must not block.
    #[must_use]
    pub fn set_parent(mut self, set: impl Fn(&Span, &TraceContext) + Send + Sync + 'static) -> Self {
        self.set_parent = Some(Arc::new(set));
        self
    }

    /// Sets a function that gets the span of each request and notification that goes out, and
    /// returns the context to send.
    #[must_use]
    pub fn inject(mut self, context: impl Fn(&Span) -> Option<TraceContext> + Send + Sync + 'static) -> Self {
        self.inject = Some(Arc::new(context));
        self
    }

    fn span(&self, direction: Direction, is_request: bool, method: &str) -> Span {
        let way = if direction == Direction::In { "in" } else { "out" };
        macro_rules! span {
            ($level:ident, $name:literal) => {
                tracing::span!(
                    target: "acp_rpc", tracing::Level::$level, $name, direction = way, method, id = Empty,
                    session = Empty, outcome = Empty, otel.name = Empty, otel.kind = Empty
                )
            };
        }
        let span = if is_request { span!(INFO, "request") } else { span!(TRACE, "notification") };
        if self.set_parent.is_some() || self.inject.is_some() {
            span.record("otel.name", method);
            span.record("otel.kind", if direction == Direction::In { "server" } else { "client" });
        }
        span
    }

    /// Returns the span of a message that comes in, unless nobody wants it.
    fn incoming(&self, is_request: bool, method: &str, params: &Node<'_>) -> Option<Span> {
        let span = self.span(Direction::In, is_request, method);
        if span.is_disabled() {
            return None;
        }
        if let Some(session) = params.get("sessionId").and_then(Node::as_str) {
            span.record("session", session);
        }
        if let Some(set_parent) = &self.set_parent
            && let Some(context) = TraceContext::of_params(params)
        {
            set_parent(&span, &context);
        }
        Some(span)
    }
}

impl fmt::Debug for Tracing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tracing")
            .field("set_parent", &self.set_parent.is_some())
            .field("inject", &self.inject.is_some())
            .finish()
    }
}

impl<S> Layer<S> for Tracing {
    type Service = Spanned<S>;

    fn layer(&self, inner: S) -> Spanned<S> {
        Spanned { inner, tracing: self.clone() }
    }
}

/// The wrapper that [`Tracing`] puts around a service or a way out.
#[derive(Debug)]
pub struct Spanned<S> {
    inner: S,
    tracing: Tracing,
}

impl<S: Outbound> Outbound for Spanned<S> {
    fn send<'a>(&self, mut outgoing: Outgoing<'a>) -> Exchange<'a> {
        let span = self.tracing.span(Direction::Out, outgoing.is_request(), outgoing.method());
        if span.is_disabled() {
            return self.inner.send(outgoing);
        }
        if let Some(session) = outgoing.param("sessionId").as_ref().and_then(|session| session.as_str()) {
            span.record("session", session);
        }
        if let Some(context) = self.tracing.inject.as_ref().and_then(|context| context(&span)) {
            context.add_to(&mut outgoing);
        }
        let mut end = SpanEnd::new(&span);
        end.progress = Some(outgoing.progress());
        let exchange = span.in_scope(|| self.inner.send(outgoing));
        let exchange = async move {
            let done = exchange.await;
            end.record(Outcome::of(&done));
            done
        };
        Box::pin(exchange.instrument(span))
    }
}

impl<S: Service> Service for Spanned<S> {
    fn request(&self, method: &str, params: Node<'_>, request: Request) -> Result<Task, Error> {
        let Some(span) = self.tracing.incoming(true, method, &params) else {
            return self.inner.request(method, params, request);
        };
        span.record("id", display(&request.id));
        let mut end = SpanEnd::new(&span);
        let task = match span.in_scope(|| self.inner.request(method, params, request)) {
            Ok(task) => task,
            Err(error) => {
                end.record(Outcome::Error(&error));
                return Err(error);
            }
        };
        let answering = async move {
            match task.await {
                // It ends when it has been written, or is dropped if that fails.
                Ok(reply) => Ok(reply.on_sent(move |_| end.record(Outcome::Done))),
                Err(error) => {
                    end.record(Outcome::Error(&error));
                    Err(error)
                }
            }
        };
        Ok(Box::pin(answering.instrument(span)))
    }

    fn notification(&self, method: &str, params: Node<'_>, peer: &Peer) -> Delivery {
        let Some(span) = self.tracing.incoming(false, method, &params) else {
            return self.inner.notification(method, params, peer);
        };
        let mut end = SpanEnd::new(&span);
        let handle = |job: BoxFuture, span: Span, mut end: SpanEnd| -> BoxFuture {
            let handling = async move {
                job.await;
                end.record(Outcome::Done);
            };
            Box::pin(handling.instrument(span))
        };
        match span.in_scope(|| self.inner.notification(method, params, peer)) {
            Delivery::Ignore => {
                end.record(Outcome::Ignored);
                Delivery::Ignore
            }
            Delivery::Done => {
                end.record(Outcome::Done);
                Delivery::Done
            }
            Delivery::Task(job) => Delivery::Task(handle(job, span, end)),
            Delivery::Lane { lane, job } => Delivery::Lane { lane, job: handle(job, span, end) },
        }
    }

    fn fault(&self, fault: Fault<'_>) {
        tracing::warn!(target: "acp_rpc", "{fault}");
        self.inner.fault(fault);
    }

    fn closed(&self, reason: &CloseReason) {
        // The last words of a process may hold anything, so they are left out.
        let why = match reason {
            #[cfg(feature = "process")]
            CloseReason::Exited(_) => "the process exited".to_owned(),
            other => other.to_string(),
        };
        tracing::debug!(target: "acp_rpc", "the connection ended: {why}");
        self.inner.closed(reason);
    }
}

/// Records once how a span ended. A drop before its end records that it was dropped.
struct SpanEnd {
    span: Option<Span>,
    progress: Option<Progress>,
}

impl SpanEnd {
    fn new(span: &Span) -> Self {
        Self { span: Some(span.clone()), progress: None }
    }

    fn record(&mut self, outcome: Outcome<'_>) {
        let Some(span) = self.span.take() else { return };
        let id = self.progress.as_ref().and_then(Progress::id);
        // A handler's panic may be unwinding here: a second panic would end the process.
        let _ = guarded(move || {
            if let Some(id) = id {
                span.record("id", display(id));
            }
            span.record("outcome", display(outcome));
        });
    }
}

impl Drop for SpanEnd {
    fn drop(&mut self) {
        self.record(if thread::panicking() { Outcome::Panicked } else { Outcome::Dropped });
    }
}
