//! The W3C trace context of a message.

use std::sync::Arc;

use acp_json::Node;

use crate::layer::Outgoing;

const TRACEPARENT: &str = "traceparent";
const TRACESTATE: &str = "tracestate";
const BAGGAGE: &str = "baggage";
/// The longest `tracestate` or `baggage` that is taken, in bytes: what W3C asks programs to pass on at least.
const LONGEST: usize = 8192;

tokio::task_local! {
    static CURRENT: TraceContext;
}

/// Which trace a message belongs to: W3C's `traceparent`, `tracestate` and `baggage`, in their header form.
///
/// Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceContext {
    headers: Arc<Headers>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Headers {
    traceparent: Box<str>,
    tracestate: Option<Box<str>>,
    baggage: Option<Box<str>>,
}

impl TraceContext {
    /// A context with this `traceparent`, such as
    /// `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. `None` if it is not valid: version, trace id, parent
    /// id and flags in lower-case hexadecimal, the ids not all zeros.
    #[must_use]
    pub fn new(traceparent: &str) -> Option<Self> {
        is_traceparent(traceparent).then(|| {
            let headers = Headers { traceparent: traceparent.into(), tracestate: None, baggage: None };
            Self { headers: Arc::new(headers) }
        })
    }

    /// The same with this `tracestate`. One that is empty, longer than 8192 bytes or not printable ASCII is left out.
    #[must_use]
    pub fn with_tracestate(mut self, tracestate: &str) -> Self {
        Arc::make_mut(&mut self.headers).tracestate = header(tracestate);
        self
    }

    /// The same with this `baggage`, likewise.
    #[must_use]
    pub fn with_baggage(mut self, baggage: &str) -> Self {
        Arc::make_mut(&mut self.headers).baggage = header(baggage);
        self
    }

    /// The context that params carry in their `_meta`. `None` if there is none, or its `traceparent` is not valid.
    #[must_use]
    pub fn of_params(params: &Node<'_>) -> Option<Self> {
        let meta = params.get("_meta")?;
        let text = |name| meta.get(name).and_then(Node::as_str);
        let context = Self::new(text(TRACEPARENT)?)?;
        let context =
            text(TRACESTATE).into_iter().fold(context, |context, text| context.with_tracestate(text));
        Some(text(BAGGAGE).into_iter().fold(context, |context, text| context.with_baggage(text)))
    }

    /// The context of the request or notification that is being handled, where [`Propagate`](super::Propagate) is a
    /// layer of what comes in. Tasks that a handler spawns have none: see [`scope`](Self::scope).
    pub fn current() -> Option<Self> {
        CURRENT.try_with(Clone::clone).ok()
    }

    /// Makes this the [current](Self::current) context of a future.
    pub async fn scope<F: Future>(self, future: F) -> F::Output {
        CURRENT.scope(self, future).await
    }

    pub(super) fn scope_of<T>(self, run: impl FnOnce() -> T) -> T {
        CURRENT.sync_scope(self, run)
    }

    /// `traceparent`.
    #[must_use]
    pub fn traceparent(&self) -> &str {
        &self.headers.traceparent
    }

    /// `tracestate`, if there is one.
    #[must_use]
    pub fn tracestate(&self) -> Option<&str> {
        self.headers.tracestate.as_deref()
    }

    /// `baggage`, if there is some.
    #[must_use]
    pub fn baggage(&self) -> Option<&str> {
        self.headers.baggage.as_deref()
    }

    /// Adds it to the `_meta` of params, unless they have a context already.
    pub(super) fn add_to(&self, outgoing: &mut Outgoing<'_>) {
        let others = [(TRACESTATE, self.tracestate()), (BAGGAGE, self.baggage())];
        let has_others = others.iter().any(|(_, value)| value.is_some());
        // Parts of two contexts must not be mixed. A look at the params costs, hence only where there are parts.
        let has_one = || outgoing.param("_meta").is_some_and(|meta| meta.get(TRACEPARENT).is_some());
        if has_others && has_one() {
            return;
        }
        outgoing.add_meta(TRACEPARENT, self.traceparent());
        for (name, value) in others {
            value.into_iter().for_each(|value| outgoing.add_meta(name, value));
        }
    }
}

fn is_traceparent(text: &str) -> bool {
    let mut parts = text.split('-');
    let mut next = |length| {
        let is_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        parts.next().filter(|part| part.len() == length && part.bytes().all(is_hex))
    };
    let (Some(version), Some(trace), Some(parent), Some(_)) = (next(2), next(32), next(16), next(2)) else {
        return false;
    };
    let is_zero = |id: &str| id.bytes().all(|byte| byte == b'0');
    // Later versions may have more parts.
    let has_more = parts.next().is_some();
    !is_zero(trace) && !is_zero(parent) && version != "ff" && (version != "00" || !has_more)
}

fn header(text: &str) -> Option<Box<str>> {
    let is_printable = text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\t'));
    (is_printable && !text.is_empty() && text.len() <= LONGEST).then(|| text.into())
}
