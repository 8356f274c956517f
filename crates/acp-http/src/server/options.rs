//! The settings of a server.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use http::HeaderValue;
use http::request::Parts;

use super::access::gate::Hosts;
use super::access::principal::{Authenticator, Principal, Refusal};
use crate::wire::routes::Sizes;

/// The settings of a [`Server`](super::Server). Sizes are in bytes.
///
/// Any number works. A time of [`Duration::MAX`] never ends. A limit of 0 refuses all, apart from
/// the buffer: 0 counts as 1 there, which is one message at a time.
///
/// By default nobody authenticates, clients must use a name of this machine, and no web page may
/// use the server.
#[derive(Clone)]
pub struct Options {
    pub(crate) path: Option<String>,
    pub(crate) health: Option<String>,
    pub(crate) hosts: Hosts,
    pub(crate) origins: Vec<HeaderValue>,
    pub(crate) authenticator: Authenticator,
    pub(crate) challenge: HeaderValue,
    pub(crate) replica: Option<String>,
    pub(crate) is_insecure: bool,
    pub(crate) is_open: bool,
    pub(crate) limits: Limits,
}

/// The numbers of a server.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) message: usize,
    pub(crate) sizes: Sizes,
    pub(crate) connections: usize,
    pub(crate) connections_per_principal: usize,
    pub(crate) connections_per_address: usize,
    pub(crate) uninitialized: usize,
    pub(crate) posts: usize,
    pub(crate) sockets: usize,
    pub(crate) initialize: Duration,
    pub(crate) first_stream: Duration,
    pub(crate) idle: Duration,
    pub(crate) end: Duration,
    pub(crate) head: Duration,
    pub(crate) body: Duration,
    pub(crate) write: Duration,
    pub(crate) keep_alive: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        let sizes = Sizes { buffer: 1024 * 1024, streams: 256, unconfirmed: 16, requests: 1024 };
        Self {
            message: 32 * 1024 * 1024,
            sizes,
            connections: 1024,
            connections_per_principal: 64,
            connections_per_address: 16,
            uninitialized: 64,
            posts: 32,
            sockets: 4096,
            initialize: Duration::from_secs(30),
            first_stream: Duration::from_secs(30),
            idle: Duration::from_secs(60),
            end: Duration::from_secs(5),
            head: Duration::from_secs(10),
            body: Duration::from_secs(30),
            write: Duration::from_secs(30),
            keep_alive: Duration::from_secs(15),
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self::new()
    }
}

impl Options {
    /// Creates the default settings.
    #[must_use]
    pub fn new() -> Self {
        Self {
            path: Some("/acp".to_owned()),
            health: None,
            hosts: Hosts::default(),
            origins: Vec::new(),
            authenticator: Authenticator::default(),
            challenge: HeaderValue::from_static("Bearer"),
            replica: None,
            is_insecure: false,
            is_open: false,
            limits: Limits::default(),
        }
    }

    /// Sets the path of the endpoint; all others are answered with 404. `None` serves every path,
    /// for a server that a router stands before. Default `/acp`.
    #[must_use]
    pub fn path(mut self, path: impl Into<Option<String>>) -> Self {
        self.path = path.into();
        self
    }

    /// Sets a path that is answered with `ok`, without authentication. Default none.
    #[must_use]
    pub fn health(mut self, path: impl Into<Option<String>>) -> Self {
        self.health = path.into();
        self
    }

    /// Adds a name that clients may have in `Host`, with or without a port. From then on no other
    /// name is taken. By default these are `localhost`, `127.0.0.1` and `[::1]`, with the port of
    /// the listener.
    ///
    /// A page of the web can have any name lead to this machine. Its requests show that name.
    #[must_use]
    pub fn host(mut self, name: impl Into<String>) -> Self {
        match &mut self.hosts {
            Hosts::Listed(names) => names.push(name.into()),
            Hosts::Loopback | Hosts::Any => self.hosts = Hosts::Listed(vec![name.into()]),
        }
        self
    }

    /// Takes any name in `Host`, for a server behind a proxy that checks it.
    #[must_use]
    pub fn any_host(mut self) -> Self {
        self.hosts = Hosts::Any;
        self
    }

    /// Adds an origin, such as `https://editor.example`, whose pages may use the server. Requests
    /// with another `Origin` are refused. Text that cannot stand in a header is ignored.
    #[must_use]
    pub fn origin(mut self, origin: &str) -> Self {
        self.origins.extend(HeaderValue::from_str(origin));
        self
    }

    /// Adds a bearer token and the principal that it stands for. An empty token is never accepted.
    #[must_use]
    pub fn token(mut self, token: &str, principal: Principal) -> Self {
        if !token.is_empty() {
            self.authenticator.add_token(token, principal);
        }
        self
    }

    /// Sets a function that tells who sends a request. It is asked for every request that has no
    /// [token](Self::token) of this server, before the body is read, and must not block.
    #[must_use]
    pub fn authorize(
        mut self,
        hook: impl Fn(&Parts) -> Result<Principal, Refusal> + Send + Sync + 'static,
    ) -> Self {
        self.authenticator.set_hook(Arc::new(hook));
        self
    }

    /// Names the document that says how to get a token (RFC 9728), for those who have none. An
    /// address that cannot stand in a header is ignored.
    #[must_use]
    pub fn resource_metadata(mut self, url: &str) -> Self {
        let value = HeaderValue::from_str(&format!("Bearer resource_metadata=\"{url}\""));
        if let Some(value) = value.ok().filter(|_| !url.contains(['"', '\\'])) {
            self.challenge = value;
        }
        self
    }

