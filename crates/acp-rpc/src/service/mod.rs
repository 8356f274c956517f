//! What a side of a connection implements.

use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use acp_json::Node;
use serde_core::Serialize;
use tokio_util::sync::CancellationToken;

use crate::core::error::CloseReason;
use crate::core::fault::Fault;
use crate::peer::Peer;
use crate::wire::message::{Error, Id};

/// The future a request is answered by. It is dropped when its answer stands in the output buffer, unless a layer
/// has dropped it before.
pub type Task = Pin<Box<dyn Future<Output = Result<Reply, Error>> + Send>>;

/// A future that answers nothing: a notification's handler, or a job of a lane.
pub type BoxFuture = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The name of a lane. Jobs of one lane run one at a time, in the order of the wire.
pub type LaneKey = Arc<str>;

/// One side of a connection: says what to do with what the peer sends.
///
/// [`request`](Self::request) and [`notification`](Self::notification) run on the reader: they read params,
/// look things up and hand back a future. They must not wait, block or run code of users; the futures they
/// return run as tasks of their own and may do all of that, calling the peer included.
pub trait Service: Send + Sync + 'static {
    /// A request arrived. What is returned runs as a task; an `Err` is the answer at once.
    ///
    /// # Errors
    ///
    /// With the error object the request is refused with, e.g. [`Error::method_not_found`].
    fn request(&self, method: &str, params: Node<'_>, request: Request) -> Result<Task, Error>;

    /// A notification arrived. It is never answered, whatever it says.
    fn notification(&self, method: &str, params: Node<'_>, peer: &Peer) -> Delivery;

    /// Something is worth logging. The connection goes on. Called from the reader and from handler tasks.
    fn fault(&self, fault: Fault<'_>) {
        let _ = fault;
    }

    /// The connection is over: pending calls have failed, tasks have ended. Called once.
    fn closed(&self, reason: &CloseReason) {
        let _ = reason;
    }
}

impl<S: Service + ?Sized> Service for Arc<S> {
    fn request(&self, method: &str, params: Node<'_>, request: Request) -> Result<Task, Error> {
        (**self).request(method, params, request)
    }

    fn notification(&self, method: &str, params: Node<'_>, peer: &Peer) -> Delivery {
        (**self).notification(method, params, peer)
    }

    fn fault(&self, fault: Fault<'_>) {
        (**self).fault(fault);
    }

    fn closed(&self, reason: &CloseReason) {
        (**self).closed(reason);
    }
}

/// A request of the peer, as its handler sees it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Request {
    /// The peer's id for it.
    pub id: Id,
    /// The peer.
    pub peer: Peer,
    /// Fires when the peer cancels this request (`$/cancel_request`) and when the connection ends. The
    /// handler still answers: with a result, or with [`Error::cancelled`].
    pub cancel: CancellationToken,
    pub(crate) kept: Kept,
}

impl Request {
    /// Keeps something until the answer stands in the output buffer, whether that is a result or an error and whoever
    /// gives it: a layer may drop the handler and answer itself. Once the request is answered, it is dropped at once.
    ///
    /// ```
    /// # use acp_rpc::{Error, Reply, Request, Task};
    /// # use std::sync::{Arc, Mutex};
    /// /// One at a time, and none before the answer of the one before.
    /// fn exclusive(busy: &Arc<tokio::sync::Semaphore>, request: Request) -> Result<Task, Error> {
    ///     let place = Arc::clone(busy).try_acquire_owned().map_err(|_| Error::internal("busy"))?;
    ///     request.keep(place);
    ///     Ok(Box::pin(async { Ok(Reply::empty()) }))
    /// }
    /// ```
    pub fn keep(&self, something: impl Send + 'static) {
        self.kept.add(Box::new(something));
    }

    /// Answers `reply` where the request would be answered with `-32800`, by its task or by a layer, such as one in
    /// which it waits for its turn. A handler that the end of the connection stops is answered `-32800` all the same.
    pub fn if_cancelled(&self, reply: Reply) {
        self.kept.set_if_cancelled(reply);
    }
}

/// What is kept for a request until it is answered.
#[derive(Clone)]
pub(crate) struct Kept(Arc<Mutex<Option<Held>>>);

#[derive(Default)]
struct Held {
    things: Vec<Box<dyn Send>>,
    /// What is answered in place of `-32800`.
    if_cancelled: Option<Reply>,
}

impl Kept {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Mutex::new(Some(Held::default()))))
    }

    fn add(&self, something: Box<dyn Send>) {
        let late = match &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(kept) => {
                kept.things.push(something);
                None
            }
            None => Some(something),
        };
        drop(late);
    }

    fn set_if_cancelled(&self, reply: Reply) {
        let before = match &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(kept) => kept.if_cancelled.replace(reply),
            None => Some(reply),
        };
        drop(before);
    }

    /// The answer that is given where this one would be.
    pub(crate) fn instead_of(&self, outcome: Result<Reply, Error>) -> Result<Reply, Error> {
        match outcome {
            Err(error) if error.code == Error::REQUEST_CANCELLED => {
                let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
                kept.as_mut().and_then(|kept| kept.if_cancelled.take()).ok_or(error)
            }
            outcome => outcome,
        }
    }

    /// Drops it. That may panic.
    pub(crate) fn let_go(&self) {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(kept);
    }
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Kept")
    }
}

