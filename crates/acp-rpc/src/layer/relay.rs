//! Layers that pass messages on between two connections.

mod order;
mod origins;

use std::fmt;
use std::sync::Arc;

use acp_json::{Node, Value};
use tokio::sync::{oneshot, watch};

use self::order::{Order, Place};
pub use self::origins::Origins;
use super::Layer;
use crate::core::error::{CallError, CloseReason};
use crate::core::fault::Fault;
use crate::peer::Peer;
use crate::peer::call::Call;
use crate::peer::waiter::{Unsettled, Waiter};
use crate::service::Service;
use crate::service::delivery::Delivery;
use crate::service::reply::{Reply, Task};
use crate::service::request::Request;
use crate::wire::message::Error;

/// A layer for messages that come in, which passes them on to the peer of another connection, and
/// the answers back. Nothing behind it sees them, so put it behind [`Only`](super::Only) if it is
/// for some methods.
///
/// Two of them, made by [`pair`](Self::pair), stand between two peers. Requests, notifications and
/// answers that they pass on keep their order, unless a connection has layers for messages that go
/// out: those may change it. `$/cancel_request` is passed on for the request that it names, and the
/// peer still answers that request. Params and results pass as they are.
///
/// ```
/// use acp_rpc::Options;
/// use acp_rpc::layer::{Only, Relay};
/// # struct Mine;
/// # impl acp_rpc::Service for Mine {
/// #     fn request(&self, m: &str, _: acp_json::Node<'_>, _: acp_rpc::Request) -> Result<acp_rpc::Task, acp_rpc::Error> {
/// #         Err(acp_rpc::Error::method_not_found(m))
/// #     }
/// #     fn notification(&self, _: &str, _: acp_json::Node<'_>, _: &acp_rpc::Peer) -> acp_rpc::Delivery {
/// #         acp_rpc::Delivery::Ignore
/// #     }
/// # }
///
/// # fn connect(client: acp_rpc::Transport, agent: acp_rpc::Transport) {
/// let is_own = |method: &str| method.starts_with('_');
/// let (of_client, of_agent) = Relay::pair();
/// let options = |relay: &Relay| Options::default().layer_in(Only::new(is_own, relay.clone()));
/// let (client, _) = acp_rpc::connect(client, Mine, options(&of_client));
/// let (agent, _) = acp_rpc::connect(agent, Mine, options(&of_agent));
/// of_client.pass_to(&agent);
/// of_agent.pass_to(&client);
/// # }
/// ```
#[derive(Clone)]
pub struct Relay {
    to: Arc<watch::Sender<Option<Peer>>>,
    /// The order of messages to the peer of this connection.
    here: Arc<Order>,
    /// The order of messages to the other peer.
    there: Arc<Order>,
    origins: Origins,
    edit: Option<Edit>,
}

