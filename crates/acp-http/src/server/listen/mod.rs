//! A listener for those who have no server of their own: HTTP/1.1 and HTTP/2 on one port.

mod error;
mod socket;
mod timed;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use acp_rpc::CancellationToken;
use tokio::net::{TcpListener, ToSocketAddrs};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio::time::timeout;

pub use self::error::ListenError;
use self::socket::Serving;
use super::access::gate::Hosts;
use super::options::Options;
use super::service::Server;

/// The pause after an error such as too many open files.
const PAUSE: Duration = Duration::from_millis(100);

/// A server that listens. Its drop stops listening, and ends nothing that runs.
#[derive(Debug)]
pub struct Listening {
    server: Server,
    address: SocketAddr,
    stop: CancellationToken,
    accepting: JoinHandle<()>,
    /// A permit for each socket.
    sockets: Arc<Semaphore>,
    most_sockets: u32,
}

impl Server {
    /// Binds an address and serves it. With TLS the client chooses HTTP/2 or HTTP/1.1; without it,
    /// HTTP/2 is spoken to clients that begin with its preface.
    ///
    /// # Errors
    ///
    /// Fails if the address cannot be bound, or the options for TLS are not usable. Fails for an
    /// address beyond this machine unless the options want that: see [`ListenError`].
    pub async fn listen(&self, address: impl ToSocketAddrs) -> Result<Listening, ListenError> {
        self.serve(TcpListener::bind(address).await?)
    }

    /// Serves a listener that is bound already.
    ///
    /// # Errors
    ///
    /// The errors of [`listen`](Self::listen). It needs a tokio runtime.
    pub fn serve(&self, listener: TcpListener) -> Result<Listening, ListenError> {
        let address = listener.local_addr()?;
        check(&self.inner.options, address)?;
        if self.inner.options.authenticator.is_open() {
            tracing::warn!(%address, "nobody authenticates: every program that reaches this address can use the agent");
        }
        let stop = CancellationToken::new();
        #[cfg(feature = "server-tls-no-provider")]
        let tls = match &self.inner.options.tls {
            Some(tls) => Some(tls.acceptor().map_err(ListenError::Tls)?),
            None => None,
        };
        let serving = Serving {
            server: self.clone(),
            port: address.port(),
            stop: stop.clone(),
            #[cfg(feature = "server-tls-no-provider")]
            tls,
        };
        let most_sockets = u32::try_from(self.inner.options.limits.sockets).unwrap_or(u32::MAX);
        let most_sockets = most_sockets.min(u32::try_from(Semaphore::MAX_PERMITS).unwrap_or(u32::MAX));
        let sockets = Arc::new(Semaphore::new(most_sockets as usize));
        let accepting = tokio::spawn(accept(serving, listener, Arc::clone(&sockets)));
        Ok(Listening { server: self.clone(), address, stop, accepting, sockets, most_sockets })
    }
}

impl Listening {
    /// Returns the address that was bound.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Waits for the end of the listener. It only ends with its runtime, or by
    /// [`shutdown`](Self::shutdown).
    pub async fn ended(mut self) {
        let _ = (&mut self.accepting).await;
    }

    /// Ends the server: see [`Server::shutdown`]. New requests are refused meanwhile. Then the
    /// listener and its sockets are closed, once all answers are written. That takes no longer than
    /// the [time of an end](Options::end_time).
    pub async fn shutdown(mut self, finish: Duration) {
        self.server.shutdown(finish).await;
        self.stop.cancel();
        let limit = self.server.inner.options.limits.end;
        let _ = (&mut self.accepting).await;
        let _ = timeout(limit, self.sockets.acquire_many(self.most_sockets)).await;
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// Holds what an address beyond this machine needs.
fn check(options: &Options, address: SocketAddr) -> Result<(), ListenError> {
    if address.ip().to_canonical().is_loopback() {
        return Ok(());
    }
    match options {
        Options { is_insecure: false, .. } if !options.has_tls() => Err(ListenError::Insecure),
        Options { is_open: false, authenticator, .. } if authenticator.is_open() => Err(ListenError::Open),
        Options { hosts: Hosts::Loopback, .. } => Err(ListenError::Hosts),
        _ => Ok(()),
    }
}

async fn accept(serving: Serving, listener: TcpListener, sockets: Arc<Semaphore>) {
    loop {
        let accepted = tokio::select! {
            () = serving.stop.cancelled() => return,
            accepted = async {
                let place = Arc::clone(&sockets).acquire_owned().await;
                (place, listener.accept().await)
            } => accepted,
        };
        match accepted {
            (Ok(place), Ok((stream, address))) => {
                let serving = serving.clone();
                tokio::spawn(async move {
                    serving.serve(stream, address).await;
                    drop(place);
                });
            }
            (Err(_), _) => return,
            (_, Err(error)) => {
                tracing::warn!(%error, "a socket could not be accepted");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}
