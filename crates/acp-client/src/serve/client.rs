use std::sync::Arc;

use acp_rpc::{CallError, CloseReason, Peer};
use acp_types::v1::SessionId;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::error::Result;
use crate::serve::service::Shared;
use crate::sessions::roots::Roots;
use crate::sessions::session_state::SessionState;
use crate::{Agent, Cancel, Error, Handlers};

/// What answers an agent's requests. It says so by registering handlers, and what it registers is what the agent is
/// told it can ask for: a capability is offered exactly when all its methods have a handler.
///
/// As a rule [`#[client]`](macro@crate::client) implements it for an impl block, or [`Router`](crate::Router) is one.
/// [`LocalFs`](crate::LocalFs) and [`PermissionPolicy`](crate::PermissionPolicy) are ready-made parts; one connection
/// may have several clients, each serving some methods. This is what all of them are built from:
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
    /// Registers a handler for every method this client serves. Called once per connection, before `initialize`.
    fn register(self: Arc<Self>, handlers: &mut Handlers);
}

/// One client for several connections, or one that its owner keeps.
impl<C: Client> Client for Arc<C> {
    fn register(self: Arc<Self>, handlers: &mut Handlers) {
        C::register(Self::clone(&self), handlers);
    }
}

/// What a handler knows of its call beside the parameters.
#[derive(Clone, Debug)]
pub struct Context {
    peer: Peer,
    cancel: CancellationToken,
    shared: Arc<Shared>,
}

impl Context {
    pub(crate) const fn new(peer: Peer, cancel: CancellationToken, shared: Arc<Shared>) -> Self {
        Self { peer, cancel, shared }
    }

    /// Waits until the agent withdraws the call (`$/cancel_request`), or the connection ends.
    pub async fn cancelled(&self) {
        self.cancel.cancelled().await;
    }

    /// Whether the agent has withdrawn the call, or the connection has ended.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// The connection, to call the agent.
    #[must_use]
    pub const fn peer(&self) -> &Peer {
        &self.peer
    }

    /// The agent, as soon as it has answered `initialize`.
    pub(crate) async fn agent(&self, method: &str) -> Result<Agent> {
        let mut agent = self.shared.agent.subscribe();
        let found = agent.wait_for(Option::is_some).await.ok().and_then(|found| found.as_ref()?.upgrade());
        // Its last handle was dropped.
        found.ok_or_else(|| Error::of_call(method, None, CallError::Closed(CloseReason::Local)))
    }

    pub(crate) fn cancel(&self) -> Cancel {
        Cancel::new(self.cancel.clone())
    }

    /// The session of this id, when somebody here holds it.
    pub(crate) fn session(&self, id: &SessionId) -> Option<Arc<SessionState>> {
        self.shared.sessions.find(id)
    }

    /// Where a session works that is open or being made.
    pub(crate) fn roots(&self, id: &SessionId) -> Vec<Arc<Roots>> {
        self.shared.sessions.roots(id)
    }

    /// As long as this is held, the connection is not said to be over.
    pub(crate) fn guest(&self) -> watch::Receiver<()> {
        self.shared.guests.subscribe()
    }

    /// Adds to [`Agent::faults`](crate::Agent::faults).
    pub(crate) fn note(&self, fault: String) {
        self.shared.note(fault);
    }
}
