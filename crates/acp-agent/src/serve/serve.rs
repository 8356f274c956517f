//! Serving an agent to a client.

use std::fmt;
use std::future::pending;
use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;

use acp_rpc::{CloseReason, Driver, Fault, Options, Peer, Transport};

use crate::error::{Error, OnFault, Result};
use crate::handler::agent::Agent;
use crate::serve::dispatch::Server;
use crate::serve::signal::Signals;
use crate::session::connection::Connection;

/// Serves the agent to the client that started this process, over stdin and stdout.
///
/// Returns when the client closes stdin or goes away, and on SIGTERM and SIGINT (Ctrl-C); see [`Serve::stdio`].
/// Until then stdout belongs to the protocol: stray prints are led to stderr on unix.
///
/// Needs a tokio runtime with I/O and time enabled, of either flavour.
///
/// # Errors
/// Reading stdin or writing stdout fails, or stdio is in use already.
pub async fn serve_stdio<A: Agent>(agent: A) -> Result<()> {
    Serve::new(agent).stdio().await
}

/// Serves the agent to one client, over any transport.
///
/// Returns when the client closes its side. Turns that still run then are cancelled.
///
/// # Errors
/// The transport fails, for other reasons than that the client is gone.
pub async fn serve<A: Agent>(agent: A, transport: Transport) -> Result<()> {
    Serve::new(agent).over(transport).await
}

/// Like [`serve`], for an agent that serves several clients at once, and with limits of one's own.
///
/// Sessions belong to the connection they were opened on. Permission requests wait for a person:
/// [`Options::request_timeout`] does not hold for them.
///
/// # Errors
/// Those of [`serve`].
pub async fn serve_with<A: Agent>(agent: Arc<A>, transport: Transport, options: Options) -> Result<()> {
    Serve::shared(agent).options(options).over(transport).await
}

/// How an agent is served, in more detail than [`serve_stdio`] and [`serve`] have it.
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
    on_fault: Option<OnFault>,
    stop: Pin<Box<dyn Future<Output = ()> + Send>>,
}

impl<A: Agent> Serve<A> {
    /// For an agent that has one client.
    pub fn new(agent: A) -> Self {
        Self::shared(Arc::new(agent))
    }

    /// For an agent that serves several clients at once. Sessions belong to the connection they were opened on.
    pub fn shared(agent: Arc<A>) -> Self {
        Serve { agent, options: Options::default(), on_fault: None, stop: Box::pin(pending()) }
    }

    /// The limits of the connection.
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// What is told of everything that goes wrong without ending the connection: unusable messages, notifications
    /// without effect, handlers that panic, results that cannot be written. It may run on the reader and must not block.
    pub fn on_fault(mut self, on_fault: impl Fn(&Fault<'_>) + Send + Sync + 'static) -> Self {
        self.on_fault = Some(Arc::new(on_fault));
        self
    }

    /// Ends the connection in good order when `stop` is done: nothing more is read, what runs is cancelled and has
    /// [`Options::drain`] to answer, and what waits to be written is written.
    pub fn until(mut self, stop: impl Future<Output = ()> + Send + 'static) -> Self {
        self.stop = Box::pin(stop);
        self
    }

    /// Serves over stdin and stdout.
    ///
    /// On SIGTERM and SIGINT (elsewhere than on unix: Ctrl-C) the connection ends as [`until`](Self::until) ends it;
    /// a second signal ends it on the spot, also while the sessions are being closed: what was not written of them by
    /// then is lost, as when the process is killed. On unix a process that is still there a second later, because a handler
    /// blocks the runtime, say, is ended by that second signal, also when this function has returned. SIGHUP and SIGQUIT end the process as they always do, unless they were ignored on Linux, but give back the
    /// pipes before, as every end does: they are not left non-blocking to others who have them, too.
    ///
    /// Once this was called, the first SIGTERM or SIGINT does not end the process by itself any more. Without the feature
    /// `signal`, which is on by default, signals are left alone; so they are by [`over`](Self::over) with
    /// [`Transport::stdio`].
    ///
    /// # Errors
    /// Those of [`serve_stdio`].
    pub async fn stdio(self) -> Result<()> {
        let signals = Signals::listen()?;
        self.run(Transport::stdio()?, signals).await
    }

    /// Serves over any transport.
    ///
    /// # Errors
    /// Those of [`serve`].
    pub async fn over(self, transport: Transport) -> Result<()> {
        self.run(transport, Signals::none()).await
    }

    async fn run(self, transport: Transport, signals: Signals) -> Result<()> {
        let Serve { agent, mut options, on_fault, stop } = self;
        let server = Server::new(agent, on_fault, &options);
        let connection = Arc::clone(server.connection());
        if let Some(keeper) = &connection.keeper {
            let barrier = keeper.flush_barrier();
            options.flush_barrier = Some(match options.flush_barrier.take() {
                Some(own) => own.and(barrier),
                None => barrier,
            });
        }
        let (peer, driver) = acp_rpc::connect(transport, server, options);
        let mut ending = Ending { signals, begun: false };
        let Some(reason) = ending.drive(&peer, driver, stop).await else { return Ok(()) };
        ending.close_sessions(&connection).await;
        match reason {
            // A client that is gone is no failure of the agent's, whoever notices it first.
            CloseReason::Io(error) if !is_gone(error.kind()) => {
                // Shared, because pending calls have failed with it too.
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

/// How far the end has come that was asked for, if one was.
struct Ending {
    signals: Signals,
    begun: bool,
}

impl Ending {
    /// Runs the connection to its end; `None` when a second signal has ended it on the spot.
    async fn drive(
        &mut self,
        peer: &Peer,
        mut driver: Driver,
        mut stop: Pin<Box<dyn Future<Output = ()> + Send>>,
    ) -> Option<CloseReason> {
        loop {
            tokio::select! {
                biased;
                reason = &mut driver => return Some(reason),
                () = self.signals.next() => {
                    if self.begun {
                        return None;
                    }
                }
                () = &mut stop, if !self.begun => {}
            }
            self.begun = true;
            peer.close();
        }
    }

    /// Closes the sessions, which takes what the store takes, unless a second signal ends that.
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

/// What writing to a pipe or a socket says when nobody is there to read.
const fn is_gone(kind: io::ErrorKind) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, NotConnected};
    matches!(kind, BrokenPipe | ConnectionReset | ConnectionAborted | NotConnected)
}
