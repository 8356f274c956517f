//! Agents, as the library sees them.

use acp_rpc::Delivery;
use acp_types::Meta;

use crate::facts::profile::Profile;
use crate::handler::incoming::{Called, Incoming, IncomingNotification};

/// A program that answers prompts. `#[agent]` implements it for an impl block, and
/// [`Router`](crate::Router) builds one at run time. It need not be implemented by hand.
///
/// An implementation knows its operations and their handlers. It is called only for operations that
/// its profile names, after the request has been checked.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an agent",
    label = "not an agent",
    note = "put `#[agent]` on an impl block of `{Self}`, or build a `Router`"
)]
pub trait Agent: Sized + Send + Sync + 'static {
    /// The state of a session: the `T` of `Session<T>`.
    type Session: Send + Sync + 'static;

    /// The facts about every agent of this type.
    const PROFILE: Profile<'static>;

    /// Returns the facts about this agent. They must stay the same while it is served.
    fn profile(&self) -> Profile<'_> {
        Self::PROFILE
    }

    /// Returns capabilities that the protocol does not know, by name: the `_meta` of the
    /// `agentCapabilities`. A name starts with a domain of the vendor's, as in `acme.dev/undo`.
    fn capability_meta(&self) -> Meta {
        Meta::new()
    }

    /// Returns the store of sessions that are to survive the process. It is asked once for each
    /// connection. With a store the library loads, lists, resumes, closes and deletes sessions: see
    /// [`store`](crate::store).
    #[cfg(feature = "store")]
    fn store(&self) -> Option<std::sync::Arc<dyn crate::store::SessionStore>> {
        None
    }

    /// Returns the options for connecting the MCP servers of sessions, if the library is to do it.
    /// It is asked once for each connection. The library then advertises the transports that it
    /// has, and handlers can have an [`Mcp`](crate::Mcp): see [`mcp`](crate::mcp).
    #[cfg(feature = "mcp")]
    fn mcp(&self) -> Option<crate::mcp::Options> {
        None
    }

    /// Calls the handler of [`Incoming::method`] by [`Incoming::run`].
    ///
    /// # Errors
    /// The error that the request is refused with.
    fn call(incoming: Incoming<'_, Self>) -> Called;

    /// Calls the handler of an extension notification by [`IncomingNotification::run`].
    fn notify(incoming: IncomingNotification<'_, Self>) -> Delivery {
        incoming.ignore()
    }
}
