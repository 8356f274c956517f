//! What a side of a connection implements.

pub(crate) mod delivery;
pub(crate) mod reply;
mod report;
pub(crate) mod request;

use std::sync::Arc;

use acp_json::Node;

use self::delivery::Delivery;
use self::reply::Task;
use self::request::Request;
use crate::core::error::CloseReason;
use crate::core::fault::Fault;
use crate::peer::Peer;
use crate::wire::message::Error;

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
