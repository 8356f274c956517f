//! The builder of connections to agents of other machines.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use acp_rpc::{Source, Transport};
use http::{HeaderName, HeaderValue};
use reqwest::Url;

use super::authorization::{Authorization, Bearer};
use super::cookies::Cookies;
use super::error::Error;
use super::settings::Settings;
#[cfg(feature = "__tls")]
use super::tls::TlsOptions;

/// Reaches an agent by WebSocket.
///
/// The address is that of the endpoint, such as `wss://agents.example/acp`.
///
/// ```no_run
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let remote = acp_http::ws("wss://agents.example/acp").bearer("my token");
/// let agent = acp_client::connect(remote).info("my-editor", "1.0.0").await?;
/// let session = agent.new_session("/srv/project").await?;
/// let mut turn = session.prompt("What changed today?").await?;
/// while let Some(event) = turn.next().await {
///     println!("{event:?}");
/// }
/// turn.finish().await?;
/// agent.close().await;
/// # Ok(()) }
/// ```
#[cfg(feature = "ws")]
pub fn ws(url: impl Into<String>) -> Remote {
    Remote::new(url.into(), Way::WebSocket)
}

/// Reaches an agent by HTTP with streams of server-sent events, for networks that let no WebSocket
/// through.
///
/// The address is that of the endpoint, such as `https://agents.example/acp`. Each message is a
/// POST. A request whose POST fails gets an error that [`Undelivered`](crate::Undelivered)
/// explains, and the connection goes on. A stream that breaks off is opened again if the server
/// tells that nothing is lost; else the connection ends with an [`Error`].
///
/// The server is asked for nothing until the first message, so an address that does not answer
/// shows itself there.
///
/// ```no_run
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let remote = acp_http::http("https://agents.example/acp").bearer("my token");
/// let agent = acp_client::connect(remote).info("my-editor", "1.0.0").await?;
/// # agent.close().await;
/// # Ok(()) }
/// ```
#[cfg(feature = "sse")]
pub fn http(url: impl Into<String>) -> Remote {
    Remote::new(url.into(), Way::Streams)
}

/// The way to the agent.
#[derive(Clone, Copy)]
enum Way {
    #[cfg(feature = "ws")]
    WebSocket,
    #[cfg(feature = "sse")]
    Streams,
}

/// An agent of another machine, and the way to reach it.
///
/// It is a [`Source`], so `acp_client::connect` takes it.
#[derive(Clone)]
#[must_use = "nothing is sent before it connects"]
pub struct Remote {
    url: String,
    way: Way,
    settings: Settings,
    /// The first problem with the values that it was given.
    problem: Option<&'static str>,
}

impl Remote {
    fn new(url: String, way: Way) -> Self {
        Self { url, way, settings: Settings::default(), problem: None }
    }

