//! The client: its name, its capabilities, and calls of it.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use acp_rpc::Peer;
use acp_types::Value;
use acp_types::v1::{AgentCapabilities, ClientCapabilities, Implementation, ProtocolVersion};
use serde_core::Serialize;
use serde_core::de::DeserializeOwned;

use crate::error::{Error, OnFault, Result};
use crate::wire::Wire;
use crate::wire::ask::{Answer, Ask};
use crate::wire::degraded::Reports;

/// The client at the other end. Cheap to clone; outlives requests.
#[derive(Clone)]
pub struct Client {
    peer: Peer,
    agreed: Arc<Agreed>,
    on_fault: Option<OnFault>,
}

/// The outcome of `initialize`.
#[derive(Debug)]
pub(crate) struct Agreed {
    pub(crate) wire: Wire,
    pub(crate) info: Option<Implementation>,
    pub(crate) capabilities: ClientCapabilities,
    pub(crate) own: AgentCapabilities,
    pub(crate) logged_in: AtomicBool,
    /// The losses that were reported of questions outside of turns.
    pub(crate) reports: Reports,
}

impl Client {
    pub(crate) fn new(peer: Peer, agreed: Arc<Agreed>, on_fault: Option<OnFault>) -> Self {
        Client { peer, agreed, on_fault }
    }

    /// Returns the receiver of faults, if there is one.
    pub(crate) const fn on_fault(&self) -> Option<&OnFault> {
        self.on_fault.as_ref()
    }

    /// Returns the protocol version that both sides speak.
    #[must_use]
    pub fn protocol_version(&self) -> ProtocolVersion {
        self.agreed.wire.version()
    }

    /// Returns the client's name and version, if it gave them.
    #[must_use]
    pub fn info(&self) -> Option<&Implementation> {
        self.agreed.info.as_ref()
    }

    /// Returns the client's capabilities.
    #[must_use]
    pub fn capabilities(&self) -> &ClientCapabilities {
        &self.agreed.capabilities
    }

    /// Reads a capability that the protocol does not know: the member of this name in the `_meta`
    /// of the client's capabilities. Returns `None` if the client does not offer it.
    ///
    /// ```
    /// # use acp_agent::{Client, Result};
    /// #[derive(serde::Deserialize)]
    /// struct Undo {
    ///     steps: u32,
    /// }
    ///
    /// fn undo_steps(client: &Client) -> Result<u32> {
    ///     Ok(client.capability_meta::<Undo>("acme.dev/undo")?.map_or(0, |undo| undo.steps))
    /// }
    /// ```
    ///
    /// # Errors
    /// The client offers something of this name that is not a `T`.
    pub fn capability_meta<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>> {
        let Some(meta) = &self.agreed.capabilities.meta else { return Ok(None) };
        meta.read(name).map_err(|error| {
            Error::from(format!("`clientCapabilities._meta`: `{name}` is not what was expected: {error}"))
        })
    }

    /// Returns the capabilities that this agent has advertised to the client.
    #[must_use]
    pub fn agent_capabilities(&self) -> &AgentCapabilities {
        &self.agreed.own
    }

    /// Returns whether the client has logged in: `authenticate` has succeeded since the last
    /// `logout`, or [`set_logged_in`](Self::set_logged_in) says so.
    #[must_use]
    pub fn is_logged_in(&self) -> bool {
        self.agreed.logged_in.load(Ordering::Acquire)
    }

    /// Sets whether the client has logged in, where the agent knows better. It may have found
    /// credentials in `auth_methods`, or credentials may have expired. Counts for agents with
    /// [`login_required`](crate::Profile::login_required).
    pub fn set_logged_in(&self, logged_in: bool) {
        self.agreed.logged_in.store(logged_in, Ordering::Release);
    }

    /// Calls an extension method of the client, whose name starts with `_`.
    ///
    /// Dropping the future cancels the call. The call is not part of a turn: select it with
    /// [`Turn::cancelled`](crate::Turn::cancelled) if it should end with one.
    ///
    /// # Errors
    /// The client does not know the method (`-32601` in [`Error::Call`]), fails, answers something
    /// that is not an `R`, or is gone.
    pub async fn ext_request<R: DeserializeOwned>(
        &self,
        method: &str,
        params: &(impl Serialize + Sync + ?Sized),
    ) -> Result<R> {
        check_extension(method)?;
        let result = self.peer.request::<_, Value>(method, params).await;
        let value = result.map_err(|error| Error::call(method.to_owned(), error))?;
        value.parse().map_err(|error| {
            Error::call(method.to_owned(), acp_rpc::CallError::Read { method: method.to_owned(), error })
        })
    }

    /// Sends an extension notification, whose name starts with `_`.
    ///
    /// # Errors
    /// The client is gone, or the params cannot be written as JSON.
    pub async fn ext_notify(&self, method: &str, params: &(impl Serialize + Sync + ?Sized)) -> Result<()> {
        check_extension(method)?;
        self.peer.notify(method, params).await.map_err(|error| Error::call(method.to_owned(), error))
    }

    /// Returns the JSON-RPC connection, for calls that have no method here.
    ///
    /// It checks nothing: neither capabilities, nor the order of updates and answers.
    #[must_use]
    pub fn peer(&self) -> &Peer {
        &self.peer
    }

    /// Asks the client something that takes its time. The time limit of requests does not hold.
    pub(crate) async fn ask_untimed<Q: Ask>(&self, request: &Q) -> Result<Answer<Q>> {
        let (fitted, lost) = self.wire().fit_request(request)?;
        self.agreed.reports.note(lost, None, self.on_fault());
        self.wire().ask(&self.peer.timeout(None), fitted.as_ref().unwrap_or(request)).await
    }

    pub(crate) fn wire(&self) -> &Wire {
        &self.agreed.wire
    }

    pub(crate) const fn agreed(&self) -> &Arc<Agreed> {
        &self.agreed
    }
}

fn check_extension(method: &str) -> Result<()> {
    acp_types::method::check_extension(method)
        .map_err(|error| Error::from(format!("the extension method `{method}` {error}")))
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("info", &self.agreed.info).finish_non_exhaustive()
    }
}
