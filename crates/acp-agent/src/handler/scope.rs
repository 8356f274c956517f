//! The origin of a call: what an agent knows of it beside the params.

use std::fmt;
use std::sync::Arc;

use acp_handlers::CallContext;
use acp_json::{Node, ReadError};
use acp_rpc::{CancellationToken, Error as RpcError, Id, Peer, Reply, Request};
use serde_core::Serialize;

use crate::client::cancel::Cancel;
use crate::client::{Agreed, Client};
use crate::error::{Error, Result};
use crate::handler::commands::Commands;
use crate::op::Op;
use crate::open::reopen::Reopening;
use crate::session::connection::Connection;
use crate::store::StoreHandle;

/// A call of the handler of operation `O`, admitted and ready to run. `S` is the state of a
/// session.
pub type Call<O, S> = acp_handlers::Call<O, Scope<S>>;

/// An argument of a handler, on its way. Await it.
pub type Argument<'c, T> = acp_handlers::Argument<'c, T, Error>;

/// The handlers of an agent whose sessions hold an `S` each.
pub type Handlers<S> = acp_handlers::Handlers<Scope<S>>;

/// The origin of a call. `S` is the state of a session.
pub struct Scope<S> {
    pub(crate) connection: Arc<Connection<S>>,
    pub(crate) client: Client,
    pub(crate) cancel: Cancel,
    /// The id of the request. A notification has none.
    pub(crate) request_id: Option<Id>,
    /// Set if the handler for new sessions opens a stored one.
    pub(crate) reopening: Option<Reopening>,
}

impl<S> Scope<S> {
    pub(crate) fn of_request(
        connection: &Arc<Connection<S>>,
        agreed: Arc<Agreed>,
        request: &Request,
    ) -> Self {
        let client = Client::new(request.peer.clone(), agreed, connection.on_fault().cloned());
        Scope::new(connection, client, request.cancel.clone(), Some(request.id.clone()))
    }

    /// Returns the origin of a notification. Nobody can cancel it, and its handler ends with the
    /// connection.
    pub(crate) fn of_notification(connection: &Arc<Connection<S>>, agreed: Arc<Agreed>, peer: &Peer) -> Self {
        let client = Client::new(peer.clone(), agreed, connection.on_fault().cloned());
        Scope::new(connection, client, CancellationToken::new(), None)
    }

    fn new(
        connection: &Arc<Connection<S>>,
        client: Client,
        cancel: CancellationToken,
        request_id: Option<Id>,
    ) -> Self {
        let (connection, cancel) = (Arc::clone(connection), Cancel::new(cancel));
        Scope { connection, client, cancel, request_id, reopening: None }
    }

    /// Returns the store of the connection's sessions, if it has one.
    pub(crate) fn store(&self) -> Option<&StoreHandle> {
        self.connection.store(self.client.wire())
    }

    /// Makes the reply of the handler's result.
    pub(crate) fn answer<R: Serialize + Send + 'static>(
        &self,
        outcome: Result<R>,
    ) -> Result<Reply, RpcError> {
        outcome.map(|response| self.client.wire().answer(response)).map_err(Error::into_rpc)
    }

    /// Returns the client.
    #[must_use]
    pub const fn client(&self) -> &Client {
        &self.client
    }

    /// Returns the cancellation of the request.
    #[must_use]
    pub const fn cancel(&self) -> &Cancel {
        &self.cancel
    }
}

impl<S: Send + Sync + 'static> CallContext for Scope<S> {
    type Error = Error;
    type Special = Commands<S>;

    fn into_rpc(error: Error) -> RpcError {
        error.into_rpc()
    }

    fn read<O: Op>(&self, params: Node<'_>) -> Result<O::Params, ReadError> {
        self.client.wire().read(O::METHOD, params)
    }

    async fn run<T: Send>(&self, handler: impl Future<Output = Result<T>> + Send) -> Result<T> {
        self.cancel.run(handler).await
    }

    fn ignored(&self, method: &str, reason: &str) {
        self.connection.ignored(method, reason);
    }
}

impl<S> Clone for Scope<S> {
    fn clone(&self) -> Self {
        Scope {
            connection: Arc::clone(&self.connection),
            client: self.client.clone(),
            cancel: self.cancel.clone(),
            request_id: self.request_id.clone(),
            reopening: self.reopening.clone(),
        }
    }
}

impl<S> fmt::Debug for Scope<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope").field("client", &self.client).finish_non_exhaustive()
    }
}
