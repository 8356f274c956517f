//! The server as a service of HTTP requests.

use std::convert::Infallible;
use std::fmt;
use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use acp_rpc::Transport;
use http::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, WWW_AUTHENTICATE};
use http::request::Parts;
use http::{HeaderValue, Method, Request, Response, StatusCode, Version};
use tokio::time::timeout;
use tower_service::Service;

use super::access::gate::Page;
use super::access::principal::Refusal;
use super::access::ticket::{Bounds, LONGEST, Tickets};
use super::agent::{Caller, Factory, PeerAddress, Remote};
use super::body::Body;
use super::counts::Counts;
use super::http::connection::Connections;
use super::http::post::answered;
use super::http::{get, post};
use super::options::{Options, WriteMetrics};
use super::refusal::Refused;
use super::seats::Seats;

/// The media type of metrics.
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

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
    tickets: Tickets,
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
        let (seats, connections, tickets) = (Seats::new(), Arc::default(), Tickets::default());
        let inner = Inner { options, seats, connections, tickets, factory };
        Self { inner: Arc::new(inner) }
    }

    /// Ends all connections, and waits until their agents have ended. New ones are refused with
    /// status 503 from now on, and so is the question of health.
    ///
    /// A connection without work ends at once. The others have `finish` to answer their requests,
    /// and to end their turns: in version 1 with the answer of the prompt, in version 2 when the
    /// session is idle. Clients are told code 1001, and may connect to another replica.
    pub async fn shutdown(&self, finish: Duration) {
        let seats = &self.inner.seats;
        seats.shut();
        if tokio::time::timeout(finish, seats.empty()).await.is_err() {
            seats.closing.cancel();
            seats.empty().await;
        }
    }
}

impl Server {
    /// Returns numbers of this server, such as for metrics.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.inner.seats.counts()
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
            return if self.seats.is_shut() {
                Refused::CLOSING.response()
            } else {
                plain("text/plain", "ok")
            };
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
        let is_here = self.options.path.as_deref().is_none_or(|path| path == parts.uri.path());
        if !is_here && !self.is_for_tickets(parts) && self.metrics(parts).is_none() {
            return Err(Refused::NO_SUCH_PATH);
        }
        let forwarded = self.options.proxies.hosts(parts, peer(parts));
        let port = parts.extensions.get::<LocalPort>().map(|port| port.0);
        if !self.options.hosts.admit(parts, forwarded, port) {
            return Err(Refused::FOREIGN_HOST);
        }
        match Page::of(&parts.headers, &self.options.origins) {
            Page::Foreign => Err(Refused::FOREIGN_ORIGIN),
            page => Ok(page),
        }
    }

    fn is_for_tickets(&self, parts: &Parts) -> bool {
        self.options.tickets.as_deref() == Some(parts.uri.path())
    }

    /// Returns the writer of metrics, if they are asked for.
    fn metrics(&self, parts: &Parts) -> Option<&WriteMetrics> {
        let (path, write) = self.options.metrics.as_ref()?;
        (path == parts.uri.path()).then_some(write)
    }

    /// Finds out who sends a request. A page may show a ticket for a WebSocket.
    async fn caller(&self, parts: &Parts, is_upgrade: bool) -> Result<Caller, Refused> {
        let granting = self.options.authenticator.grant(parts);
        let granted = timeout(self.options.limits.head, granting).await.unwrap_or(Err(Refusal::Unavailable));
        let grant = match granted {
            Err(Refusal::Unauthorized) if is_upgrade && self.options.tickets.is_some() => {
                self.tickets.redeem(&parts.headers).ok_or(Refusal::Unauthorized)
            }
            granted => granted,
        };
        let grant = grant.map_err(|refusal| match refusal {
            Refusal::Unauthorized => {
                self.seats.unauthorized();
                Refused::UNAUTHORIZED.with(WWW_AUTHENTICATE, self.options.challenge.clone())
            }
            Refusal::Forbidden => Refused::FORBIDDEN,
            Refusal::Unavailable => Refused::UNDECIDED,
        })?;
        let address = peer(parts).map(|peer| self.options.proxies.client(&parts.headers, peer));
        Ok(Caller { grant, address })
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
        #[cfg(feature = "ws")]
        let is_upgrade = super::websocket::upgrade::is_wanted(&parts);
        #[cfg(not(feature = "ws"))]
        let is_upgrade = false;
        if self.options.requires_http2 && parts.version < Version::HTTP_2 && !is_upgrade {
            return Err(Refused::VERSION);
        }
        let caller = self.caller(&parts, is_upgrade).await?;
        if let Some(write) = self.metrics(&parts) {
            return match parts.method {
                Method::GET => Ok(plain(OPEN_METRICS, write(self.seats.counts()))),
                _ => Err(Refused::METHOD.with(ALLOW, HeaderValue::from_static("GET"))),
            };
        }
        if self.is_for_tickets(&parts) {
            return self.ticket(&parts, caller);
        }
        #[cfg(feature = "ws")]
        if is_upgrade {
            let (seats, factory) = (&self.seats, &self.factory);
            return super::websocket::upgrade::accept(parts, &caller, &self.options, seats, factory);
        }
        match parts.method {
            Method::POST => {
                let place = post::Place {
                    options: &self.options,
                    connections: &self.connections,
                    seats: &self.seats,
                    factory: &self.factory,
                };
                post::post(&parts.headers, body, &caller, place).await
            }
            Method::GET => get::open(&parts.headers, &self.connections, &caller.grant),
            Method::DELETE => get::delete(&parts.headers, &self.connections, &caller.grant.principal),
            _ => Err(Refused::METHOD),
        }
    }

    /// Gives a ticket to a page.
    fn ticket(&self, parts: &Parts, caller: Caller) -> Result<Response<Body>, Refused> {
        if parts.method != Method::POST {
            return Err(Refused::METHOD.with(ALLOW, HeaderValue::from_static("POST")));
        }
        let limits = &self.options.limits;
        let bounds = Bounds {
            life: limits.ticket,
            of_principal: limits.connections_per_principal,
            of_all: limits.connections,
        };
        let ticket = self.tickets.issue(caller.grant, &parts.headers, &bounds)?;
        let seconds = limits.ticket.min(LONGEST).as_secs();
        Ok(answered(format!(r#"{{"ticket":"{ticket}","expiresIn":{seconds}}}"#).into_bytes()))
    }
}

/// Returns the address at the other end of the socket, if the server tells it.
fn peer(parts: &Parts) -> Option<SocketAddr> {
    parts.extensions.get::<PeerAddress>().map(|address| address.0)
}

fn plain(media_type: &'static str, text: impl Into<String>) -> Response<Body> {
    let mut response = Response::new(Body::whole(text.into().into_bytes()));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
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
