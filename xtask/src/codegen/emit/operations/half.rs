//! The two sides, and where what is known of their operations goes.

use crate::codegen::ir::Side;

/// One of the two sides, and where what is known of its operations goes.
pub(super) struct Half {
    /// The attribute, and what it makes.
    pub(super) attribute: &'static str,
    pub(super) article: &'static str,
    pub(super) side: Side,
    /// The section of the overlay.
    pub(super) section: &'static str,
    /// The name of the table in `acp-macros`.
    pub(super) table: &'static str,
    /// The name of the table of hooks there.
    pub(super) hooks: &'static str,
    /// The prefix of all its capabilities.
    pub(super) capabilities: &'static str,
    pub(super) folder: &'static str,
    /// The rules of the attribute, written by hand around the table of operations.
    pub(super) rules: &'static str,
    /// The type of the capabilities.
    pub(super) advertises: &'static str,
    /// The arguments of operations on an open session.
    pub(super) on_session: &'static str,
}

pub(super) const AGENTS: Half = Half {
    attribute: "agent",
    article: "an",
    side: Side::Agent,
    section: "operations",
    table: "AGENT_OPERATIONS",
    hooks: "AGENT_HOOKS",
    capabilities: "agentCapabilities.",
    folder: "crates/acp-agent/src/generated",
    rules: "crates/acp-agent/src/macro.md",
    advertises: "AgentCapabilities",
    on_session: "[`Session<T>`](crate::Session), [`SessionUpdates`](crate::SessionUpdates), with the feature `mcp` `Mcp`",
};

pub(super) const CLIENTS: Half = Half {
    attribute: "client",
    article: "a",
    side: Side::Client,
    section: "client_operations",
    table: "CLIENT_OPERATIONS",
    hooks: "CLIENT_HOOKS",
    capabilities: "clientCapabilities.",
    folder: "crates/acp-client/src/generated",
    rules: "crates/acp-client/src/macro.md",
    advertises: "ClientCapabilities",
    on_session: "`SessionId`",
};
