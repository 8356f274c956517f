//! Connections: starting an agent and settling the version.

use std::future::IntoFuture;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use acp_rpc::{CallError, Child, Command, Noise, Options, Transport};
use acp_types::Meta;
use acp_types::v1::{
    AuthCapabilities, Implementation, InitializeRequest, InitializeResponse, SessionNotification,
};

use crate::agent::connection::Connection;
use crate::agent::shared::Shared;
use crate::launch::terminal_login::IN_META;
use crate::serve::capabilities;
use crate::serve::context::Link;
use crate::serve::service::ClientService;
use crate::{
    Agent, Client, Elicitation, Error, Handlers, LocalFs, LocalTerminals, PermissionPolicy, TurnLimits,
};

/// The default limit for `initialize`. Agents that start through a package runner have been seen to
/// need nine seconds.
const INITIALIZE_TIMEOUT: Duration = Duration::from_secs(60);
/// The default time in which an agent must end a cancelled turn. It may have to stop a program and
/// to wait for its model.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(60);

/// Starts an agent as a child process and connects to it. Await the result.
///
/// ```no_run
/// # async fn start() -> Result<(), Box<dyn std::error::Error>> {
/// use acp_client::{Command, LocalFs, PermissionPolicy};
///
/// let cwd = std::env::current_dir()?;
/// let agent = acp_client::spawn(Command::new("my-agent").arg("--acp"))
///     .info("my-editor", "1.0.0")
///     .fs(LocalFs::rooted(&cwd)?)
///     .permissions(PermissionPolicy::allow_once())
///     .await?;
/// let session = agent.new_session(&cwd).await?;
/// # Ok(()) }
/// ```
pub fn spawn(command: Command) -> Connect {
    Connect::new(Start::Process(Box::new(command)))
}

/// Connects to an agent over streams of the caller's. Await the result.
pub fn connect(transport: Transport) -> Connect {
    Connect::new(Start::Transport(Box::new(transport)))
}

/// A connection about to be made. Say what the client serves, then await it.
///
/// Awaiting it starts the agent, sends `initialize` and settles the version. It must be awaited
/// within a tokio runtime that has I/O and time enabled, and the connection lives as long as that
/// runtime.
///
/// # Errors
/// Fails with [`Error::Start`], [`Error::Version`], [`Error::InitializeTimeout`], or the failure of
/// `initialize`. The agent is gone then. With [`Error::ServedTwice`] and [`Error::Incomplete`] it
/// was not started.
#[derive(Debug)]
#[must_use = "nothing is started until this is awaited"]
pub struct Connect {
    start: Start,
    handlers: Handlers,
    info: Implementation,
    initialize_timeout: Duration,
    cancel_timeout: Option<Duration>,
    turn_limits: TurnLimits,
    terminal_logins: bool,
    options: Options,
}

#[derive(Debug)]
enum Start {
    Process(Box<Command>),
    Transport(Box<Transport>),
}

impl Connect {
    fn new(start: Start) -> Self {
        let mut handlers = Handlers::default();
        // Every client may be asked for permission, so there is always an answer.
        Arc::new(PermissionPolicy::reject()).register(&mut handlers);
        Self {
            start,
            handlers,
            info: Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION")),
            initialize_timeout: INITIALIZE_TIMEOUT,
            cancel_timeout: Some(CANCEL_TIMEOUT),
            turn_limits: TurnLimits::new(),
            terminal_logins: false,
            options: Options::default(),
        }
    }

    /// Sets the name and version that the agent is told (`clientInfo`).
    pub fn info(mut self, name: impl Into<String>, version: impl Into<String>) -> Self {
        self.info = Implementation::new(name, version);
        self
    }

    /// Serves what `client` serves: a value whose type has a [`#[client]`](macro@crate::client)
    /// block, a [`Router`](crate::Router), or a ready-made part. Two clients that serve the same
    /// method are an error, [`Error::ServedTwice`]. `session/update` reaches all clients.
    pub fn client(mut self, client: impl Client) -> Self {
        self.handlers.add(client);
        self
    }

    /// Serves files, like [`client`](Self::client).
    pub fn fs(self, files: LocalFs) -> Self {
        self.client(files)
    }

    /// Serves terminals, like [`client`](Self::client).
    pub fn terminals(self, terminals: LocalTerminals) -> Self {
        self.client(terminals)
    }

    /// Answers permission requests. Without a policy they are rejected.
    pub fn permissions(self, policy: PermissionPolicy) -> Self {
        self.client(policy)
    }

    /// Calls `callback` for every `session/update`: see [`Handlers::update`].
    pub fn on_update<F>(mut self, callback: impl Fn(SessionNotification) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        self.handlers.each_update(callback);
        self
    }

    /// Limits the time from the start of the agent to its answer to `initialize`. The default is
    /// one minute: a package runner may have to download the agent first.
    pub const fn initialize_timeout(mut self, timeout: Duration) -> Self {
        self.initialize_timeout = timeout;
        self
    }

