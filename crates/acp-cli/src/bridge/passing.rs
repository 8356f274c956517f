//! Messages that pass as they are: those of extensions, and all if both sides speak one version.

use std::sync::{Arc, OnceLock};

use acp_agent::Client;
use acp_agent::types::{InitializeRequest, RequestId};
use acp_client::layer::{Only, Origins, Relay};
use acp_client::{Agent, Op as _, ProtocolVersion, Value, op};
use acp_json::Node;

const INITIALIZE: &str = "initialize";
/// The extension that the library serves, because version 2 has a second prompt for it.
const STEERING: &str = "_session/steering";

/// The member of a question that names the request which it is about.
const ABOUT: &str = "requestId";

/// The way of messages between the two sides that nobody in the bridge reads.
pub(super) struct Passing {
    of_client: Relay,
    of_agent: Relay,
    extent: Arc<OnceLock<Extent>>,
}

/// The messages that pass.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// Everything behind `initialize`.
    All,
    /// Those of extensions.
    Extensions,
    /// Those of extensions, apart from the one that the library serves.
    OtherExtensions,
}

impl Extent {
    fn has(self, method: &str) -> bool {
        match self {
            Self::All => method != INITIALIZE,
            Self::Extensions => method.starts_with('_'),
            Self::OtherExtensions => method.starts_with('_') && method != STEERING,
        }
    }
}

impl Passing {
    pub(super) fn new() -> Self {
        let (of_client, of_agent) = Relay::pair();
        let origins = of_client.origins().clone();
        // A question about a request names it by its id, which the client has never seen.
        let of_agent =
            of_agent.edit(
                move |method, params| {
                    if method == op::Elicit::METHOD { about(&origins, params) } else { params }
                },
            );
        Self { of_client, of_agent, extent: Arc::default() }
    }

    /// Settles the messages that pass, because the agent has answered `initialize`.
    pub(super) fn begin(&self, agent: &Agent, asked: &InitializeRequest, is_served: bool) {
        let of_agent = agent.protocol_version();
        let of_client = asked.protocol_version.clamp(ProtocolVersion::V1, ProtocolVersion::V2);
        let extent = if of_client != of_agent {
            Extent::OtherExtensions
        } else if is_served && of_agent < ProtocolVersion::V2 {
            Extent::Extensions
        } else {
            // An agent of version 2 asks nobody for files.
            Extent::All
        };
        // The bridge has one agent.
        let _ = self.extent.set(extent);
        self.of_client.pass_to(agent.peer());
    }

    /// Lets the agent's messages through to the client, which is known from now on.
    pub(super) fn to_client(&self, client: &Client) {
        self.of_agent.pass_to(client.peer());
    }

    /// Returns the client's id of a request of an extension, by the id that the agent has got.
    pub(super) fn origin(&self, request: &RequestId) -> Option<RequestId> {
        let id = self.of_client.origins().of(Value::new(request).ok()?.as_node())?;
        acp_json::read(id).ok()
    }

    /// Returns the layer for the connection to the client.
    pub(super) fn of_client(&self) -> Only<Relay> {
        self.layer(&self.of_client)
    }

    /// Returns the layer for the connection to the agent.
    pub(super) fn of_agent(&self) -> Only<Relay> {
        self.layer(&self.of_agent)
    }

    fn layer(&self, relay: &Relay) -> Only<Relay> {
        let extent = Arc::clone(&self.extent);
        let passes = move |method: &str| extent.get().copied().unwrap_or(Extent::Extensions).has(method);
        Only::new(passes, relay.clone())
    }
}

/// Gives the request that a question is about its id of the other side.
fn about(origins: &Origins, mut params: Node<'static>) -> Node<'static> {
    if let Node::Map(members) = &mut params {
        for (_, id) in members.iter_mut().filter(|(name, _)| name == ABOUT) {
            if let Some(origin) = origins.of(id) {
                *id = origin;
            }
        }
    }
    params
}
