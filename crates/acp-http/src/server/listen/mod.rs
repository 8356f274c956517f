//! A listener for those who have no server of their own: HTTP/1.1 and HTTP/2 on one port.

mod error;
mod timed;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use acp_rpc::CancellationToken;
use http::Request;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use tokio::net::{TcpListener, TcpStream, ToSocketAddrs};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tower_service::Service as _;

pub use self::error::ListenError;
use self::timed::Timed;
use super::access::gate::Hosts;
use super::agent::PeerAddress;
use super::options::Options;
use super::service::{LocalPort, Server};

/// The pings of HTTP/2: the silence before one, and the time for its answer.
const PING: Duration = Duration::from_secs(20);
const PONG: Duration = Duration::from_secs(10);
/// The bytes that a stream of HTTP/2 may send before they are read, and those of a connection.
const STREAM_WINDOW: u32 = 256 * 1024;
const CONNECTION_WINDOW: u32 = 4 * 1024 * 1024;
/// The longest head of a request.
const HEAD: usize = 64 * 1024;
/// The longest time that can be added to the clock of any system.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 60 * 60);
/// The pause after an error such as too many open files.
const PAUSE: Duration = Duration::from_millis(100);

/// A server that listens. Its drop stops listening, and ends nothing that runs.
#[derive(Debug)]
pub struct Listening {
    server: Server,
    address: SocketAddr,
    stop: CancellationToken,
    accepting: JoinHandle<()>,
}

impl Server {
    /// Binds an address and serves it. HTTP/2 is spoken to clients that begin with its preface.
    ///
    /// # Errors
    ///
    /// Fails if the address cannot be bound, or lies beyond this machine while the options do not
    /// say that this is wanted: see [`ListenError`].
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
        let accepting = tokio::spawn(accept(self.clone(), listener, address.port(), stop.clone()));
        Ok(Listening { server: self.clone(), address, stop, accepting })
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

    /// Ends the server: see [`Server::shutdown`]. New requests are refused meanwhile, and then the
    /// listener and its sockets are closed.
    pub async fn shutdown(self, finish: Duration) {
        self.server.shutdown(finish).await;
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
        Options { is_insecure: false, .. } => Err(ListenError::Insecure),
        Options { is_open: false, authenticator, .. } if authenticator.is_open() => Err(ListenError::Open),
        Options { hosts: Hosts::Loopback, .. } => Err(ListenError::Hosts),
        _ => Ok(()),
    }
}

async fn accept(server: Server, listener: TcpListener, port: u16, stop: CancellationToken) {
    let sockets = Arc::new(Semaphore::new(server.inner.options.limits.sockets.min(Semaphore::MAX_PERMITS)));
    loop {
        let accepted = tokio::select! {
            () = stop.cancelled() => return,
            accepted = async {
                let place = Arc::clone(&sockets).acquire_owned().await;
                (place, listener.accept().await)
            } => accepted,
        };
        match accepted {
            (Ok(place), Ok((stream, address))) => {
                let serving = serve(server.clone(), stream, address, port, stop.clone());
                tokio::spawn(async move {
                    serving.await;
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

/// Serves one socket.
async fn serve(server: Server, stream: TcpStream, address: SocketAddr, port: u16, stop: CancellationToken) {
    let limits = server.inner.options.limits;
    // Events are small, and each is awaited.
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(PeerAddress(address));
        request.extensions_mut().insert(LocalPort(port));
        server.clone().call(request)
    });
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(limits.head.min(LONGEST)).max_buf_size(HEAD);
    let streams = u32::try_from(limits.sizes.streams.saturating_add(64)).unwrap_or(u32::MAX);
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(PING)
        .keep_alive_timeout(PONG)
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .max_header_list_size(u32::try_from(HEAD).unwrap_or(u32::MAX))
        .max_concurrent_streams(streams);
    let io = TokioIo::new(Timed::new(stream, limits.head, limits.write));
    let mut connection = std::pin::pin!(builder.serve_connection_with_upgrades(io, service));
    let served = tokio::select! {
        served = connection.as_mut() => served,
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            tokio::time::timeout(limits.end, connection).await.unwrap_or(Ok(()))
        }
    };
    if let Err(error) = served {
        tracing::debug!(%error, "a socket has ended");
    }
}
