//! What is known about a method of the protocol, as types and as a table.

use acp_json::FromNode;
use serde_core::Serialize;

/// A method or notification. Implemented by markers without values, one for each.
pub trait Method {
    /// The name on the wire, such as `session/prompt`.
    const NAME: &'static str;
    /// Who handles it; the other side sends it.
    const HANDLER: Side;
    /// What it carries.
    type Params: FromNode + Serialize + Send + 'static;
}

/// A method that is answered.
pub trait Request: Method {
    /// The answer.
    type Response: FromNode + Serialize + Send + 'static;
}

/// A message that is not answered.
pub trait Notification: Method {}

/// A side of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Side {
    /// The coding agent.
    Agent,
    /// The editor, or whatever drives the agent.
    Client,
    /// Either.
    Both,
    /// A component between the two, in a chain of proxies.
    Proxy,
}

/// Whether a method is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// It is.
    Request,
    /// It is not.
    Notification,
}

/// A row of the table of methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MethodInfo {
    /// The name on the wire.
    pub name: &'static str,
    /// Whether it is answered.
    pub kind: Kind,
    /// Who handles it.
    pub handler: Side,
    /// The name of the type of its params.
    pub params: &'static str,
    /// The name of the type of its answer.
    pub response: Option<&'static str>,
    /// What must have been advertised before it is sent, as a path in the messages of `initialize`; `None` when
    /// every peer has it, or when something else decides: the state of the session, of a tool call or of a
    /// terminal, or the place in a chain of proxies.
    ///
    /// It is what the handling side advertised. The exceptions are the messages to the client that depend on
    /// what the agent has: `auth/status_update` and the request `mcp/message`.
    pub capability: Option<&'static str>,
}

impl MethodInfo {
    /// A row, in generated code of this crate and of others.
    #[doc(hidden)]
    #[must_use]
    pub const fn new(
        name: &'static str,
        kind: Kind,
        handler: Side,
        params: &'static str,
        response: Option<&'static str>,
        capability: Option<&'static str>,
    ) -> Self {
        Self { name, kind, handler, params, response, capability }
    }
}
