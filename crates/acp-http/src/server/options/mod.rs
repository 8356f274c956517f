//! The settings of a server.

mod limits;

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use http::HeaderValue;
use http::request::Parts;

pub(crate) use self::limits::Limits;
use super::access::authenticator::Authenticator;
use super::access::forwarded::Proxies;
use super::access::gate::Hosts;
use super::access::grant::Grant;
use super::access::principal::{Principal, Refusal};
use super::counts::Counts;
use super::policy::Policy;
#[cfg(feature = "server-tls-no-provider")]
use super::tls::Tls;

/// A function of the user that writes metrics.
pub(crate) type WriteMetrics = Arc<dyn Fn(Counts) -> String + Send + Sync>;

/// The settings of a [`Server`](super::Server). Sizes are in bytes.
///
/// Any number works. A time of [`Duration::MAX`](std::time::Duration::MAX) never ends. A limit of 0
/// refuses all, apart from the buffer: 0 counts as 1 there, which is one message at a time.
///
/// By default nobody authenticates, clients must use a name of this machine, and no web page may
/// use the server.
#[derive(Clone)]
pub struct Options {
    pub(crate) path: Option<String>,
    pub(crate) health: Option<String>,
    pub(crate) metrics: Option<(String, WriteMetrics)>,
    pub(crate) hosts: Hosts,
    pub(crate) origins: Vec<HeaderValue>,
    pub(crate) authenticator: Authenticator,
    pub(crate) challenge: HeaderValue,
    pub(crate) replica: Option<String>,
    pub(crate) proxies: Proxies,
    pub(crate) tickets: Option<String>,
    pub(crate) policy: Option<Arc<Policy>>,
    pub(crate) requires_http2: bool,
    #[cfg(feature = "server-tls-no-provider")]
    pub(crate) tls: Option<Tls>,
    pub(crate) is_insecure: bool,
    pub(crate) is_open: bool,
    pub(crate) limits: Limits,
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
            metrics: None,
            hosts: Hosts::default(),
            origins: Vec::new(),
            authenticator: Authenticator::default(),
            challenge: HeaderValue::from_static("Bearer"),
            replica: None,
            proxies: Proxies::default(),
            tickets: None,
            policy: None,
            requires_http2: false,
            #[cfg(feature = "server-tls-no-provider")]
            tls: None,
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

    /// Sets a path that is answered with `ok`, without authentication, and with status 503 while
    /// the server shuts down. Default none.
    #[must_use]
    pub fn health(mut self, path: impl Into<Option<String>>) -> Self {
        self.health = path.into();
        self
    }

    /// Sets a path that is answered with metrics, to everybody who may use the server. `text`
    /// writes them, as the OpenMetrics text format has them, and must not block. Default none.
    #[must_use]
    pub fn metrics(
        mut self,
        path: impl Into<String>,
        text: impl Fn(Counts) -> String + Send + Sync + 'static,
    ) -> Self {
        self.metrics = Some((path.into(), Arc::new(text)));
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

    /// Sets a function that tells who sends a request: a [`Principal`], or a [`Grant`] if that ends
    /// at some time. It is asked for every request that has no [token](Self::token) of this server,
    /// before the body is read, and must not block.
    #[must_use]
    pub fn authorize<G: Into<Grant>>(
        mut self,
        hook: impl Fn(&Parts) -> Result<G, Refusal> + Send + Sync + 'static,
    ) -> Self {
        self.authenticator.set_hook(hook);
        self
    }

    /// Sets a function like that of [`authorize`](Self::authorize), which replaces it, that may
    /// wait, such as for a database. It has the [time of a head](Self::head_time). Then the request
    /// is refused with status 503.
    ///
    /// ```
    /// use acp_http::server::{Options, Principal, Refusal};
    ///
    /// async fn look_up(cookie: String) -> Option<Principal> {
    /// #   drop(cookie);
    ///     // A query of your database.
    /// #   None
    /// }
    ///
    /// let options = Options::new().authorize_async(|parts| {
    ///     let cookie = parts.headers.get("cookie").and_then(|cookie| cookie.to_str().ok());
    ///     let cookie = cookie.map(str::to_owned);
    ///     async move {
    ///         let cookie = cookie.ok_or(Refusal::Unauthorized)?;
    ///         look_up(cookie).await.ok_or(Refusal::Unauthorized)
    ///     }
    /// });
    /// ```
    #[must_use]
    pub fn authorize_async<G, F>(mut self, hook: impl Fn(&Parts) -> F + Send + Sync + 'static) -> Self
    where
        G: Into<Grant>,
        F: Future<Output = Result<G, Refusal>> + Send + 'static,
    {
        self.authenticator.set_async_hook(hook);
        self
    }

    /// Sets the path at which pages of the web get tickets. By default there is none.
    ///
    /// A page cannot send a token with a WebSocket. So it fetches a ticket by a POST with its
    /// token, and the answer is `{"ticket":"…","expiresIn":60}`. It then opens
    /// `new WebSocket(url, ["acp", "acp.ticket." + ticket])`. A ticket is good for one WebSocket of
    /// the same origin, which belongs to the principal that got the ticket.
    #[must_use]
    pub fn tickets(mut self, path: impl Into<String>) -> Self {
        self.tickets = Some(path.into());
        self
    }

    /// Sets the folders and commands that clients may choose. Without a policy the agent decides.
    #[must_use]
    pub fn policy(mut self, policy: Policy) -> Self {
        self.policy = Some(Arc::new(policy));
        self
    }

    /// Refuses requests of HTTP/1.1 with status 505, apart from a WebSocket, which has no other
    /// way, and from the question of health.
    #[must_use]
    pub const fn require_http2(mut self) -> Self {
        self.requires_http2 = true;
        self
    }

    /// Believes the proxies of a network, whose addresses have the first `bits` bits of `address`,
    /// about their clients: `X-Forwarded-For` is the address of the client, and `X-Forwarded-Host`
    /// the name of the server. From all others these headers count for nothing.
    ///
    /// ```
    /// let proxy = std::net::IpAddr::from([10, 0, 0, 0]);
    /// let options = acp_http::server::Options::new().proxy(proxy, 8);
    /// ```
    #[must_use]
    pub fn proxy(mut self, address: IpAddr, bits: u8) -> Self {
        self.proxies.add(address, bits);
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

    /// Lets the listener speak TLS (feature `server-tls`, or `server-tls-no-provider` for another
    /// provider of cryptography).
    #[cfg(feature = "server-tls-no-provider")]
    #[must_use]
    pub fn tls(mut self, tls: Tls) -> Self {
        self.tls = Some(tls);
        self
    }

    /// Lets [`listen`](super::Server::listen) bind an address beyond this machine without TLS.
    /// Tokens and everything else can be read on the way.
    #[must_use]
    pub fn insecure(mut self) -> Self {
        self.is_insecure = true;
        self
    }

    /// Returns true if what goes over the network is encrypted.
    #[cfg(feature = "server-tls-no-provider")]
    pub(crate) const fn has_tls(&self) -> bool {
        self.tls.is_some()
    }

    #[cfg(not(feature = "server-tls-no-provider"))]
    pub(crate) const fn has_tls(&self) -> bool {
        false
    }

    /// Lets [`listen`](super::Server::listen) bind an address beyond this machine without
    /// authentication. Everybody who reaches it can use the agent.
    #[must_use]
    pub fn open(mut self) -> Self {
        self.is_open = true;
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
