//! The target of an attribute: an agent or a client. All differences between the two are here, or
//! in `agent` and `client`.

use crate::generated::operations::{AGENT_HOOKS, AGENT_OPERATIONS, CLIENT_HOOKS, CLIENT_OPERATIONS};
use crate::operation::{Hook, Operation, Side};

/// One of the two attributes.
#[derive(Debug)]
pub(crate) struct Target {
    /// Its name, which is also the noun for its block: `agent`.
    pub(crate) attribute: &'static str,
    /// The name with its article.
    pub(crate) one: &'static str,
    /// The name of a block under the attribute.
    pub(crate) block: &'static str,
    /// The noun for the other end.
    pub(crate) peer: &'static str,
    /// The name of an example type of such a block.
    pub(crate) example: &'static str,
    /// An example of a method for `#[on]`, and its marker.
    pub(crate) method: (&'static str, &'static str),
    /// The library as a path, unless it was renamed.
    pub(crate) library: &'static str,
    /// The library as a package, whose features are switched on.
    pub(crate) package: &'static str,
    pub(crate) side: Side,
    /// The arguments of the attribute.
    pub(crate) keys: &'static [&'static str],
    pub(crate) operations: &'static [Operation],
    pub(crate) hooks: &'static [Hook],
    /// The methods that the library answers itself, and what to use instead.
    pub(crate) served: &'static [(&'static str, &'static str)],
}

pub(crate) const AGENT: Target = Target {
    attribute: "agent",
    one: "an agent",
    block: "an `#[agent]` block",
    peer: "client",
    example: "MyAgent",
    method: ("session/fork", "SessionFork"),
    library: "acp_agent",
    package: "acp-agent",
    side: Side::Agent,
    keys: &[
        "name",
        "title",
        "version",
        "prompt",
        "mcp",
        "auth",
        "additional_directories",
        "meta",
        "store",
        "crate",
    ],
    operations: AGENT_OPERATIONS,
    hooks: AGENT_HOOKS,
    served: &[
        ("initialize", "the function `auth_methods` lists the ways to log in"),
        ("session/cancel", "handlers notice it by the arguments `Turn` and `Cancel`"),
        ("$/cancel_request", "handlers notice it by the arguments `Turn` and `Cancel`"),
    ],
};

pub(crate) const CLIENT: Target = Target {
    attribute: "client",
    one: "a client",
    block: "a `#[client]` block",
    peer: "agent",
    example: "MyEditor",
    method: ("fs/read_text_file", "FsReadTextFile"),
    library: "acp_client",
    package: "acp-client",
    side: Side::Client,
    keys: &["crate"],
    operations: CLIENT_OPERATIONS,
    hooks: CLIENT_HOOKS,
    served: &[("$/cancel_request", "handlers notice it by the arguments `Cancel` and `Context`")],
};

impl Target {
    /// Returns the operation whose function has this name.
    pub(crate) fn named(&self, name: &str) -> Option<&'static Operation> {
        self.operations.iter().find(|operation| operation.name == name)
    }

    /// Returns the other one of the two.
    pub(crate) fn other(&self) -> &'static Target {
        if self.side == Side::Agent { &CLIENT } else { &AGENT }
    }

    /// Returns the operation of this method.
    pub(crate) fn of_method(&self, method: &str) -> Option<&'static Operation> {
        self.operations.iter().find(|operation| operation.method == method)
    }

    /// Returns the operations that the features of this build have.
    pub(crate) fn enabled(&self) -> impl Iterator<Item = &'static Operation> {
        self.operations.iter().filter(|operation| operation.is_enabled())
    }

    /// Returns the operations that share this capability.
    pub(crate) fn siblings(&self, operation: &Operation) -> impl Iterator<Item = &'static Operation> {
        let capability = operation.capability;
        self.operations.iter().filter(move |other| capability.is_some() && other.capability == capability)
    }

    /// Returns the hook whose function has this name.
    pub(crate) fn hook(&self, name: &str) -> Option<&'static Hook> {
        self.hooks.iter().find(|hook| hook.name == name)
    }
}