    /// Sends a header with each HTTP request. Headers that the protocol uses itself stay as they
    /// are. `Origin` is for browsers, so it is not sent unless it is given here.
    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.settings.headers.append(name, value);
        self
    }

    /// Sends a bearer token with each HTTP request. Tokens that change are for
    /// [`authorization`](Self::authorization).
    pub fn bearer(mut self, token: &str) -> Self {
        match HeaderValue::from_str(&format!("Bearer {token}")) {
            Ok(value) => self.authorization(Bearer(value)),
            Err(_) => {
                self.problem = Some("the bearer token has characters that a header cannot have");
                self
            }
        }
    }

    /// Asks `authorization` for credentials before each HTTP request.
    pub fn authorization(mut self, authorization: impl Authorization) -> Self {
        self.settings.authorization = Some(Arc::new(authorization));
        self
    }

    /// Uses and keeps cookies in `jar`. Without it each connection has a jar of its own. A jar that
    /// outlives a connection leads the next one to the same replica.
    pub fn cookies(mut self, jar: &Cookies) -> Self {
        self.settings.cookies = Some(jar.clone());
        self
    }

    /// Limits the time until the server is reached. The default is 10 seconds.
    pub const fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.settings.connect_timeout = timeout;
        self
    }

    /// Limits the time in which the server answers the upgrade to a WebSocket. The default is 10
    /// seconds.
    #[cfg(feature = "ws")]
    pub const fn answer_timeout(mut self, timeout: Duration) -> Self {
        self.settings.answer_timeout = timeout;
        self
    }

    /// Limits the time in which the server takes a message over HTTP. The default is 90 seconds,
    /// because servers hold messages back while an agent is busy. After it the outcome is unknown.
    #[cfg(feature = "sse")]
    pub const fn post_timeout(mut self, timeout: Duration) -> Self {
        self.settings.post_timeout = timeout;
        self
    }

    /// Speaks HTTP/2 to an `http://` address, of which the server must be known to speak it. The
    /// default is HTTP/1.1, in which each stream needs a socket. It is for
    /// [`http`](crate::http()) only: a WebSocket begins with HTTP/1.1. Over `https://` the two
    /// sides agree on a version.
    #[cfg(feature = "sse")]
    pub const fn h2c(mut self) -> Self {
        self.settings.prior_knowledge = true;
        self
    }

    /// Limits the time in which the server closes after this side has closed. The default is 5
    /// seconds.
    pub const fn close_timeout(mut self, timeout: Duration) -> Self {
        self.settings.close_timeout = timeout;
        self
    }

    /// Sets the time of silence after which a WebSocket is asked for a sign of life; `None` is
    /// never. After two questions without an answer it counts as broken. It is at least 10
    /// milliseconds. The default is 20 seconds. A stream over HTTP cannot be asked: it counts as
    /// broken after three times this silence.
    pub fn ping(mut self, every: impl Into<Option<Duration>>) -> Self {
        self.settings.ping = every.into();
        self
    }

    /// Limits a message of the server, in bytes. The default is 32 MiB.
    pub const fn message_limit(mut self, bytes: usize) -> Self {
        self.settings.message_limit = bytes;
        self
    }

    /// Sets the certificates that are trusted.
    #[cfg(feature = "__tls")]
    pub fn tls(mut self, options: TlsOptions) -> Self {
        self.settings.tls = options;
        self
    }

    /// Connects. It must be awaited within a tokio runtime that has I/O and time enabled.
    ///
    /// # Errors
    ///
    /// Fails if the address cannot be used, or if the server cannot be reached or refuses. Over
    /// HTTP only the first message shows the latter, and the connection ends with the error then.
    pub async fn connect(&self) -> Result<Transport, Error> {
        let url = self.url()?;
        match self.way {
            #[cfg(feature = "ws")]
            Way::WebSocket => super::ws::connect(url, &self.settings).await,
            #[cfg(feature = "sse")]
            Way::Streams => super::streaming::connect(url, &self.settings),
        }
    }

    /// Returns the address, with the scheme of HTTP.
    fn url(&self) -> Result<Url, Error> {
        if let Some(problem) = self.problem {
            return Err(Error::Url { problem });
        }
        let problem = |problem| Error::Url { problem };
        let mut url = Url::parse(&self.url)
            .map_err(|_| problem("it is not a URL, such as `wss://agents.example/acp`"))?;
        let scheme = match url.scheme() {
            "http" | "ws" => "http",
            "https" | "wss" => "https",
            _ => return Err(problem("its scheme must be `http`, `https`, `ws` or `wss`")),
        };
        if !url.username().is_empty() || url.password().is_some() {
            return Err(problem("it has a user name or a password: use `authorization`"));
        }
        // Both are schemes with a host, so the change is possible.
        let _ = url.set_scheme(scheme);
        url.set_fragment(None);
        Ok(url)
    }
}

impl From<Remote> for Source {
    fn from(remote: Remote) -> Self {
        Self::dial(move || {
            let remote = remote.clone();
            Box::pin(async move { remote.connect().await.map_err(io::Error::from) })
        })
    }
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Remote").finish_non_exhaustive()
    }
}
