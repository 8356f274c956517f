//! The way out, as layers see it.

use std::borrow::Cow;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use acp_json::{FromNode, Value};
use serde_core::Serialize;
use tokio::sync::oneshot;

use super::call::{Call, Settled};
use super::meta::{self, WithMeta};
use super::progress::Progress;
use super::shared::Shared;
use super::waiter::Waiter;
use crate::core::error::CallError;
use crate::core::job::LaneKey;
use crate::wire::encode::{Encode, Written};
use crate::wire::forms;
use crate::wire::writer::PushError;

/// A way out for requests and notifications. The innermost one writes them to the connection.
pub trait Outbound: Send + Sync + 'static {
    /// Sends a request and waits for its answer, or sends a notification. Runs in the caller's
    /// task.
    fn send<'a>(&self, outgoing: Outgoing<'a>) -> Exchange<'a>;
}

impl<O: Outbound + ?Sized> Outbound for Arc<O> {
    fn send<'a>(&self, outgoing: Outgoing<'a>) -> Exchange<'a> {
        (**self).send(outgoing)
    }
}

/// The future of an [`Outgoing`]. A request ends with `Ok` when it was answered with a result, a
/// notification when it stands in the output buffer. Dropping it gives the request up.
pub type Exchange<'a> = Pin<Box<dyn Future<Output = Result<(), CallError>> + Send + 'a>>;

/// A request or notification on its way out.
pub struct Outgoing<'a> {
    shared: Arc<Shared>,
    method: Cow<'a, str>,
    params: Params<'a>,
    meta: Vec<(String, Value)>,
    answer: Option<ExpectedAnswer>,
    progress: Progress,
}

enum Params<'a> {
    /// Params that are written when there is room: until then the caller may give up.
    Borrowed(&'a (dyn Encode + Sync)),
    Written(Written),
}

/// The part of a request that a notification lacks.
struct ExpectedAnswer {
    waiter: Waiter,
    lane: Option<LaneKey>,
    arrival: oneshot::Receiver<Settled<()>>,
    on_wire: Option<oneshot::Sender<()>>,
}

/// The result of a request, which goes past layers.
pub(crate) struct LayeredResult<R> {
    method: Box<str>,
    result: oneshot::Receiver<R>,
}

impl<'a> Outgoing<'a> {
    pub(crate) fn notification(
        shared: &Arc<Shared>,
        method: &'a str,
        params: &'a (dyn Encode + Sync),
    ) -> Self {
        Self::new(shared, method.into(), Params::Borrowed(params), None, Progress::default())
    }

    pub(crate) fn request<P, R>(
        shared: &Arc<Shared>,
        lane: Option<LaneKey>,
        method: &'a str,
        params: &'a &P,
    ) -> (Self, LayeredResult<R>)
    where
        P: Serialize + Sync + ?Sized,
        R: FromNode + Send + 'static,
    {
        let progress = Progress::default();
        let (answer, result) = ExpectedAnswer::new(shared, lane, method, &progress, None);
        (Self::new(shared, method.into(), Params::Borrowed(params), Some(answer), progress), result)
    }

    fn new(
        shared: &Arc<Shared>,
        method: Cow<'a, str>,
        params: Params<'a>,
        answer: Option<ExpectedAnswer>,
        progress: Progress,
    ) -> Self {
        Self { shared: Arc::clone(shared), method, params, meta: Vec::new(), answer, progress }
    }

    /// Returns the method.
    #[must_use]
    pub fn method(&self) -> &str {
        &self.method
    }

    /// Tells whether it is a request, which has an answer.
    #[must_use]
    pub const fn is_request(&self) -> bool {
        self.answer.is_some()
    }

    /// Returns the lane of a request's answer, if it goes through one.
    #[must_use]
    pub fn lane(&self) -> Option<&str> {
        self.answer.as_ref()?.lane.as_deref()
    }

    /// Returns one member of its params, such as a session's id. That costs the caller one more
    /// serialisation of the params.
    #[must_use]
    pub fn param(&self, name: &str) -> Option<Value> {
        let mut json = Vec::new();
        self.params.encode(&mut json).ok()?;
        acp_json::from_slice(json.get(meta::member_of(&json, name)?)?).ok()
    }

