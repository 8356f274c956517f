//! The checks of every request: where it comes from, and who sends it.

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};

use hyper::header::{COOKIE, HOST, HeaderName, ORIGIN};
use hyper::{HeaderMap, Method, Request};

use super::secret::Secret;

/// The name of the cookie.
const NAME: &str = "acp_inspect";

/// The checks of every request.
#[derive(Debug)]
pub(super) struct Gate {
    /// The hosts by which a browser may call the server.
    hosts: [String; 2],
    token: Secret,
    is_used: AtomicBool,
    cookie: Secret,
}

impl Gate {
    pub(super) fn new(address: SocketAddr) -> io::Result<Self> {
        let hosts = [address.to_string(), format!("localhost:{}", address.port())];
        let (token, cookie) = (Secret::draw()?, Secret::draw()?);
        Ok(Self { hosts, token, is_used: AtomicBool::new(false), cookie })
    }

    pub(super) fn token(&self) -> &str {
        self.token.text()
    }

    /// Checks that the page itself sends a request: another name in `Host` is a name that a stranger
    /// has pointed here, and another `Origin` is a page of a stranger. The error is for people.
    pub(super) fn check<B>(&self, request: &Request<B>) -> Result<(), &'static str> {
        let headers = request.headers();
        let host = one(headers, &HOST)?.ok_or("the request has no Host")?;
        if !self.hosts.iter().any(|known| known == host) {
            return Err("Host is not the address of this server");
        }
        if request.uri().authority().is_some_and(|authority| authority.as_str() != host) {
            return Err("Host is not that of the address");
        }
        match one(headers, &ORIGIN)? {
            Some(origin) if origin.strip_prefix("http://") == Some(host) => Ok(()),
            Some(_) => Err("Origin is not this page"),
            None if request.method() == Method::POST => Err("the request has no Origin"),
            None => Ok(()),
        }
    }

    /// Takes the token, once, and returns the cookie to set.
    pub(super) fn exchange(&self, token: &str) -> Option<String> {
        let is_first = self.token.is(token) && !self.is_used.swap(true, Ordering::AcqRel);
        is_first.then(|| format!("{NAME}={}; HttpOnly; SameSite=Strict; Path=/", self.cookie.text()))
    }

    /// Returns true if a request has the cookie.
    pub(super) fn knows(&self, headers: &HeaderMap) -> bool {
        let cookies = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut pairs =
            cookies.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
        pairs.any(|(name, value)| name == NAME && self.cookie.is(value))
    }
}

/// Returns the only value of a header. Two of them are an error: others might believe the other one.
fn one<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Result<Option<&'h str>, &'static str> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err("a header is there twice");
    }
    value.to_str().map(Some).map_err(|_| "a header is not text")
}
