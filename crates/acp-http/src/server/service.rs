//! The server as a service of HTTP requests.

use std::convert::Infallible;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use acp_rpc::Transport;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::request::Parts;
use http::{HeaderValue, Method, Request, Response, StatusCode};
use tower_service::Service;

use super::access::gate::Page;
use super::access::principal::Refusal;
use super::agent::{Factory, PeerAddress, Remote};
use super::body::Body;
use super::http::connection::Connections;
use super::http::{get, post};
use super::options::Options;
use super::refusal::Refused;
use super::seats::Seats;

/// The port that the listener has bound, in the extensions of requests.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalPort(pub(crate) u16);

/// Runs an agent for each connection of the network, over WebSocket and streamable HTTP.
///
/// It is a `tower` service of HTTP requests, so it fits axum and any other server on `http` 1.
/// [`listen`](Self::listen) is a server of its own. Clones are one server.
///
/// ```no_run
/// use acp_http::server::{Options, Principal, Server};
/// # use std::future::Ready;
/// # type Agent = fn(acp_rpc::Transport) -> Ready<()>;
/// # async fn run(agent: Agent) -> Result<(), Box<dyn std::error::Error>> {
/// # let token = "";
/// let options = Options::new().token(token, Principal::new("alice"));
/// // `acp_agent::serve(MyAgent, transport)` stands here.
/// let server = Server::new(options, move |transport, _remote| agent(transport));
/// let listening = server.listen("127.0.0.1:8080").await?;
/// listening.ended().await;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Server {
    pub(crate) inner: Arc<Inner>,
}

/// The parts that all clones share.
pub(crate) struct Inner {
    pub(crate) options: Options,
    pub(crate) seats: Arc<Seats>,
    connections: Arc<Connections>,
    factory: Factory,
}

impl Server {
    /// Creates a server. `run` is called for each connection, and runs an agent on its transport.
    ///
    /// The input of the transport ends when the client leaves. The agent then has
    /// [some time](Options::end_time) to end. The future's output is dropped, and a panic in it
    /// ends only its own connection. Each agent has a task of the tokio runtime that polls the
    /// server.
    pub fn new<F, A>(options: Options, run: F) -> Self
    where
        F: Fn(Transport, Remote) -> A + Send + Sync + 'static,
        A: Future + Send + 'static,
    {
        let factory: Factory = Arc::new(move |transport, remote| {
            let agent = run(transport, remote);
            Box::pin(async move { drop(agent.await) })
        });
        let inner = Inner { options, seats: Seats::new(), connections: Arc::default(), factory };
        Self { inner: Arc::new(inner) }
    }

    /// Ends all connections, and waits until their agents have ended. New ones are refused with
    /// status 503 from now on. Those that are there have `finish` to end by themselves.
    pub async fn shutdown(&self, finish: Duration) {
        let seats = &self.inner.seats;
        seats.shut();
        if tokio::time::timeout(finish, seats.empty()).await.is_err() {
            seats.closing.cancel();
            seats.empty().await;
        }
    }
}

impl<B> Service<Request<B>> for Server
where
    B: http_body::Body + Send + 'static,
    B::Data: Send,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let inner = Arc::clone(&self.inner);
        Box::pin(async move { Ok(inner.respond(request).await) })
    }
}

impl Inner {
    async fn respond<B>(&self, request: Request<B>) -> Response<Body>
    where
        B: http_body::Body + Send + 'static,
        B::Data: Send,
    {
        let (parts, body) = request.into_parts();
        let path = parts.uri.path();
        if self.options.health.as_deref() == Some(path) && parts.method == Method::GET {
            return health();
        }
        let page = match self.admit(&parts) {
            Ok(page) => page,
            Err(refused) => return refused.response(),
        };
        let mut response = self.answer(parts, body, &page).await.unwrap_or_else(Refused::response);
        page.allow(response.headers_mut());
        response
    }

    /// Checks everything that does not depend on the sender's name.
    fn admit(&self, parts: &Parts) -> Result<Page, Refused> {
        if self.options.path.as_deref().is_some_and(|path| path != parts.uri.path()) {
            return Err(Refused::NO_SUCH_PATH);
        }
        let port = parts.extensions.get::<LocalPort>().map(|port| port.0);
        if !self.options.hosts.admit(parts, port) {
            return Err(Refused::FOREIGN_HOST);
        }
        match Page::of(&parts.headers, &self.options.origins) {
            Page::Foreign => Err(Refused::FOREIGN_ORIGIN),
            page => Ok(page),
        }
    }

    async fn answer<B>(&self, parts: Parts, body: B, page: &Page) -> Result<Response<Body>, Refused>
    where
        B: http_body::Body + Send + 'static,
        B::Data: Send,
    {
        if parts.method == Method::OPTIONS && matches!(page, Page::Allowed(_)) {
            // A browser asks without credentials.
            return Ok(preflight());
        }
        let principal = self.options.authenticator.principal(&parts).map_err(|refusal| match refusal {
            Refusal::Unauthorized => Refused::UNAUTHORIZED.challenge(self.options.challenge.clone()),
            Refusal::Forbidden => Refused::FORBIDDEN,
        })?;
        let address = parts.extensions.get::<PeerAddress>().map(|address| address.0);
        #[cfg(feature = "ws")]
        if super::websocket::upgrade::is_wanted(&parts) {
            let (seats, factory) = (&self.seats, &self.factory);
            return super::websocket::upgrade::accept(
                parts,
                principal,
                address,
                &self.options,
                seats,
                factory,
            );
        }
        match parts.method {
            Method::POST => {
                let place = post::Place {
                    options: &self.options,
                    connections: &self.connections,
                    seats: &self.seats,
                    factory: &self.factory,
                };
                post::post(&parts.headers, body, (principal, address), place).await
            }
            Method::GET => get::open(&parts.headers, &self.connections, &principal),
            Method::DELETE => get::delete(&parts.headers, &self.connections, &principal),
            _ => Err(Refused::METHOD),
        }
    }
}

fn health() -> Response<Body> {
    let mut response = Response::new(Body::whole(b"ok".to_vec()));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain"));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

fn preflight() -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    Page::allow_preflight(response.headers_mut());
    response
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("options", &self.inner.options).finish_non_exhaustive()
    }
}