    /// Adds a member to the `_meta` of its params, unless they have one of this name already.
    /// Params that are not an object have no `_meta`, and stay as they are.
    pub fn add_meta(&mut self, name: impl Into<String>, value: impl Into<Value>) {
        self.meta.push((name.into(), value.into()));
    }

    /// Returns a handle on its progress, which may be read at any time.
    #[must_use]
    pub fn progress(&self) -> Progress {
        self.progress.clone()
    }

    /// Leaves the innermost layer: goes into the output buffer, and waits for the answer.
    pub(crate) async fn exchange(self) -> Result<(), CallError> {
        let Self { shared, method, params, meta, answer, progress } = self;
        let params = WithMeta { params: &params, meta: &meta };
        let Some(ExpectedAnswer { waiter, arrival, on_wire, .. }) = answer else {
            let _permit = shared.permit(&method).await?;
            let pushed = shared.writer.push(|buffer| forms::notification(buffer, &method, &params));
            progress.set_sent(pushed.map_err(|error| shared.push_error(&method, error))?);
            return Ok(());
        };
        let call = Call::start(&shared, waiter, &method, &params).await?;
        progress.set_id(call.id);
        progress.set_sent(call.bytes);
        if let Some(on_wire) = on_wire {
            // A caller that is gone has dropped this future too.
            let _ = on_wire.send(());
        }
        call.settled(arrival.await, &method)
    }
}

impl Outgoing<'static> {
    /// Makes a request that owns its params, because its caller goes on as soon as it is on its
    /// way.
    pub(crate) fn begun<P, R>(
        shared: &Arc<Shared>,
        lane: Option<LaneKey>,
        method: &str,
        params: &P,
    ) -> Result<(Self, oneshot::Receiver<()>, LayeredResult<R>), CallError>
    where
        P: Serialize + Sync + ?Sized,
        R: FromNode + Send + 'static,
    {
        let mut json = Vec::new();
        let written = params.encode(&mut json);
        written.map_err(|error| shared.push_error(method, PushError::Encode(error)))?;
        let (sent, on_wire) = oneshot::channel();
        let progress = Progress::default();
        let (answer, result) = ExpectedAnswer::new(shared, lane, method, &progress, Some(sent));
        let method = Cow::Owned(method.to_owned());
        Ok((
            Self::new(shared, method, Params::Written(Written(json)), Some(answer), progress),
            on_wire,
            result,
        ))
    }
}

impl ExpectedAnswer {
    fn new<R: FromNode + Send + 'static>(
        shared: &Shared,
        lane: Option<LaneKey>,
        method: &str,
        progress: &Progress,
        on_wire: Option<oneshot::Sender<()>>,
    ) -> (Self, LayeredResult<R>) {
        let (answer, arrival) = oneshot::channel();
        let (keep, result) = oneshot::channel();
        let waiting = shared.counted_in(lane.as_ref());
        let waiter = Waiter::layered(lane.clone(), waiting, progress.clone(), answer, keep);
        (Self { waiter, lane, arrival, on_wire }, LayeredResult { method: method.into(), result })
    }
}

impl<R> LayeredResult<R> {
    pub(crate) fn method(&self) -> &str {
        &self.method
    }

    /// Returns the result, once the exchange is done.
    pub(crate) fn take(mut self) -> Result<R, CallError> {
        self.result.try_recv().map_err(|_| CallError::Refused {
            method: self.method.into(),
            reason: "a layer ended the request, but gave no reason".into(),
        })
    }
}

impl Encode for Params<'_> {
    fn encode(&self, buffer: &mut Vec<u8>) -> Result<(), serde_json::Error> {
        match self {
            Self::Borrowed(params) => params.encode(buffer),
            Self::Written(json) => json.encode(buffer),
        }
    }

    fn leaves(&self, json: &[u8]) -> Result<(), serde_json::Error> {
        match self {
            Self::Borrowed(params) => params.leaves(json),
            Self::Written(written) => written.leaves(json),
        }
    }
}

/// Does not show the params.
impl fmt::Debug for Outgoing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outgoing")
            .field("method", &self.method)
            .field("is_request", &self.is_request())
            .field("lane", &self.lane())
            .finish_non_exhaustive()
    }
}

/// The innermost way out.
pub(crate) struct Wire;

impl Outbound for Wire {
    fn send<'a>(&self, outgoing: Outgoing<'a>) -> Exchange<'a> {
        Box::pin(outgoing.exchange())
    }
}
