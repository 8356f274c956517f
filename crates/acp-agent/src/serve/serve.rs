//! Service of an agent over a transport.

use std::fmt;
use std::future::pending;
use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;

use acp_rpc::{CloseReason, Driver, Fault, Options, Peer, Transport};
#[cfg(feature = "v2")]
use acp_types::v1::ProtocolVersion;
use acp_types::v1::ext::TurnLimits;
use tokio::task::JoinHandle;

use crate::error::{Error, OnFault, Result};
use crate::handler::agent::Agent;
use crate::serve::dispatch::Server;
use crate::serve::signal::Signals;
use crate::session::connection::Connection;
use crate::wire::initialize::Spoken;

/// Serves the agent to the client that started this process, over stdin and stdout.
///
/// Returns when the client closes stdin or goes away, and on SIGTERM and SIGINT (Ctrl-C); see
/// [`Serve::stdio`]. Until then stdout belongs to the protocol. On unix, stray prints go to stderr.
///
/// It needs a tokio runtime of either flavour, with I/O and time enabled.
///
/// # Errors
/// Reading stdin or writing stdout fails, or stdio is in use already.
pub async fn serve_stdio<A: Agent>(agent: A) -> Result<()> {
    Serve::new(agent).stdio().await
}

/// Serves the agent to one client, over any transport.
///
/// Returns when the client closes its side. Running turns are cancelled then.
///
/// # Errors
/// The transport fails, for another reason than that the client is gone.
pub async fn serve<A: Agent>(agent: A, transport: Transport) -> Result<()> {
    Serve::new(agent).over(transport).await
}

/// Serves an agent that has several clients at once, and sets the limits of the connection.
///
/// Sessions belong to the connection that they were opened on. Permission requests wait for a
/// person: [`Options::request_timeout`] does not hold for them.
///
/// # Errors
/// The errors of [`serve`].
pub async fn serve_with<A: Agent>(agent: Arc<A>, transport: Transport, options: Options) -> Result<()> {
    Serve::shared(agent).options(options).over(transport).await
}

/// Serves an agent, with more settings than [`serve_stdio`] and [`serve`] have.
///
/// ```no_run
/// # use acp_agent::{Result, Router, Serve};
/// # async fn run(agent: Router<()>) -> Result<()> {
/// Serve::new(agent).on_fault(|fault| eprintln!("{fault}")).stdio().await
/// # }
/// ```
#[must_use = "an agent is served by `stdio` or `over`"]
pub struct Serve<A: Agent> {
    agent: Arc<A>,
    options: Options,
    turn_limits: TurnLimits,
    /// `None` if the agent speaks no version that there is.
    spoken: Option<Spoken>,
    principal: Option<String>,
    on_fault: Option<OnFault>,
    stop: Pin<Box<dyn Future<Output = ()> + Send>>,
}

impl<A: Agent> Serve<A> {
    /// Prepares an agent that has one client.
    pub fn new(agent: A) -> Self {
        Self::shared(Arc::new(agent))
    }

    /// Prepares an agent that serves several clients at once. Sessions belong to the connection
    /// that they were opened on.
    pub fn shared(agent: Arc<A>) -> Self {
        let (options, turn_limits) = (Options::default(), TurnLimits::new());
        let spoken = Some(Spoken::default());
        let stop = Box::pin(pending());
        Serve { agent, options, turn_limits, spoken, principal: None, on_fault: None, stop }
    }

    /// Sets the limits of the connection.
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// Sets the limits of what a turn may use, unless [`Turn::limits`](crate::Turn::limits) sets
    /// others. They are compared with what the agent [spends](crate::Turn::spend) and
    /// [reports](crate::Turn::report_usage). A handler that goes beyond one of them gets
    /// [`Error::LimitReached`], which `?` carries out of it. The answer is then the stop reason
    /// `max_tokens` for a limit of tokens, and an error that names the limit for one of costs.
    /// Prompts of a session that is beyond a limit are answered likewise.
    pub fn turn_limits(mut self, limits: TurnLimits) -> Self {
        self.turn_limits = limits;
        self
    }

    /// Sets the versions of the protocol that the agent speaks. By default these are versions 1 and
    /// 2, and the client chooses. Clients that ask for an older version than all of these get
    /// `-32022`.
    #[cfg(feature = "v2")]
    pub fn versions(mut self, versions: impl IntoIterator<Item = ProtocolVersion>) -> Self {
        self.spoken = Spoken::of(versions);
        self
    }

    /// Sets the principal whose sessions the client may use: the name of somebody whom a server has
    /// authenticated. Stored sessions of others do not exist for it. By default the connection has
    /// the sessions of the store itself, which are those of the principal whose name is empty.
    ///
    /// If the store does not tell principals apart, [`over`](Self::over) fails. A server of
    /// `acp-http` gives the name to the function that makes the agent, as `remote.principal`.
    pub fn principal(mut self, name: impl Into<String>) -> Self {
        self.principal = Some(name.into());
        self
    }

