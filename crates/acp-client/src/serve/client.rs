//! Clients: what answers an agent's requests.

use std::sync::Arc;

use crate::Handlers;

/// What answers an agent's requests. It says so by registering handlers, and what it registers is
/// what the agent is told it can ask for: a capability is offered exactly when all its methods have
/// a handler.
///
/// As a rule [`#[client]`](macro@crate::client) implements it for an impl block, or
/// [`Router`](crate::Router) is one. [`LocalFs`](crate::LocalFs) and
/// [`PermissionPolicy`](crate::PermissionPolicy) are ready-made parts; one connection may have
/// several clients, each serving some methods. This is what all of them are built from:
///
/// ```
/// use std::sync::Arc;
/// use acp_client::{Client, Context, Handlers, RpcError};
/// use acp_client::v1::methods::FsReadTextFile;
/// use acp_client::v1::{ReadTextFileRequest, ReadTextFileResponse};
///
/// struct Buffers;
///
/// impl Buffers {
///     async fn read(self: Arc<Self>, file: ReadTextFileRequest, _: Context) -> Result<ReadTextFileResponse, RpcError> {
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
    message = "`{Self}` is no client",
    label = "not a client",
    note = "put `#[client]` on an impl block of `{Self}`, or build a `Router`"
)]
pub trait Client: Send + Sync + 'static {
    /// Registers a handler for every method this client serves. Called once per connection, before
    /// `initialize`.
    fn register(self: Arc<Self>, handlers: &mut Handlers);
}

/// One client for several connections, or one that its owner keeps.
impl<C: Client> Client for Arc<C> {
    fn register(self: Arc<Self>, handlers: &mut Handlers) {
        C::register(Self::clone(&self), handlers);
    }
}

impl Handlers {
    /// Registers what `client` serves.
    pub(crate) fn add<C: Client>(&mut self, client: C) {
        self.conflicts.begin::<C>();
        Arc::new(client).register(self);
    }
}
