use std::future::IntoFuture;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use acp_rpc::{Child, Command, Noise, Options, Transport};
use acp_types::method::Method;
use acp_types::v1::methods::Initialize;
use acp_types::v1::{
    Implementation, InitializeRequest, InitializeResponse, ProtocolVersion, SessionNotification,
};

use crate::agent::Connection;
use crate::profile;
use crate::service::{ClientService, Shared};
use crate::{Agent, Client, Error, Handlers, LocalFs, PermissionPolicy};

/// How long `initialize` may take unless told otherwise. Agents that start through a package runner have been seen to
/// need nine seconds.
const INITIALIZE_TIMEOUT: Duration = Duration::from_secs(60);

/// Starts an agent as a child process and connects to it: await the result.
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

/// Connects to an agent over streams of the caller's: await the result.
pub fn connect(transport: Transport) -> Connect {
    Connect::new(Start::Transport(Box::new(transport)))
}

/// A connection about to be made: say what the client serves, then await it.
///
/// Awaiting starts the agent, sends `initialize` and settles the version. It must be awaited within a tokio runtime
/// that has I/O and time enabled, and the connection lives as long as that runtime.
///
/// # Errors
/// [`Error::Start`], [`Error::Version`], [`Error::InitializeTimeout`], or what went wrong with `initialize`. The agent
/// is gone then.
#[derive(Debug)]
#[must_use = "nothing is started until this is awaited"]
pub struct Connect {
    start: Start,
    handlers: Handlers,
    info: Implementation,
    initialize_timeout: Duration,
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
        // Every client is asked for permission, so there is always an answer.
        Arc::new(PermissionPolicy::reject()).register(&mut handlers);
        Self {
            start,
            handlers,
            info: Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION")),
            initialize_timeout: INITIALIZE_TIMEOUT,
            options: Options::default(),
        }
    }

    /// The name and version that the agent is told (`clientInfo`).
    pub fn info(mut self, name: impl Into<String>, version: impl Into<String>) -> Self {
        self.info = Implementation::new(name, version);
        self
    }

    /// Serves what `client` serves. Of several that serve the same method the last one does.
    pub fn client(mut self, client: impl Client) -> Self {
        Arc::new(client).register(&mut self.handlers);
        self
    }

    /// Serves files: the same as [`client`](Self::client).
    pub fn fs(self, files: LocalFs) -> Self {
        self.client(files)
    }

    /// Answers permission requests. Without a policy they are rejected.
    pub fn permissions(self, policy: PermissionPolicy) -> Self {
        self.client(policy)
    }

    /// Sees every `session/update`: see [`Handlers::update`].
    pub fn on_update<F>(mut self, callback: impl Fn(SessionNotification) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        self.handlers.update(&Arc::new(callback), |callback, update| callback(update));
        self
    }

    /// How long the agent may take to answer `initialize`. Default one minute.
    pub const fn initialize_timeout(mut self, timeout: Duration) -> Self {
        self.initialize_timeout = timeout;
        self
    }

    /// The limits of the connection. Lines that are not JSON are always skipped and noted in [`Agent::faults`].
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    async fn establish(self) -> Result<Agent, Error> {
        let (transport, child) = self.start.run()?;
        let request = InitializeRequest::new(ProtocolVersion::LATEST)
            .client_capabilities(profile::capabilities(&self.handlers))
            .client_info(self.info);
        let shared = Arc::new(Shared::default());
        let service = ClientService { handlers: Arc::new(self.handlers), shared: Arc::clone(&shared) };
        let (peer, driver) = acp_rpc::connect(transport, service, self.options.noise(Noise::Skip));
        // From here on the guard closes the connection, also when this future is dropped.
        let connection = Connection::new(peer, driver, child, shared);
        let answer = connection.peer.request(Initialize::NAME, &request);
        let answer: Result<InitializeResponse, _> =
            match tokio::time::timeout(self.initialize_timeout, answer).await {
                Ok(answer) => answer,
                Err(_) => {
                    let stderr = connection.stderr_tail();
                    return Err(Error::InitializeTimeout { waited: self.initialize_timeout, stderr });
                }
            };
        let initialized = answer.map_err(|error| Error::of_call(Initialize::NAME, None, error))?;
        // Rule v1-init-06. Older versions than the first do not exist, newer ones are not spoken here.
        let answered = initialized.protocol_version;
        if answered != ProtocolVersion::LATEST {
            return Err(Error::Version { asked: ProtocolVersion::LATEST, answered });
        }
        Ok(Agent::new(connection, initialized))
    }
}

impl Start {
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