    /// Sets a name that ids of connections begin with, `NAME.`, so that a load balancer can find
    /// the replica. Characters other than letters, digits, `-` and `_` are left out. Default none.
    #[must_use]
    pub fn replica(mut self, name: &str) -> Self {
        let name: String =
            name.chars().filter(|char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_')).collect();
        self.replica = Some(name).filter(|name| !name.is_empty());
        self
    }

    /// Lets [`listen`](super::Server::listen) bind an address beyond this machine without TLS.
    /// Tokens and everything else can be read on the way.
    #[must_use]
    pub fn insecure(mut self) -> Self {
        self.is_insecure = true;
        self
    }

    /// Lets [`listen`](super::Server::listen) bind an address beyond this machine without
    /// authentication. Everybody who reaches it can use the agent.
    #[must_use]
    pub fn open(mut self) -> Self {
        self.is_open = true;
        self
    }

    /// Sets the longest message of a client. Default 32 MiB.
    #[must_use]
    pub const fn message(mut self, bytes: usize) -> Self {
        self.limits.message = bytes;
        self
    }

    /// Sets how many bytes of a connection may wait for readers of its streams. At this number the
    /// agent waits. One message more may be there. Default 1 MiB.
    #[must_use]
    pub const fn buffer(mut self, bytes: usize) -> Self {
        self.limits.sizes.buffer = bytes;
        self
    }

    /// Sets the most streams of sessions of a connection. Messages of sessions beyond it come on
    /// the connection's stream. Default 256.
    #[must_use]
    pub const fn streams(mut self, count: usize) -> Self {
        self.limits.sizes.streams = count;
        self
    }

    /// Sets the most streams of a connection that are open for sessions the agent has not named
    /// yet. Default 16.
    #[must_use]
    pub const fn unconfirmed(mut self, count: usize) -> Self {
        self.limits.sizes.unconfirmed = count;
        self
    }

    /// Sets the most requests of a client, by HTTP, that are not answered yet. Default 1,024.
    #[must_use]
    pub const fn requests(mut self, count: usize) -> Self {
        self.limits.sizes.requests = count;
        self
    }

    /// Sets the most messages of a connection, by HTTP, that are on their way to the agent. Their
    /// bodies may have twice the size of the longest [`message`](Self::message). Default 32.
    #[must_use]
    pub const fn posts(mut self, count: usize) -> Self {
        self.limits.posts = count;
        self
    }

    /// Sets the most connections, which is the most agents. Default 1,024.
    #[must_use]
    pub const fn connections(mut self, count: usize) -> Self {
        self.limits.connections = count;
        self
    }

    /// Sets the most connections of one principal. Default 64.
    #[must_use]
    pub const fn connections_per_principal(mut self, count: usize) -> Self {
        self.limits.connections_per_principal = count;
        self
    }

    /// Sets the most connections from one address. Default 16.
    #[must_use]
    pub const fn connections_per_address(mut self, count: usize) -> Self {
        self.limits.connections_per_address = count;
        self
    }

    /// Sets the most connections that are not initialized yet. Default 64.
    #[must_use]
    pub const fn uninitialized(mut self, count: usize) -> Self {
        self.limits.uninitialized = count;
        self
    }

    /// Sets the most sockets that the listener has open. Default 4,096.
    #[must_use]
    pub const fn sockets(mut self, count: usize) -> Self {
        self.limits.sockets = count;
        self
    }

    /// Sets the time for the answer to `initialize`. Default 30 seconds.
    #[must_use]
    pub const fn initialize_time(mut self, time: Duration) -> Self {
        self.limits.initialize = time;
        self
    }

    /// Sets the time in which a client must open a first stream or send something. Default 30
    /// seconds.
    #[must_use]
    pub const fn first_stream_time(mut self, time: Duration) -> Self {
        self.limits.first_stream = time;
        self
    }

    /// Sets the time for which a connection may have no stream open and no message on its way. Then
    /// its agent is ended. Default 60 seconds.
    #[must_use]
    pub const fn idle_time(mut self, time: Duration) -> Self {
        self.limits.idle = time;
        self
    }

    /// Sets the time that an agent has to end after its input has ended. Then it is aborted.
    /// Default 5 seconds.
    #[must_use]
    pub const fn end_time(mut self, time: Duration) -> Self {
        self.limits.end = time;
        self
    }

    /// Sets the time for the head of a request, with the listener. Default 10 seconds.
    #[must_use]
    pub const fn head_time(mut self, time: Duration) -> Self {
        self.limits.head = time;
        self
    }

    /// Sets the time for the body of a request. Default 30 seconds.
    #[must_use]
    pub const fn body_time(mut self, time: Duration) -> Self {
        self.limits.body = time;
        self
    }

    /// Sets the time for which a socket of the listener may take no bytes. Then it is closed.
    /// Default 30 seconds.
    #[must_use]
    pub const fn write_time(mut self, time: Duration) -> Self {
        self.limits.write = time;
        self
    }

    /// Sets the silence after which a stream gets a comment, and a WebSocket a ping. A WebSocket
    /// that does not answer two of them is dead. Default 15 seconds.
    #[must_use]
    pub const fn keep_alive(mut self, time: Duration) -> Self {
        self.limits.keep_alive = time;
        self
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Options");
        shown.field("path", &self.path).field("hosts", &self.hosts).field("origins", &self.origins);
        shown
            .field("authenticator", &self.authenticator)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}
