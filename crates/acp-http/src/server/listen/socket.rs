//! One socket of the listener: TLS, the version of HTTP, and its requests.

use std::net::SocketAddr;
use std::time::Duration;

use acp_rpc::CancellationToken;
use http::Request;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tower_service::Service as _;

use super::timed::Timed;
use crate::server::agent::PeerAddress;
use crate::server::options::Limits;
use crate::server::service::{LocalPort, Server};
#[cfg(feature = "server-tls-no-provider")]
use crate::server::tls::{Acceptor, ClientCertificate};

/// The pings of HTTP/2: the silence before one, and the time for its answer.
const PING: Duration = Duration::from_secs(20);
const PONG: Duration = Duration::from_secs(10);
/// The bytes that a stream of HTTP/2 may send before they are read, and those of a connection.
const STREAM_WINDOW: u32 = 256 * 1024;
const CONNECTION_WINDOW: u32 = 4 * 1024 * 1024;
/// The bytes of a stream of HTTP/2 that wait for the socket. They count as a part of what waits for
/// readers.
const SEND_BUFFER: usize = 64 * 1024;
/// The streams that a socket of HTTP/2 may have beside those of the sessions of one connection.
const MORE_STREAMS: usize = 64;
/// The longest head of a request.
const HEAD: usize = 64 * 1024;
/// The longest time that can be added to the clock of any system.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// The parts of a listener that each socket needs.
#[derive(Clone)]
pub(super) struct Serving {
    pub(super) server: Server,
    pub(super) port: u16,
    pub(super) stop: CancellationToken,
    #[cfg(feature = "server-tls-no-provider")]
    pub(super) tls: Option<Acceptor>,
}

/// The facts about a socket that its requests carry in their extensions.
#[derive(Clone)]
struct Facts {
    address: PeerAddress,
    port: LocalPort,
    #[cfg(feature = "server-tls-no-provider")]
    certificate: Option<ClientCertificate>,
}

impl Serving {
    /// Serves a socket until it ends.
    pub(super) async fn serve(self, stream: TcpStream, address: SocketAddr) {
        // Events are small, and each is awaited.
        let _ = stream.set_nodelay(true);
        let facts = Facts {
            address: PeerAddress(address),
            port: LocalPort(self.port),
            #[cfg(feature = "server-tls-no-provider")]
            certificate: None,
        };
        #[cfg(feature = "server-tls-no-provider")]
        if let Some(tls) = &self.tls {
            let limit = self.server.inner.options.limits.head;
            match tokio::time::timeout(limit, tls.accept(stream)).await {
                Ok(Ok((stream, certificate))) => {
                    self.speak(stream, Facts { certificate, ..facts }).await;
                }
                Ok(Err(error)) => tracing::debug!(%error, "a socket does not begin with TLS"),
                Err(_) => tracing::debug!("a socket took too long to begin with TLS"),
            }
            return;
        }
        self.speak(stream, facts).await;
    }

    /// Speaks HTTP.
    async fn speak<S>(self, stream: S, facts: Facts)
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let Self { server, stop, .. } = self;
        let limits = server.inner.options.limits;
        let service = service_fn(move |mut request: Request<Incoming>| {
            facts.clone().put_into(&mut request);
            server.clone().call(request)
        });
        let io = TokioIo::new(Timed::new(stream, limits.head, limits.write));
        let builder = builder(&limits);
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
}

impl Facts {
    fn put_into(self, request: &mut Request<Incoming>) {
        let extensions = request.extensions_mut();
        extensions.insert(self.address);
        extensions.insert(self.port);
        #[cfg(feature = "server-tls-no-provider")]
        if let Some(certificate) = self.certificate {
            extensions.insert(certificate);
        }
    }
}

fn builder(limits: &Limits) -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(limits.head.min(LONGEST)).max_buf_size(HEAD);
    let streams = u32::try_from(limits.sizes.streams.saturating_add(MORE_STREAMS)).unwrap_or(u32::MAX);
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(PING)
        .keep_alive_timeout(PONG)
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .max_send_buf_size(SEND_BUFFER)
        .max_header_list_size(u32::try_from(HEAD).unwrap_or(u32::MAX))
        .max_concurrent_streams(streams);
    builder
}
