//! Clients: they answer an agent's requests.

use std::sync::Arc;

use crate::Handlers;

/// A client answers requests of an agent. It registers handlers, and exactly these are offered to
/// the agent: a capability is offered if all its methods have a handler.
///
/// As a rule [`#[client]`](macro@crate::client) implements it for an impl block, or
/// [`Router`](crate::Router) is one. [`LocalFs`](crate::LocalFs) and
/// [`PermissionPolicy`](crate::PermissionPolicy) are ready-made parts. One connection may have
/// several clients, and each serves some methods. All of them are built like this:
///
/// ```
/// use std::sync::Arc;
/// use acp_client::{Client, Context, Handlers, RpcError};
/// use acp_client::types::methods::FsReadTextFile;
/// use acp_client::types::{ReadTextFileRequest, ReadTextFileResponse};
///
/// struct Buffers;
///
/// impl Buffers {
///     async fn read(
///         self: Arc<Self>,
///         file: ReadTextFileRequest,
///         _: Context,
///     ) -> Result<ReadTextFileResponse, RpcError> {
///         Ok(ReadTextFileResponse::new(format!("unsaved text of {}", file.path)))
///     }
/// }
///
/// impl Client for Buffers {
///     fn register(self: Arc<Self>, handlers: &mut Handlers) {
///         handlers.request::<FsReadTextFile, _, _>(&self, Self::read);
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a client",
    label = "not a client",
    note = "put `#[client]` on an impl block of `{Self}`, or build a `Router`"
)]
pub trait Client: Send + Sync + 'static {
    /// Registers a handler for every method that this client serves. The library calls it once per
    /// connection, before `initialize`.
    fn register(self: Arc<Self>, handlers: &mut Handlers)
    where
        Self: Send + Sync + 'static;
}

/// A client for several connections, or one that its owner keeps.
impl<C: Client> Client for Arc<C> {
    fn register(self: Arc<Self>, handlers: &mut Handlers) {
        C::register(Self::clone(&self), handlers);
    }
}

impl Handlers {
    /// Registers what `client` serves.
    pub(crate) fn add<C: Client>(&mut self, client: C) {
        self.begin::<C>();
        Arc::new(client).register(self);
    }
}
