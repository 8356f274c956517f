//! The trait that a side of a connection implements.

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

/// One side of a connection. It decides what to do with the messages of the peer.
///
/// [`request`](Self::request) and [`notification`](Self::notification) run on the reader: they read
/// params, look things up and return a future. They must not wait, block or run code of users. The
/// futures that they return run as tasks of their own and may do all of that, calls of the peer
/// included.
pub trait Service: Send + Sync + 'static {
    /// Takes a request that arrived. The future that it returns runs as a task; an `Err` is
    /// answered at once.
    ///
    /// # Errors
    ///
    /// The error object that the request is refused with, such as [`Error::method_not_found`].
    fn request(&self, method: &str, params: Node<'_>, request: Request) -> Result<Task, Error>;

    /// Takes a notification that arrived. It is never answered, whatever it says.
    fn notification(&self, method: &str, params: Node<'_>, peer: &Peer) -> Delivery;

    /// Takes a problem that is worth logging. The connection goes on. It is called on the reader
    /// and in handler tasks.
    fn fault(&self, fault: Fault<'_>) {
        let _ = fault;
    }

    /// Notes the end of the connection: pending calls have failed, tasks have ended. It is called
    /// once.
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