    /// Limits the time in which the agent must end a cancelled turn. Then
    /// [`Turn::finish`](crate::Turn::finish) fails with [`Error::CancelTimeout`]. `None` is for
    /// ever. The default is one minute.
    pub fn cancel_timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.cancel_timeout = timeout.into();
        self
    }

    /// Sets the limits of all turns. Without limits a turn may cost anything, and the agent may be
    /// silent for ever. [`Turn::limits`](crate::Turn::limits) sets those of one turn that has begun.
    pub fn turn_limits(mut self, limits: TurnLimits) -> Self {
        self.turn_limits = limits;
        self
    }

    /// Tells the agent that the user has a terminal to log in with, for [`Agent::terminal_login`].
    /// The capability is `auth.terminal`, and `_meta["terminal-auth"]` for older agents. Only an
    /// agent that is started here is told.
    pub const fn terminal_logins(mut self) -> Self {
        self.terminal_logins = true;
        self
    }

    /// Asks the user the agent's questions, like [`client`](Self::client).
    pub fn elicitation(self, elicitation: Elicitation) -> Self {
        self.client(elicitation)
    }

    /// Sets the limits and layers of the connection. Lines that are not JSON are always skipped and
    /// noted in [`Agent::faults`]. [`Options::request_timeout`] does not hold for prompts and
    /// logins, which have no limit, nor for `initialize`, which has its
    /// [own](Self::initialize_timeout).
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    async fn establish(self) -> Result<Agent, Error> {
        let connecting = self.begin()?;
        let initialized = connecting.initialize().await?;
        Ok(connecting.into_agent(initialized))
    }

    /// Starts the agent without sending anything to it yet.
    pub(crate) fn begin(self) -> Result<Connecting, Error> {
        capabilities::check(&self.handlers)?;
        let program = self.start.program();
        let (transport, child) = self.start.run()?;
        let logs_in = self.terminal_logins && program.is_some();
        let capabilities =
            capabilities::capabilities(&self.handlers).auth(AuthCapabilities::new().terminal(logs_in));
        let capabilities =
            if logs_in { capabilities.meta(Meta::new().with(IN_META, true)) } else { capabilities };
        let shared = Arc::new(Shared::new(self.handlers.special.needs_roots));
        let request = InitializeRequest::new(shared.wire.version())
            .client_capabilities(capabilities)
            .client_info(self.info);
        let link = Arc::new(Link::new(Arc::clone(&shared)));
        let service = ClientService { handlers: Arc::new(self.handlers), link: Arc::clone(&link) };
        let (peer, driver) = acp_rpc::connect(transport, service, self.options.noise(Noise::Skip));
        // From here on the guard closes the connection, even if this future is dropped.
        let mut connection = Connection::new(peer, driver, child, shared);
        connection.program = program.map(Mutex::new);
        connection.cancel_timeout = self.cancel_timeout;
        connection.turn_limits = self.turn_limits;
        Ok(Connecting { connection, link, request, timeout: self.initialize_timeout })
    }
}

/// A started agent that has not answered `initialize` yet.
#[derive(Debug)]
pub(crate) struct Connecting {
    connection: Connection,
    link: Arc<Link>,
    request: InitializeRequest,
    timeout: Duration,
}

impl Connecting {
    pub(crate) async fn initialize(&self) -> Result<InitializeResponse, Error> {
        let wire = &self.connection.shared().wire;
        let answer = wire.initialize(&self.connection.peer.timeout(self.timeout), &self.request).await;
        let initialized = answer.map_err(|error| match error {
            CallError::TimedOut { after, .. } => {
                Error::InitializeTimeout { waited: after, stderr: self.connection.stderr_tail() }
            }
            error => wire.failed::<InitializeRequest>(None, error),
        })?;
        wire.check_version(&initialized)?;
        Ok(initialized)
    }

    pub(crate) fn into_agent(self, initialized: InitializeResponse) -> Agent {
        let agent = Agent::new(self.connection, initialized);
        self.link.set_agent(&agent);
        agent
    }

    /// Gives the agent up and waits until it and everything that it started is gone.
    pub(crate) async fn end(self) {
        self.connection.close();
        self.connection.over().await;
    }
}

impl Start {
    fn program(&self) -> Option<Command> {
        match self {
            Self::Transport(_) => None,
            Self::Process(command) => Some(command.without_listener()),
        }
    }

    fn run(self) -> Result<(Transport, Option<Child>), Error> {
        match self {
            Self::Transport(transport) => Ok((*transport, None)),
            Self::Process(command) => {
                let program = command.program().to_string_lossy().into_owned();
                let (transport, child) =
                    Transport::process(*command).map_err(|error| Error::Start { program, error })?;
                Ok((transport, Some(child)))
            }
        }
    }
}

impl IntoFuture for Connect {
    type Output = Result<Agent, Error>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.establish())
    }
}
