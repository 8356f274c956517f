//! What an agent is to the library.

use acp_rpc::Delivery;
use acp_types::Meta;

use crate::facts::profile::Profile;
use crate::handler::incoming::{Called, Incoming, IncomingNotification};

/// A program that answers prompts. `#[agent]` implements it for an impl block, [`Router`](crate::Router) is one
/// that is put together at run time; there is no need to implement it by hand.
///
/// An implementation says which operations exist and which handler is whose. It is called only for what its
/// profile names, after the request has been checked.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no agent",
    label = "not an agent",
    note = "put `#[agent]` on an impl block of `{Self}`, or build a `Router`"
)]
pub trait Agent: Sized + Send + Sync + 'static {
    /// What a session holds: the `T` of `Session<T>`.
    type Session: Send + Sync + 'static;

    /// The facts about every agent of this type.
    const PROFILE: Profile<'static>;

    /// The facts about this agent. They must stay the same while it is served.
    fn profile(&self) -> Profile<'_> {
        Self::PROFILE
    }

    /// Capabilities that the protocol does not know, by name: the `_meta` of the `agentCapabilities` (rule
    /// `v1-cap-24`). A name starts with a domain of the vendor's, as in `acme.dev/undo`.
    fn capability_meta(&self) -> Meta {
        Meta::new()
    }

    /// Where sessions are kept, if they are to survive the process; asked once for each connection. With a store
    /// the library loads, lists, resumes, closes and deletes sessions: see [`store`](crate::store).
    #[cfg(feature = "store")]
    fn store(&self) -> Option<std::sync::Arc<dyn crate::store::SessionStore>> {
        None
    }

    /// How the MCP servers of sessions are connected, if the library is to do it; asked once for each connection. It
    /// then advertises what it can reach, and handlers can have an [`Mcp`](crate::Mcp): see [`mcp`](crate::mcp).
    #[cfg(feature = "mcp")]
    fn mcp(&self) -> Option<crate::mcp::Options> {
        None
    }

    /// Calls the handler of [`Incoming::method`] by [`Incoming::run`].
    ///
    /// # Errors
    /// What the request is refused with.
    fn call(incoming: Incoming<'_, Self>) -> Called;

    /// Calls the handler of an extension notification by [`IncomingNotification::run`].
    fn notify(incoming: IncomingNotification<'_, Self>) -> Delivery {
        incoming.ignore()
    }
}
