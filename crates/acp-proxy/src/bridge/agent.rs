//! The ways to MCP servers that the agent of a chain knows.

use super::options::{McpBridge, Way};
use crate::wire::member::{at, with_at};

/// The facts that an agent has told in its answer to `initialize`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Agent {
    is_known: bool,
    /// It takes servers of the type `acp`.
    takes_acp: bool,
    has_stdio: bool,
    has_http: bool,
    pub(super) is_v2: bool,
}

impl Agent {
    pub(super) fn of(result: &str) -> Self {
        let is_v2 = at(result, &["protocolVersion"]) == Some("2");
        let has = |name: &str| {
            let offered = if is_v2 {
                at(result, &["capabilities", "session", "mcp", name])
            } else {
                at(result, &["agentCapabilities", "mcpCapabilities", name])
            };
            offered.is_some_and(|offered| offered != "null" && offered != "false")
        };
        Self {
            is_known: true,
            takes_acp: has("acp"),
            // Every agent of version 1 starts servers.
            has_stdio: !is_v2 || has("stdio"),
            has_http: has("http"),
            is_v2,
        }
    }

    /// Returns the way to take for a server of the type `acp`, if the agent needs one.
    pub(super) fn way(&self, options: &McpBridge) -> Option<Way> {
        if !self.is_known || self.takes_acp {
            return None;
        }
        options.way(|way| match way {
            Way::Stdio => self.has_stdio,
            Way::Http => self.has_http,
        })
    }

    /// Returns the answer to `initialize` of an agent that takes servers of the type `acp`.
    pub(super) fn advertised(&self, result: &str) -> Option<String> {
        if self.is_v2 {
            with_at(result, &["capabilities", "session", "mcp", "acp"], "{}")
        } else {
            with_at(result, &["agentCapabilities", "mcpCapabilities", "acp"], "true")
        }
    }
}
