//! The ways by which an MCP server of a proxy may reach an agent.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The ways by which MCP servers of the type `acp` reach an agent that does not take them.
///
/// Such an agent is told of another server in its place: of a process, the *shim*, which speaks to
/// the conductor, or of an address on this machine. Agents that advertise `mcpCapabilities.acp` get
/// the servers as they are.
///
/// ```no_run
/// use acp_proxy::{Conductor, McpBridge};
///
/// # fn chain() -> std::io::Result<()> {
/// // The program of `Conductor` calls `acp_proxy::shim_main` first.
/// let bridge = McpBridge::new().shim(std::env::current_exe()?);
/// let conductor = Conductor::new().mcp_bridge(bridge);
/// # let _ = conductor;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct McpBridge {
    pub(super) shim: Option<Shim>,
    pub(super) first: Way,
    pub(super) has_http: bool,
    pub(super) stall: Duration,
}

/// The command of a shim.
#[derive(Clone, Debug)]
pub(super) struct Shim {
    pub(super) program: PathBuf,
    pub(super) arguments: Vec<OsString>,
}

/// A way to an MCP server that agents know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Stdio,
    Http,
}

impl McpBridge {
    /// Makes the ways that need nothing: with the feature `mcp-http` that by HTTP, to agents which
    /// advertise `mcpCapabilities.http`.
    #[must_use]
    pub fn new() -> Self {
        Self {
            shim: None,
            first: Way::Stdio,
            has_http: cfg!(feature = "mcp-http"),
            stall: Duration::from_secs(30),
        }
    }

    /// Makes no way. Only agents that take servers of the type `acp` get them.
    #[must_use]
    pub fn off() -> Self {
        Self { has_http: false, ..Self::new() }
    }

    /// Adds the way by stdio, which all agents know. The program is started by the agent, once for
    /// each server of each session, and calls [`shim_main`](crate::shim_main). Its path should be
    /// absolute.
    #[must_use]
    pub fn shim(mut self, program: impl AsRef<Path>) -> Self {
        self.shim = Some(Shim { program: program.as_ref().to_owned(), arguments: Vec::new() });
        self
    }

    /// Adds an argument to the command of the [`shim`](Self::shim).
    #[must_use]
    pub fn shim_argument(mut self, argument: impl AsRef<OsStr>) -> Self {
        if let Some(shim) = &mut self.shim {
            shim.arguments.push(argument.as_ref().to_owned());
        }
        self
    }

    /// Takes HTTP where the agent knows it, and the shim for other agents. Without this the shim is
    /// taken where there is one. HTTP needs no process for each server. The shim needs no port.
    #[must_use]
    pub const fn http_first(mut self) -> Self {
        self.first = Way::Http;
        self
    }

    /// Leaves the way by HTTP out.
    #[must_use]
    pub const fn without_http(mut self) -> Self {
        self.has_http = false;
        self
    }

    /// Sets the time after which the connection of an agent to a server is ended that has more than
    /// the budget to read, and reads nothing. Until then the chain waits for it. Default 30
    /// seconds.
    #[must_use]
    pub const fn stall_timeout(mut self, limit: Duration) -> Self {
        self.stall = limit;
        self
    }

    /// Returns the first way that is there and that the agent knows.
    pub(super) fn way(&self, knows: impl Fn(Way) -> bool) -> Option<Way> {
        let has = |way: &Way| match way {
            Way::Stdio => self.shim.is_some(),
            Way::Http => self.has_http,
        };
        let order = match self.first {
            Way::Stdio => [Way::Stdio, Way::Http],
            Way::Http => [Way::Http, Way::Stdio],
        };
        order.into_iter().filter(has).find(|way| knows(*way))
    }
}

impl Default for McpBridge {
    fn default() -> Self {
        Self::new()
    }
}
