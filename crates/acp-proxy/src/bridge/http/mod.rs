//! MCP servers over Streamable HTTP, on the loopback device: for agents of either era of MCP.

mod body;
mod connections;
mod gate;
mod get;
mod headers;
mod post;
mod sessions;

use std::convert::Infallible;
use std::io;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::header::{CONNECTION, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use self::body::Body;
use self::connections::{Connection, Connections};
use self::gate::Gate;
use self::sessions::Sessions;
use super::shared::Shared;

/// The time in which the head of a request has to come, also that of the next one on a connection.
/// Clients keep connections for up to 90 seconds.
const HEAD_TIME: Duration = Duration::from_secs(100);
/// The pause after an error such as too many open files.
const PAUSE: Duration = Duration::from_millis(100);

/// A listener that is bound.
pub(super) struct Listener {
    inner: TcpListener,
    /// The beginning of the addresses of all servers.
    pub(super) origin: String,
    port: u16,
}

/// The parts that all connections use.
struct Server {
    shared: Arc<Shared>,
    sessions: Sessions,
    gate: Gate,
    connections: Arc<Connections>,
}

impl Listener {
    /// Binds a port of the loopback device.
    pub(super) fn bind() -> io::Result<Self> {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let port = listener.local_addr()?.port();
        Ok(Self { inner: TcpListener::from_std(listener)?, origin: format!("http://127.0.0.1:{port}"), port })
    }

    /// Serves clients until the chain has ended.
    pub(super) async fn run(self, shared: Arc<Shared>) {
        let closed = shared.bounds.closed.clone();
        let drain = shared.bounds.drain;
        let (sessions, connections) = (Sessions::default(), Arc::default());
        let gate = Gate { port: self.port };
        let server = Arc::new(Server { shared, sessions, gate, connections });
        let mut tasks = JoinSet::new();
        loop {
            tokio::select! {
                biased;
                () = closed.cancelled() => break,
                Some(_) = tasks.join_next(), if !tasks.is_empty() => {}
                accepted = self.inner.accept() => match accepted {
                    Ok((stream, _)) => {
                        tasks.spawn(serve(stream, Arc::clone(&server)));
                    }
                    Err(_) => tokio::time::sleep(PAUSE).await,
                },
            }
        }
        drop(self.inner);
        server.sessions.end();
        let all = async { while tasks.join_next().await.is_some() {} };
        // Those that are not done by then are dropped, and their connections with them.
        let _ = tokio::time::timeout(drain, all).await;
    }
}

async fn serve(stream: TcpStream, server: Arc<Server>) {
    let closed = server.shared.bounds.closed.clone();
    let own = Arc::new(server.connections.add());
    let of_requests = Arc::clone(&own);
    let service = service_fn(move |request| {
        let (server, own) = (Arc::clone(&server), Arc::clone(&of_requests));
        async move { Ok::<_, Infallible>(server.answer(request, &own).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    tokio::select! {
        biased;
        _ = connection.as_mut() => return,
        () = own.expelled() => return,
        () = closed.cancelled() => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}

impl Server {
    async fn answer(&self, request: Request<Incoming>, connection: &Connection) -> Response<Body> {
        let (parts, body) = request.into_parts();
        let offer = match self.gate.admitted(&parts, &self.shared.offers) {
            Ok(offer) => offer,
            Err(status) => return last(status),
        };
        if !connection.admit() {
            return last(StatusCode::SERVICE_UNAVAILABLE);
        }
        match parts.method {
            Method::POST => self.post(&parts, body, &offer).await,
            Method::GET => self.get(&parts, &offer),
            Method::DELETE => self.delete(&parts, &offer),
            _ => plain(StatusCode::METHOD_NOT_ALLOWED),
        }
    }
}

/// Makes an answer without a body, after which the connection ends.
fn last(status: StatusCode) -> Response<Body> {
    let mut response = plain(status);
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    response
}

/// Makes an answer without a body.
fn plain(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}
