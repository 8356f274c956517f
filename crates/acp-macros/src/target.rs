//! What an attribute makes: an agent or a client. Everything that is not the same for both is said here, or in
//! `agent` and `client`.

use crate::generated::operations::{AGENT_OPERATIONS, CLIENT_OPERATIONS};
use crate::operation::{AGENT_HOOKS, Hook, Operation, Side};

/// One of the two attributes.
#[derive(Debug)]
pub(crate) struct Target {
    /// Its name, which is also what its block is: `agent`.
    pub(crate) attribute: &'static str,
    /// The same with its article.
    pub(crate) one: &'static str,
    /// What it stands on.
    pub(crate) block: &'static str,
    /// What is at the other end.
    pub(crate) peer: &'static str,
    /// A type of such a block.
    pub(crate) example: &'static str,
    /// A method of its own, and the marker of that.
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
    /// What a handler has instead of methods that are dealt with by the library.
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
        ("initialize", "`auth_methods` is called during it"),
        ("session/cancel", "`Cancel`, `Turn` and what they await notice it"),
        ("$/cancel_request", "`Cancel`, `Turn` and what they await notice it"),
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
    hooks: &[],
    served: &[("$/cancel_request", "`Cancel` notices it, and so does `Context`")],
};

impl Target {
    /// The operation whose function has this name.
    pub(crate) fn named(&self, name: &str) -> Option<&'static Operation> {
        self.operations.iter().find(|operation| operation.name == name)
    }

    /// The operation that this method asks for.
    pub(crate) fn of_method(&self, method: &str) -> Option<&'static Operation> {
        self.operations.iter().find(|operation| operation.method == method)
    }

    /// Those that are there with the features of this build.
    pub(crate) fn enabled(&self) -> impl Iterator<Item = &'static Operation> {
        self.operations.iter().filter(|operation| operation.is_enabled())
    }

    /// The operations that the same capability stands for.
    pub(crate) fn siblings(&self, operation: &Operation) -> impl Iterator<Item = &'static Operation> {
        let capability = operation.capability;
        self.operations.iter().filter(move |other| capability.is_some() && other.capability == capability)
    }

    /// The hook whose function has this name.
    pub(crate) fn hook(&self, name: &str) -> Option<&'static Hook> {
        self.hooks.iter().find(|hook| hook.name == name)
    }
}
