//! The conductor: the builder of a chain, and its supervisor.

mod alone;
mod error;
mod supervisor;

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use acp_rpc::lines::LineOptions;
use acp_rpc::{Fault, Tap, Transport};

pub use self::error::ConductError;
use crate::bridge::McpBridge;
use crate::chain::{Component, Kind, Planned, Policy, Settings, Slot};
use crate::proxy::{OnFault, Proxy};
use crate::wire::spelling::Spelling;

/// A chain of proxies in front of an agent. To the client it is an agent; to each proxy it is the
/// client and the agent.
///
/// Its components are started by the first `initialize`. A conductor without an agent is a proxy
/// itself: another conductor starts it with `proxy/initialize`, and the successor of its last proxy
/// is its own.
///
/// ```no_run
/// use acp_proxy::{Command, Conductor, Policy, Proxy};
///
/// # async fn conduct() -> Result<(), acp_proxy::ConductError> {
/// Conductor::new()
///     .proxy(Proxy::new("mine"))
///     .process(Command::new("their-proxy").arg("--flag"), Policy::Restart(3))
///     .agent(Command::new("agent"))
///     .serve_stdio()
///     .await
/// # }
/// ```
pub struct Conductor {
    planned: Vec<Member>,
    agent: Option<(Option<String>, Component)>,
    /// The agent is the component that was added last.
    agent_is_last: bool,
    taps: Option<Taps>,
    settings: Settings,
}

/// Makes an observer for the connection to a component, or to the client.
type Taps = Box<dyn Fn(Option<&str>) -> Tap + Send + Sync>;

/// A proxy that a chain is to have.
enum Member {
    Local(Proxy),
    Process { name: Option<String>, component: Component, policy: Policy, spelling: Spelling },
}

impl Default for Conductor {
    fn default() -> Self {
        Self::new()
    }
}

impl Conductor {
    /// Makes an empty chain.
    #[must_use]
    pub fn new() -> Self {
        let lines = LineOptions::default();
        let budget = lines.outgoing_budget;
        let settings = Settings {
            drain: lines.drain,
            lines,
            budget,
            front_tap: None,
            ceiling: 8 * budget,
            restart_timeout: Duration::from_secs(60),
            highest_version: 2,
            bridge: McpBridge::new(),
            takes_older: false,
            on_fault: Arc::new(|_| {}),
        };
        Self { planned: Vec::new(), agent: None, agent_is_last: false, taps: None, settings }
    }

    /// Adds a proxy of this process, next to the agent so far. Messages get to it without being
    /// written and read.
    #[must_use]
    pub fn proxy(mut self, proxy: Proxy) -> Self {
        self.settings.takes_older |= proxy.takes_older_spellings();
        self.planned.push(Member::Local(proxy));
        self.agent_is_last = false;
        self
    }

    /// Adds a proxy with a connection of its own: a command, a transport, or a source of
    /// transports. A proxy that may be started again needs a command or a source that is reusable.
    #[must_use]
    pub fn process(mut self, proxy: impl Into<Component>, policy: Policy) -> Self {
        let (name, component, spelling) = (None, proxy.into(), Spelling::Current);
        self.planned.push(Member::Process { name, component, policy, spelling });
        self.agent_is_last = false;
        self
    }

    /// Sets the agent at the end of the chain.
    #[must_use]
    pub fn agent(mut self, agent: impl Into<Component>) -> Self {
        self.agent = Some((None, agent.into()));
        self.agent_is_last = true;
        self
    }