/// What to do with a notification.
pub enum Delivery {
    /// Nothing: it means nothing here.
    Ignore,
    /// Nothing more: the service has dealt with it on the spot.
    Done,
    /// Run this beside everything else.
    Task(BoxFuture),
    /// Run this after every earlier job of the lane has finished.
    Lane {
        /// The lane.
        lane: LaneKey,
        /// What to run.
        job: BoxFuture,
    },
}

impl fmt::Debug for Delivery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ignore => f.write_str("Ignore"),
            Self::Done => f.write_str("Done"),
            Self::Task(_) => f.write_str("Task"),
            Self::Lane { lane, .. } => f.debug_tuple("Lane").field(lane).finish(),
        }
    }
}

/// The result of a request, on its way to the peer.
pub struct Reply {
    pub(crate) result: Box<dyn Encode + Send>,
    pub(crate) after: Option<After>,
    pub(crate) sent: Option<Sent>,
}

pub(crate) type After = Box<dyn FnOnce(&Peer) + Send>;
/// Told the length of the answer once it stands in the output buffer. It must not panic.
pub(crate) type Sent = Box<dyn FnOnce(usize) + Send>;

impl Reply {
    /// A reply with this `result`. It is serialised once, straight into the output buffer.
    pub fn new(result: impl Serialize + Send + 'static) -> Self {
        Self { result: Box::new(result), after: None, sent: None }
    }

    /// A reply whose `result` is `{}`.
    #[must_use]
    pub fn empty() -> Self {
        Self { result: Box::new(Empty), after: None, sent: None }
    }

    /// The same reply, with something to do right after it stands in the output buffer: what `hook` sends
    /// with [`Peer::notify_now`] follows the reply. It must not block.
    #[must_use]
    pub fn after(mut self, hook: impl FnOnce(&Peer) + Send + 'static) -> Self {
        self.after = Some(Box::new(hook));
        self
    }

    pub(crate) fn on_sent(mut self, hook: impl FnOnce(usize) + Send + 'static) -> Self {
        let inner = self.sent.take();
        self.sent = Some(Box::new(move |bytes| {
            inner.into_iter().for_each(|inner| inner(bytes));
            hook(bytes);
        }));
        self
    }
}

impl fmt::Debug for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reply").field("after", &self.after.is_some()).finish_non_exhaustive()
    }
}

/// What can be written as JSON text: everything that is [`Serialize`].
///
/// Text that is JSON already, such as what a store gives back, implements it by copying: it is not read to be written
/// again.
///
/// ```
/// use acp_rpc::{Encode, EncodeError};
///
/// /// An object with one member, whose value is JSON text.
/// struct Stored<'a>(&'a str);
///
/// impl Encode for Stored<'_> {
///     fn encode(&self, buffer: &mut Vec<u8>) -> Result<(), EncodeError> {
///         buffer.extend_from_slice(br#"{"stored":"#);
///         buffer.extend_from_slice(self.0.as_bytes());
///         buffer.push(b'}');
///         Ok(())
///     }
/// }
/// ```
pub trait Encode {
    /// Adds the text of one JSON value to `buffer`, and touches nothing of what is there. What a call that fails has
    /// added is taken back.
    ///
    /// It may be called more than once for one message, and under a lock, so it neither blocks nor uses the
    /// connection.
    ///
    /// # Errors
    /// The value has no JSON text, or is not to be sent after all. Nothing of the message is sent then.
    fn encode(&self, buffer: &mut Vec<u8>) -> Result<(), EncodeError>;

    /// Is called once for the params of a request or a notification that is sent, right behind the call of
    /// [`encode`](Self::encode) that has written it into the output buffer, under the same lock: whatever keeps what is
    /// sent, and in its order, does that here. Layers that look at params are not it. `json` is what is sent, with what
    /// layers have added to its `_meta`.
    ///
    /// # Errors
    /// It is not to be sent after all. It is taken out of the buffer again.
    fn leaves(&self, json: &[u8]) -> Result<(), EncodeError> {
        let _ = json;
        Ok(())
    }
}

/// Why an [`Encode`] failed.
pub type EncodeError = serde_json::Error;

impl<T: Serialize + ?Sized> Encode for T {
    fn encode(&self, buffer: &mut Vec<u8>) -> Result<(), EncodeError> {
        serde_json::to_writer(buffer, self)
    }
}

/// A value that is only borrowed.
pub(crate) struct Borrowed<'a, P: ?Sized>(pub(crate) &'a P);

impl<P: Encode + ?Sized> Encode for Borrowed<'_, P> {
    fn encode(&self, buffer: &mut Vec<u8>) -> Result<(), EncodeError> {
        self.0.encode(buffer)
    }

    fn leaves(&self, json: &[u8]) -> Result<(), EncodeError> {
        self.0.leaves(json)
    }
}

/// What has been written already.
pub(crate) struct Written(pub(crate) Vec<u8>);

impl Encode for Written {
    fn encode(&self, buffer: &mut Vec<u8>) -> Result<(), EncodeError> {
        buffer.extend_from_slice(&self.0);
        Ok(())
    }
}

struct Empty;

impl Serialize for Empty {
    fn serialize<S: serde_core::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serde_core::ser::SerializeMap::end(serializer.serialize_map(Some(0))?)
    }
}