    /// Sets the receiver of faults: of everything that goes wrong without ending the connection,
    /// such as unusable messages, notifications without effect, handlers that panic, results that
    /// cannot be written. It may run on the reader and must not block.
    pub fn on_fault(mut self, on_fault: impl Fn(&Fault<'_>) + Send + Sync + 'static) -> Self {
        self.on_fault = Some(Arc::new(on_fault));
        self
    }

    /// Ends the connection in good order when `stop` is done. Nothing more is read. Running
    /// handlers are cancelled and have [`Options::drain`] to answer. Messages that wait are
    /// written.
    pub fn until(mut self, stop: impl Future<Output = ()> + Send + 'static) -> Self {
        self.stop = Box::pin(stop);
        self
    }

    /// Serves over stdin and stdout.
    ///
    /// On SIGTERM and SIGINT (elsewhere than on unix: Ctrl-C) the connection ends as
    /// [`until`](Self::until) ends it. A second signal ends it on the spot, also while the sessions
    /// are being closed. Records that were not written by then are lost, as when the process is
    /// killed. On unix the second signal also ends a process that is still there a second later,
    /// for instance because a handler blocks the runtime, even if this function has returned.
    /// SIGHUP and SIGQUIT end the process as usual, unless they were ignored on Linux. Every end
    /// gives back the pipes before: they are not left non-blocking to others who have them, too.
    ///
    /// After this call, the first SIGTERM or SIGINT does not end the process by itself any more.
    /// Without the feature `signal`, which is on by default, signals are left alone.
    /// [`over`](Self::over) with [`Transport::stdio`] leaves them alone, too.
    ///
    /// # Errors
    /// The errors of [`serve_stdio`].
    pub async fn stdio(self) -> Result<()> {
        let signals = Signals::listen()?;
        self.run(Transport::stdio()?, signals).await
    }

    /// Serves over any transport.
    ///
    /// # Errors
    /// The errors of [`serve`].
    pub async fn over(self, transport: Transport) -> Result<()> {
        self.run(transport, Signals::none()).await
    }

    async fn run(self, transport: Transport, signals: Signals) -> Result<()> {
        let Serve { agent, mut options, turn_limits, spoken, principal, on_fault, stop } = self;
        let spoken =
            spoken.ok_or_else(|| Error::from("the agent speaks no version of the protocol: name 1 or 2"))?;
        let server = Server::new(&agent, principal.as_deref(), on_fault, &options, turn_limits, spoken)?;
        let connection = Arc::clone(server.connection());
        if let Some(store) = &connection.store {
            let barrier = store.flush_barrier();
            options.flush_barrier = Some(match options.flush_barrier.take() {
                Some(own) => own.and(barrier),
                None => barrier,
            });
        }
        let (peer, driver) = acp_rpc::connect(transport, server, options);
        let mut ending = Ending { signals, begun: false };
        let Some(reason) = ending.drive(&peer, Running::new(driver), stop).await else { return Ok(()) };
        ending.close_sessions(&connection).await;
        match reason {
            // A client that is gone is not a failure of the agent's, whoever notices it first.
            CloseReason::Io(error) if !is_gone(error.kind()) => {
                // Shared, because pending calls have failed with it, too.
                Err(Error::Io(io::Error::new(error.kind(), error)))
            }
            _ => Ok(()),
        }
    }
}

impl<A: Agent> fmt::Debug for Serve<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Serve").field("options", &self.options).finish_non_exhaustive()
    }
}

/// A connection at work in a task of its own, which ends with this.
///
/// Were it a part of the future that the user's `main` waits for, a runtime would look for I/O
/// before each answer, and one with several threads would wake another thread for it.
struct Running(JoinHandle<CloseReason>);

impl Running {
    fn new(driver: Driver) -> Self {
        Self(tokio::spawn(driver))
    }

    /// Waits for the end of the connection.
    async fn over(&mut self) -> CloseReason {
        match (&mut self.0).await {
            Ok(reason) => reason,
            Err(error) => match error.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                // The runtime shuts down.
                Err(_) => CloseReason::Local,
            },
        }
    }

    /// Ends the connection on the spot, and waits until its transport is given back.
    async fn stop(mut self) {
        self.0.abort();
        let _ = (&mut self.0).await;
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// The progress of the end, if one was asked for.
struct Ending {
    signals: Signals,
    begun: bool,
}

impl Ending {
    /// Runs the connection to its end. Returns `None` if a second signal has ended it on the spot.
    async fn drive(
        &mut self,
        peer: &Peer,
        mut running: Running,
        mut stop: Pin<Box<dyn Future<Output = ()> + Send>>,
    ) -> Option<CloseReason> {
        loop {
            tokio::select! {
                biased;
                reason = running.over() => return Some(reason),
                () = self.signals.next() => {
                    if self.begun {
                        running.stop().await;
                        return None;
                    }
                }
                () = &mut stop, if !self.begun => {}
            }
            self.begun = true;
            peer.close();
        }
    }

    /// Closes the sessions, as long as the store takes. A second signal ends that.
    async fn close_sessions<S>(&mut self, connection: &Connection<S>) {
        let mut closing = pin!(connection.close_sessions());
        loop {
            tokio::select! {
                biased;
                () = &mut closing => return,
                () = self.signals.next() => {
                    if std::mem::replace(&mut self.begun, true) {
                        return;
                    }
                }
            }
        }
    }
}

/// Returns whether writing to a pipe or a socket fails like this because nobody reads.
const fn is_gone(kind: io::ErrorKind) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, NotConnected};
    matches!(kind, BrokenPipe | ConnectionReset | ConnectionAborted | NotConnected)
}