type Edit = Arc<dyn Fn(&str, Node<'static>) -> Node<'static> + Send + Sync>;

impl Relay {
    /// Makes the layers of two connections. Messages wait until [`pass_to`](Self::pass_to) of their
    /// layer was called.
    #[must_use]
    pub fn pair() -> (Self, Self) {
        let (one, other) = (Arc::<Order>::default(), Arc::<Order>::default());
        let relay = |here: &Arc<Order>, there: &Arc<Order>| Self {
            to: Arc::new(watch::Sender::new(None)),
            here: Arc::clone(here),
            there: Arc::clone(there),
            origins: Origins::default(),
            edit: None,
        };
        (relay(&one, &other), relay(&other, &one))
    }

    /// Sets the peer that the messages are for, which is that of the other connection.
    pub fn pass_to(&self, peer: &Peer) {
        self.to.send_replace(Some(peer.clone()));
    }

    /// Changes the params of each message before it is passed on. `edit` gets the method and the
    /// params. It runs on the reader, so it must not block.
    #[must_use]
    pub fn edit(
        mut self,
        edit: impl Fn(&str, Node<'static>) -> Node<'static> + Send + Sync + 'static,
    ) -> Self {
        self.edit = Some(Arc::new(edit));
        self
    }

    fn edited(&self, method: &str, params: Node<'_>) -> Value {
        let params = params.into_owned();
        match &self.edit {
            Some(edit) => edit(method, params).into(),
            None => params.into(),
        }
    }

    /// Returns the ids of the requests that are being passed on by this layer.
    #[must_use]
    pub const fn origins(&self) -> &Origins {
        &self.origins
    }

    /// Returns the peer that the messages are for. Waits until it is known.
    async fn peer(&self) -> Peer {
        let mut to = self.to.subscribe();
        match to.wait_for(Option::is_some).await.ok().and_then(|peer| peer.clone()) {
            Some(peer) => peer,
            // The sender lives as long as `self`.
            None => std::future::pending().await,
        }
    }

    async fn request(
        self,
        place: Place,
        method: Box<str>,
        params: Value,
        request: Request,
    ) -> Result<Reply, Error> {
        let peer = self.peer().await;
        place.turn().await;
        let (answer, place) = match self.ask(&peer, place, &method, &params, &request).await {
            Ok(answered) => answered,
            Err(error) => (Err(error), self.here.place()),
        };
        place.turn().await;
        // The answer keeps its place until it stands in the output buffer.
        request.keep(place);
        answer.map(Reply::new).map_err(|error| refusal(&method, error))
    }

    /// Passes a request on in its place, and returns the answer with the place of that.
    async fn ask(
        &self,
        peer: &Peer,
        place: Place,
        method: &str,
        params: &Value,
        request: &Request,
    ) -> Result<(Result<Value, CallError>, Place), CallError> {
        if peer.shared.outbound.is_some() {
            let pending = peer.timeout(None).begin(None, method, params).await?;
            drop(place);
            let answer = tokio::select! {
                biased;
                answer = pending => answer,
                // Dropped, the request is cancelled.
                () = request.cancel.cancelled() => Err(CallError::Remote(Error::cancelled())),
            };
            return Ok((answer, self.here.place()));
        }
        let (sender, mut arrival) = oneshot::channel();
        let here = Arc::clone(&self.here);
        // It runs on the reader, so the answer's place is that of its line.
        let waiter = Waiter::then(None, None, move |answer: Result<Value, Unsettled>| {
            let _ = sender.send((answer, here.place()));
        });
        let mut origin = None;
        let note = |id| origin = Some(self.origins.note(id, &request.id));
        let call = Call::start_noting(&peer.shared, waiter, method, params, note).await?;
        drop(place);
        let arrived = tokio::select! {
            biased;
            arrived = &mut arrival => arrived,
            () = request.cancel.cancelled() => {
                call.withdraw();
                arrival.await
            }
        };
        drop(origin);
        let Ok((answer, place)) = arrived else { return Err(CallError::Closed(CloseReason::Local)) };
        Ok((answer.map_err(|unsettled| unsettled.into_error(method)), place))
    }

    async fn notify(self, place: Place, method: Box<str>, params: Value) {
        let peer = self.peer().await;
        place.turn().await;
        // It only fails if the peer is gone, or a layer refuses it.
        let _ = peer.notify(&method, &params).await;
        drop(place);
    }
}

impl fmt::Debug for Relay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Relay").field("to", &*self.to.borrow()).finish_non_exhaustive()
    }
}

impl<S> Layer<S> for Relay {
    type Service = Relayed<S>;

    fn layer(&self, inner: S) -> Relayed<S> {
        Relayed { inner, relay: self.clone() }
    }
}

/// The wrapper that [`Relay`] puts around a service.
#[derive(Debug)]
pub struct Relayed<S> {
    inner: S,
    relay: Relay,
}

impl<S: Service> Service for Relayed<S> {
    fn request(&self, method: &str, params: Node<'_>, request: Request) -> Result<Task, Error> {
        let params = self.relay.edited(method, params);
        let (relay, place) = (self.relay.clone(), self.relay.there.place());
        Ok(Box::pin(relay.request(place, method.into(), params, request)))
    }

    fn notification(&self, method: &str, params: Node<'_>, _: &Peer) -> Delivery {
        let params = self.relay.edited(method, params);
        let (relay, place) = (self.relay.clone(), self.relay.there.place());
        Delivery::Task(Box::pin(relay.notify(place, method.into(), params)))
    }

    fn fault(&self, fault: Fault<'_>) {
        self.inner.fault(fault);
    }

    fn closed(&self, reason: &CloseReason) {
        self.inner.closed(reason);
    }
}

/// Returns the error that answers a request which could not be passed on.
fn refusal(method: &str, error: CallError) -> Error {
    match error {
        CallError::Remote(error) => error,
        error => Error::internal(format!("`{method}` could not be passed on: {error}")),
    }
}
