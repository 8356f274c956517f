//! Connections: starting an agent and settling the version.

pub(crate) mod connecting;
#[cfg(feature = "v2")]
mod fallback;
#[cfg(feature = "v2")]
pub(crate) mod known_versions;
mod start;

use std::future::IntoFuture;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use acp_rpc::layer::Layer;
use acp_rpc::{Command, Noise, Options, Service, Source};
use acp_types::Meta;
use acp_types::v1::{
    AuthCapabilities, Implementation, InitializeRequest, ProtocolVersion, SessionNotification,
};

use self::connecting::{Connecting, Opening};
#[cfg(feature = "v2")]
use self::known_versions::{Known, KnownVersions};
use self::start::Start;
use crate::launch::terminal_login::IN_META;
use crate::serve::capabilities;
use crate::wire::Wire;
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
    Connect::new(Start::Process(Some(Box::new(command))))
}

/// Connects to an agent over streams of the caller's, or over the network. Await the result.
///
/// A [`Transport`](crate::Transport) is a source, and so are the addresses of the crate `acp-http`.
/// [`Source::dial`] is for other ways.
pub fn connect(source: impl Into<Source>) -> Connect {
    Connect::new(Start::Source(source.into()))
}

/// A connection about to be made. Say what the client serves, then await it.
///
/// Awaiting it starts the agent, sends `initialize` and settles the version. It must be awaited
/// within a tokio runtime that has I/O and time enabled, and the connection lives as long as that
/// runtime.
///
/// # Errors
/// Fails with [`Error::Start`], [`Error::Connect`], [`Error::Version`],
/// [`Error::InitializeTimeout`], [`Error::NotAnAgent`], or the failure of `initialize`. The agent
/// is gone then. With [`Error::ServedTwice`] and [`Error::Incomplete`] it was not started.
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
    capability_meta: Meta,
    options: Options,
    /// The versions to speak, the preferred one first.
    versions: Vec<ProtocolVersion>,
    #[cfg(feature = "v2")]
    known: Known,
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
            capability_meta: Meta::new(),
            options: Options::default(),
            versions: vec![ProtocolVersion::V1],
            #[cfg(feature = "v2")]
            known: Known::default(),
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
    /// silent for ever. [`Turn::limits`](crate::Turn::limits) sets those of one turn that has
    /// begun.
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

    /// Adds data of extensions to the capabilities that the agent is told: `_meta` of
    /// `clientCapabilities`, and in version 2 of `capabilities`. Agents look there for extensions
    /// that the client serves.
    ///
    /// ```no_run
    /// # async fn start(command: acp_client::Command) -> Result<(), acp_client::Error> {
    /// let meta = acp_client::Meta::new().with("example.com/undo", true);
    /// let agent = acp_client::spawn(command).capability_meta(meta).await?;
    /// # Ok(()) }
    /// ```
    pub fn capability_meta(mut self, meta: Meta) -> Self {
        self.capability_meta = meta;
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

    /// Adds a [layer](crate::layer) for messages of the agent, inside of those that
    /// [`options`](Self::options) has.
    pub fn layer_in<L>(mut self, layer: L) -> Self
    where
        L: Layer<Arc<dyn Service>> + Send + Sync + 'static,
        L::Service: Service,
    {
        self.options = self.options.layer_in(layer);
        self
    }

    /// Sets the versions of the protocol to speak, the preferred one first. The default is version
    /// 1 alone. Version 2 is a draft.
    ///
    /// The agent is asked for the first of them. If it speaks only another one, that one is spoken.
    /// An agent of version 1 that was asked for version 2 has not seen the files and terminals that
    /// are served here, because version 2 has none. So it is started again; one that was not
    /// started here is asked again. [`Agent::faults`] tells what was done.
    ///
    /// ```no_run
    /// # async fn start(command: acp_client::Command) -> Result<(), acp_client::Error> {
    /// use acp_client::ProtocolVersion;
    ///
    /// let versions = [ProtocolVersion::V2, ProtocolVersion::V1];
    /// let agent = acp_client::spawn(command).versions(versions).await?;
    /// println!("version {}", agent.protocol_version().0);
    /// # Ok(()) }
    /// ```
    ///
    /// The connection fails with [`Error::Argument`] if the list is empty, or has a version that is
    /// not spoken here. Nothing is started then.
    #[cfg(feature = "v2")]
    pub fn versions(mut self, versions: impl IntoIterator<Item = ProtocolVersion>) -> Self {
        self.versions = versions.into_iter().collect();
        self
    }

    /// Looks the version of the agent up in `known` before it is asked, and writes it down there
    /// afterwards. An agent has the name of its command with all arguments, unless
    /// [`known_as`](Self::known_as) gives it another. One that is not started here has none.
    #[cfg(feature = "v2")]
    pub fn known_versions(mut self, known: &KnownVersions) -> Self {
        self.known.versions = Some(known.clone());
        self
    }

    /// Sets the name of the agent among the [`known_versions`](Self::known_versions), such as its
    /// id and release in a registry. Another release may speak another version, so give it another
    /// name.
    #[cfg(feature = "v2")]
    pub fn known_as(mut self, agent: impl Into<String>) -> Self {
        self.known.agent = Some(agent.into());
        self
    }

    async fn establish(self) -> Result<Agent, Error> {
        let mut connecting = self.begin().await?;
        match connecting.initialize().await {
            Ok(initialized) => Ok(connecting.into_agent(initialized)),
            Err(error) => Err(connecting.explained(error)),
        }
    }

    /// Starts the agent without sending anything to it yet.
    pub(crate) async fn begin(self) -> Result<Connecting, Error> {
        capabilities::check(&self.handlers)?;
        let versions = Wire::of_versions(&self.versions)?;
        let logs_in = self.terminal_logins && self.start.is_process();
        let capabilities =
            capabilities::capabilities(&self.handlers).auth(AuthCapabilities::new().terminal(logs_in));
        let meta = self.capability_meta;
        let meta = if logs_in { meta.with(IN_META, true) } else { meta };
        let capabilities = if meta == Meta::new() { capabilities } else { capabilities.meta(meta) };
        #[cfg(feature = "v2")]
        let known = self.known.of(|| self.start.name());
        // Each version writes its own number.
        let request = InitializeRequest::new(Wire::V1.version())
            .client_capabilities(capabilities)
            .client_info(self.info);
        let opening = Opening {
            start: Mutex::new(self.start),
            handlers: Arc::new(self.handlers),
            options: self.options.noise(Noise::Skip),
            cancel_timeout: self.cancel_timeout,
            turn_limits: self.turn_limits,
            #[cfg(feature = "v2")]
            known,
        };
        Connecting::begin(opening, request, self.initialize_timeout, versions).await
    }
}

impl IntoFuture for Connect {
    type Output = Result<Agent, Error>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.establish())
    }
}