    /// Names the component that was added last. Errors name it so. Without it the name is that of
    /// its program. A proxy of this process has its own name.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        match (self.agent_is_last, &mut self.agent, self.planned.last_mut()) {
            (true, Some((agent, _)), _) => *agent = Some(name.into()),
            (false, _, Some(Member::Process { name: old, .. })) => *old = Some(name.into()),
            _ => {}
        }
        self
    }

    /// Sets the spelling in which the proxy is initialized that was added last, if it has a
    /// connection. Another than the current one also takes all [older
    /// spellings](Self::older_spellings).
    #[must_use]
    pub fn spelling(mut self, spelling: Spelling) -> Self {
        if let (false, Some(Member::Process { spelling: old, .. })) =
            (self.agent_is_last, self.planned.last_mut())
        {
            *old = spelling;
            self.settings.takes_older |= spelling != Spelling::Current;
        }
        self
    }

    /// Takes the messages of proxies and of a conductor also in older [spellings](Spelling), and
    /// answers each in the spelling that it uses. Clients and agents cannot send messages of these
    /// names then.
    #[must_use]
    pub const fn older_spellings(mut self) -> Self {
        self.settings.takes_older = true;
        self
    }

    /// Sets the most bytes that may wait for each component and for the client. Over that, whoever
    /// sends more waits. For a proxy whose own messages cannot leave it is eight times as much.
    /// Default 1 MiB.
    #[must_use]
    pub const fn budget(mut self, bytes: usize) -> Self {
        self.settings.budget = bytes;
        self.settings.ceiling = bytes.saturating_mul(8);
        self.settings.lines.outgoing_budget = bytes;
        self
    }

    /// Sets the longest line that is read. A longer one is skipped, and answered by its id if one
    /// can be found. Default 64 MiB.
    #[must_use]
    pub const fn max_line(mut self, bytes: usize) -> Self {
        self.settings.lines.max_line = bytes;
        self
    }

    /// Sets the time to wait at the end for something to happen: for answers after the client has
    /// closed its side or a component has ended, for output to leave. While messages still leave,
    /// answers are waited for up to 60 times as long, and 10 times as long for a component that
    /// takes no messages of a client that has closed its side. Default 1 second.
    #[must_use]
    pub const fn drain(mut self, drain: Duration) -> Self {
        self.settings.drain = drain;
        self.settings.lines.drain = drain;
        self
    }

    /// Sets the time that a component has to start, and that a proxy has to initialize when it is
    /// started again. Default 60 seconds.
    #[must_use]
    pub const fn restart_timeout(mut self, limit: Duration) -> Self {
        self.settings.restart_timeout = limit;
        self
    }

    /// Sets the highest version that this conductor asks for. A client that asks for a higher one
    /// is taken to ask for this. Default 2.
    #[must_use]
    pub const fn highest_version(mut self, version: u64) -> Self {
        self.settings.highest_version = version;
        self
    }

    /// Sets the ways by which MCP servers of proxies and of the client reach an agent that takes
    /// none of the type `acp`. Default [`McpBridge::new`].
    #[must_use]
    pub fn mcp_bridge(mut self, bridge: McpBridge) -> Self {
        self.settings.bridge = bridge;
        self
    }

    /// Sets the observer of the lines on all connections.
    #[must_use]
    pub fn tap(mut self, tap: Tap) -> Self {
        self.settings.lines.tap = Some(tap);
        self
    }

    /// Sets an observer for each connection, beside that of [`tap`](Self::tap). The function gets
    /// the name of the component, or `None` for the connection to the client. It is called when the
    /// chain is served: for the client, and then for each component with a connection, in the order
    /// of the chain.
    #[must_use]
    pub fn taps(mut self, taps: impl Fn(Option<&str>) -> Tap + Send + Sync + 'static) -> Self {
        self.taps = Some(Box::new(taps));
        self
    }

    /// Calls a function with each problem that did not end the chain. It runs on readers, so it
    /// must not block.
    #[must_use]
    pub fn on_fault(mut self, report: impl Fn(Fault<'_>) + Send + Sync + 'static) -> Self {
        self.settings.on_fault = Arc::new(report) as OnFault;
        self
    }

    /// Serves the client at the other end of a transport, until it goes or the chain fails. All
    /// processes have ended then. If the future is dropped, they are ended, too.
    ///
    /// # Errors
    /// A component that the chain needs has failed after the chain was initialized, or the
    /// connection to the client has. Failures before that are the answer to `initialize`.
    pub async fn serve(self, transport: Transport) -> Result<(), ConductError> {
        let Self { planned, agent, mut settings, taps, .. } = self;
        let budget = settings.budget;
        let tap = |name: Option<&str>| taps.as_ref().map(|taps| taps(name));
        settings.front_tap = tap(None);
        let slot = |kind, name: Option<String>, component: Component, policy| {
            let name = name.unwrap_or_else(|| component.default_name(kind));
            let tap = tap(Some(&*name));
            Slot::new(kind, name, policy, component, budget).tapped(tap)
        };
        let planned = planned.into_iter().map(|member| match member {
            Member::Local(proxy) => Planned::Local(proxy),
            Member::Process { name, component, policy, spelling } => {
                let slot = slot(Kind::Proxy, name, component, policy).spelled(spelling);
                Planned::Process(Box::new(slot))
            }
        });
        let planned: Vec<Planned> = planned.collect();
        let agent = agent.map(|(name, agent)| slot(Kind::Agent, name, agent, Policy::Required));
        supervisor::run(planned, agent, settings, transport).await
    }

    /// Serves the client on stdin and stdout.
    ///
    /// # Errors
    /// As [`serve`](Self::serve), or stdio cannot be used.
    pub async fn serve_stdio(self) -> Result<(), ConductError> {
        let stdio = Transport::stdio().map_err(|error: io::Error| ConductError::Client(error.into()))?;
        self.serve(stdio).await
    }
}

impl fmt::Debug for Conductor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Conductor")
            .field("proxies", &self.planned.len())
            .field("has_agent", &self.agent.is_some())
            .finish_non_exhaustive()
    }
}
