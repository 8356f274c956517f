//! The W3C trace context of a message.

use std::sync::Arc;

use acp_json::Node;

use crate::layer::Outgoing;

const TRACEPARENT: &str = "traceparent";
const TRACESTATE: &str = "tracestate";
const BAGGAGE: &str = "baggage";
/// The longest `tracestate` or `baggage` that is taken, in bytes. W3C asks programs to pass on at
/// least this.
const LONGEST: usize = 8192;

tokio::task_local! {
    static CURRENT: TraceContext;
}

/// The trace that a message belongs to: W3C's `traceparent`, `tracestate` and `baggage`, in their
/// header form.
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
    /// Creates a context with this `traceparent`, such as
    /// `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. Returns `None` if it is not
    /// valid. It needs version, trace id, parent id and flags in lower-case hexadecimal, and ids
    /// that are not all zeros.
    #[must_use]
    pub fn new(traceparent: &str) -> Option<Self> {
        is_traceparent(traceparent).then(|| {
            let headers = Headers { traceparent: traceparent.into(), tracestate: None, baggage: None };
            Self { headers: Arc::new(headers) }
        })
    }

    /// Sets `tracestate`. A value that is empty, longer than 8192 bytes or not printable ASCII is
    /// left out.
    #[must_use]
    pub fn with_tracestate(mut self, tracestate: &str) -> Self {
        Arc::make_mut(&mut self.headers).tracestate = header(tracestate);
        self
    }

    /// Sets `baggage`. The limits of `tracestate` apply.
    #[must_use]
    pub fn with_baggage(mut self, baggage: &str) -> Self {
        Arc::make_mut(&mut self.headers).baggage = header(baggage);
        self
    }

    /// Reads the context in the `_meta` of params. Returns `None` if there is none, or its
    /// `traceparent` is not valid.
    #[must_use]
    pub fn of_params(params: &Node<'_>) -> Option<Self> {
        let meta = params.get("_meta")?;
        let text = |name| meta.get(name).and_then(Node::as_str);
        let context = Self::new(text(TRACEPARENT)?)?;
        let context =
            text(TRACESTATE).into_iter().fold(context, |context, text| context.with_tracestate(text));
        Some(text(BAGGAGE).into_iter().fold(context, |context, text| context.with_baggage(text)))
    }

    /// Returns the context of the request or notification that is being handled, if
    /// [`Propagate`](super::Propagate) is a layer of messages that come in. Tasks that a handler
    /// spawns have none: see [`scope`](Self::scope).
    pub fn current() -> Option<Self> {
        CURRENT.try_with(Clone::clone).ok()
    }

    /// Runs a future with this as its [current](Self::current) context.
    pub async fn scope<F: Future>(self, future: F) -> F::Output {
        CURRENT.scope(self, future).await
    }

    pub(super) fn scope_of<T>(self, run: impl FnOnce() -> T) -> T {
        CURRENT.sync_scope(self, run)
    }

    /// Returns `traceparent`.
    #[must_use]
    pub fn traceparent(&self) -> &str {
        &self.headers.traceparent
    }

    /// Returns `tracestate`, if there is one.
    #[must_use]
    pub fn tracestate(&self) -> Option<&str> {
        self.headers.tracestate.as_deref()
    }

    /// Returns `baggage`, if there is any.
    #[must_use]
    pub fn baggage(&self) -> Option<&str> {
        self.headers.baggage.as_deref()
    }

    /// Adds this to the `_meta` of params, unless they have a context already.
    pub(super) fn add_to(&self, outgoing: &mut Outgoing<'_>) {
        let others = [(TRACESTATE, self.tracestate()), (BAGGAGE, self.baggage())];
        let has_others = others.iter().any(|(_, value)| value.is_some());
        // Parts of two contexts must not be mixed. Only contexts with more parts pay for reading
        // the params.
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
