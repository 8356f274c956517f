//! The facts about a method of the protocol, as types and as a table.

use std::fmt;

use acp_json::FromNode;
use serde_core::Serialize;

/// A method or notification. A marker type without values implements it for each.
pub trait Method {
    /// The name on the wire, such as `session/prompt`.
    const NAME: &'static str;
    /// The side that handles it. The other side sends it.
    const HANDLER: Side;
    /// The params.
    type Params: FromNode + Serialize + Send + 'static;
}

/// A method that is answered.
pub trait Request: Method {
    /// The result of the answer.
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
    /// The editor, or another program that drives the agent.
    Client,
    /// Either side.
    Both,
    /// A component between agent and client, in a chain of proxies.
    Proxy,
}

/// The kind of a method: with an answer or without.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// It is answered.
    Request,
    /// It is not answered.
    Notification,
}

/// The name of a method that is not an extension. `Display` continues a sentence that begins with
/// the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NotAnExtension;

impl fmt::Display for NotAnExtension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("must start with `_`: all other names belong to the protocol")
    }
}

impl std::error::Error for NotAnExtension {}

/// Checks the name of an extension method, [which starts with
/// `_`](https://github.com/acp-rs/acp/blob/main/docs/rules/v1.md#v1-ext-05).
///
/// # Errors
/// The name belongs to the protocol.
pub const fn check_extension(method: &str) -> Result<(), NotAnExtension> {
    match method.as_bytes() {
        [b'_', ..] => Ok(()),
        _ => Err(NotAnExtension),
    }
}

/// A row of the table of methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MethodInfo {
    /// The name on the wire.
    pub name: &'static str,
    /// Says if it is answered.
    pub kind: Kind,
    /// The side that handles it.
    pub handler: Side,
    /// The name of the type of its params.
    pub params: &'static str,
    /// The name of the type of its result.
    pub response: Option<&'static str>,
    /// The capability that must have been advertised before it is sent, as a path in the messages
    /// of `initialize`. `None` means that every peer has the method, or that something else
    /// decides: the state of the session, of a tool call or of a terminal, or the place in a chain
    /// of proxies.
    ///
    /// The side that handles the method advertises the capability. There are two exceptions,
    /// messages to the client that depend on a feature of the agent: `auth/status_update` and the
    /// request `mcp/message`.
    pub capability: Option<&'static str>,
}

impl MethodInfo {
    /// Makes a row, in generated code of this crate and of others.
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
