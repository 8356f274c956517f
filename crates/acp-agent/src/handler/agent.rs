//! Agents, as the library sees them.

use std::sync::Arc;

use acp_types::Meta;

use crate::facts::profile::Profile;
use crate::handler::scope::Handlers;

/// A program that answers prompts. It registers handlers, and exactly these are served and
/// advertised. `#[agent]` implements it for an impl block, and [`Router`](crate::Router) builds one
/// at run time. It need not be implemented by hand.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an agent",
    label = "not an agent",
    note = "put `#[agent]` on an impl block of `{Self}`, or build a `Router`"
)]
pub trait Agent: Sized + Send + Sync + 'static {
    /// The state of a session: the `T` of `Session<T>`.
    type Session: Send + Sync + 'static;

    /// Returns the facts about this agent that are no handlers. The library asks once for each
    /// connection.
    fn profile(&self) -> Profile;

    /// Registers a handler for every method that this agent serves. The library calls it once for
    /// each connection, before anything is read.
    // The supertraits imply the bounds. `#[agent]` assumes them where they do not hold, so that
    // there is one error.
    fn register(self: Arc<Self>, handlers: &mut Handlers<Self::Session>)
    where
        Self: Send + Sync + 'static;

    /// Returns capabilities that the protocol does not know, by name: the `_meta` of the
    /// `agentCapabilities`. A name starts with a domain of the vendor's, as in `acme.dev/undo`. It
    /// is asked once for each connection.
    fn capability_meta(&self) -> Meta {
        Meta::new()
    }

    /// Returns the store of sessions that are to survive the process. It is asked once for each
    /// connection. With a store the library loads, lists, resumes, closes and deletes sessions: see
    /// [`store`](crate::store).
    #[cfg_attr(not(feature = "store"), doc(hidden))]
    fn store(&self) -> Option<Arc<dyn crate::store::SessionStore>> {
        None
    }

    /// Returns the options for connecting the MCP servers of sessions, if the library is to do it.
    /// It is asked once for each connection. The library then advertises the transports that it
    /// has, and handlers can have an [`Mcp`](crate::Mcp): see [`mcp`](crate::mcp).
    #[cfg(feature = "mcp")]
    fn mcp(&self) -> Option<crate::mcp::Options> {
        None
    }
}
