//! An agent that has not answered `initialize` yet.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use acp_rpc::{CallError, Options};
use acp_types::v1::{InitializeRequest, ProtocolVersion};

#[cfg(feature = "v2")]
use super::known_versions::Known;
use super::start::{Start, Started};
use crate::agent::connection::Connection;
use crate::agent::shared::Shared;
use crate::serve::context::Link;
use crate::serve::service::ClientService;
use crate::wire::Wire;
use crate::wire::initialize::Meaning;
use crate::wire::initialized::Initialized;
use crate::{Agent, Error, Handlers, TurnLimits};

/// The parts of a connection that outlast a start of the agent.
#[derive(Debug)]
pub(super) struct Opening {
    /// Locked because a command may have a callback, which cannot be shared.
    pub(super) start: Mutex<Start>,
    pub(super) handlers: Arc<Handlers>,
    pub(super) options: Options,
    pub(super) cancel_timeout: Option<Duration>,
    pub(super) turn_limits: TurnLimits,
    #[cfg(feature = "v2")]
    pub(super) known: Known,
}

/// A started agent that has not answered `initialize` yet.
pub(crate) struct Connecting {
    pub(super) opening: Opening,
    connection: Connection,
    link: Arc<Link>,
    pub(super) request: InitializeRequest,
    timeout: Duration,
    versions: Vec<Wire>,
}

impl Opening {
    /// Returns true if the agent can be started again.
    pub(super) fn is_reopenable(&self) -> bool {
        self.start.lock().unwrap_or_else(PoisonError::into_inner).is_reopenable()
    }

    /// Starts the agent. With `again` it can be started again.
    async fn open(&mut self, again: bool) -> Result<(Connection, Arc<Link>), Error> {
        let start = self.start.get_mut().unwrap_or_else(PoisonError::into_inner);
        let Started { transport, child, program } = start.run(again).await?;
        let shared = Arc::new(Shared::new(self.handlers.special.needs_roots));
        let link = Arc::new(Link::new(Arc::clone(&shared)));
        let service = ClientService { handlers: Arc::clone(&self.handlers), link: Arc::clone(&link) };
        let (peer, driver) = acp_rpc::connect(transport, service, self.options.clone());
        // From here on the guard closes the connection, even if it is dropped.
        let mut connection = Connection::new(peer, driver, child, shared);
        connection.program = program.map(Mutex::new);
        connection.cancel_timeout = self.cancel_timeout;
        connection.turn_limits = self.turn_limits.clone();
        Ok((connection, link))
    }
}

impl Connecting {
    pub(super) async fn begin(
        mut opening: Opening,
        request: InitializeRequest,
        timeout: Duration,
        versions: Vec<Wire>,
    ) -> Result<Self, Error> {
        // Only a choice of versions can need a second start.
        let (connection, link) = opening.open(versions.len() > 1).await?;
        Ok(Self { opening, connection, link, request, timeout, versions })
    }

    /// Settles the version, and learns the capabilities of the agent.
    pub(crate) async fn initialize(&mut self) -> Result<Initialized, Error> {
        let mut wire = self.first_asked();
        let mut asked = Vec::new();
        loop {
            asked.push(wire);
            let meaning = match self.ask(wire).await {
                // Some agents end after a request that they refuse.
                Err(Error::Closed { .. }) if asked.len() > 1 && self.opening.is_reopenable() => {
                    self.open_again().await?;
                    self.ask(wire).await?
                }
                meaning => meaning?,
            };
            match meaning {
                Meaning::Speaks { wire, initialized, note } => {
                    return Ok(self.settle(wire, *initialized, note));
                }
                #[cfg(feature = "v2")]
                Meaning::FallsBack { initialized, note } => {
                    self.note(note);
                    return self.fall_back(*initialized).await;
                }
                // An agent that sends the client back and forth speaks neither.
                Meaning::Asks(other) if asked.contains(&other) => {
                    let supported = vec![other.version()];
                    return Err(Error::NoCommonVersion { spoken: self.spoken(), supported, error: None });
                }
                Meaning::Asks(other) => wire = other,
            }
        }
    }

    /// Returns the version to ask for first: the one that the agent is known to speak, or the
    /// preferred one.
    fn first_asked(&self) -> Wire {
        #[cfg(feature = "v2")]
        if let Some(known) = self.opening.known.version()
            && let Some(wire) = self.versions.iter().find(|wire| wire.version() == known)
        {
            return *wire;
        }
        self.versions.first().copied().unwrap_or_default()
    }

    /// Ends the agent and starts it once more.
    pub(super) async fn open_again(&mut self) -> Result<(), Error> {
        self.connection.close();
        self.connection.over().await;
        let faults = self.connection.shared().faults.all();
        (self.connection, self.link) = self.opening.open(false).await?;
        faults.into_iter().for_each(|fault| self.note(Some(fault)));
        Ok(())
    }

    /// Asks the agent for a version.
    pub(super) async fn ask(&self, wire: Wire) -> Result<Meaning, Error> {
        let peer = self.connection.peer.timeout(self.timeout);
        let meaning = wire.initialize(&peer, &self.request, &self.versions).await;
        meaning.map_err(|error| match error {
            Error::Call { error: CallError::TimedOut { after, .. }, .. } => {
                let (stderr, noise) = (self.connection.stderr_tail(), self.noise());
                Error::InitializeTimeout { waited: after, stderr, noise }
            }
            error => error,
        })
    }

    /// Adds to the end of a program that it has written other things than messages.
    pub(crate) fn explained(&self, error: Error) -> Error {
        match (error, self.noise()) {
            (Error::Closed { reason, .. }, noise) if noise > 0 => Error::NotAnAgent { noise, reason },
            (error, _) => error,
        }
    }

    fn noise(&self) -> u64 {
        self.connection.shared().faults.noise()
    }

    pub(super) fn settle(&self, wire: Wire, initialized: Initialized, note: Option<String>) -> Initialized {
        let shared = self.connection.shared();
        shared.settle(wire, &self.versions);
        shared.report(wire.lost_in(&self.request.client_capabilities), None);
        #[cfg(feature = "v2")]
        self.opening.known.write(wire.version());
        self.note(note);
        initialized
    }

    pub(super) fn note(&self, note: Option<String>) {
        note.into_iter().for_each(|note| self.connection.shared().faults.note(note));
    }

    pub(super) fn spoken(&self) -> Vec<ProtocolVersion> {
        self.versions.iter().map(|wire| wire.version()).collect()
    }

    pub(crate) fn into_agent(self, initialized: Initialized) -> Agent {
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

impl fmt::Debug for Connecting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connecting").field("connection", &self.connection).finish_non_exhaustive()
    }
}
