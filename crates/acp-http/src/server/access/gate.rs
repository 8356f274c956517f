//! The checks against web pages: `Host` and `Origin`.

use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, HOST, ORIGIN, VARY,
};
use http::request::Parts;
use http::uri::Authority;
use http::{HeaderMap, HeaderValue};

/// The headers that a page may send.
const ALLOWED: HeaderValue = HeaderValue::from_static(
    "content-type, accept, authorization, last-event-id, acp-connection-id, acp-session-id",
);
/// The headers that a page may read.
const EXPOSED: HeaderValue = HeaderValue::from_static("acp-connection-id, acp-session-id");
/// The ports that a name without a port may mean, with TLS and without.
const DEFAULT: [u16; 2] = [80, 443];
const METHODS: HeaderValue = HeaderValue::from_static("GET, POST, DELETE");
const MAX_AGE: HeaderValue = HeaderValue::from_static("600");

/// The names that a server has for its clients.
#[derive(Clone, Debug, Default)]
pub(crate) enum Hosts {
    /// Names of this machine, with the port of the listener.
    #[default]
    Loopback,
    /// These, with their port if they state one.
    Listed(Vec<String>),
    /// Any.
    Any,
}

impl Hosts {
    /// Returns true if the request was meant for this server. A page that has its own name lead to
    /// this address shows that name here. `forwarded` are the names that a proxy was asked for: it
    /// may hand on one that the client made up, so each must be right.
    pub(crate) fn admit(&self, parts: &Parts, forwarded: Option<Vec<Authority>>, port: Option<u16>) -> bool {
        let names = forwarded.unwrap_or_else(|| authority(parts).into_iter().collect());
        matches!(self, Self::Any) || (!names.is_empty() && names.iter().all(|name| self.have(name, port)))
    }

    fn have(&self, authority: &Authority, port: Option<u16>) -> bool {
        let host = authority.host();
        match self {
            Self::Any => true,
            Self::Loopback => {
                let is_local =
                    ["localhost", "127.0.0.1", "[::1]"].iter().any(|name| host.eq_ignore_ascii_case(name));
                let is_port = |port| authority.port_u16().map_or(DEFAULT.contains(&port), |it| it == port);
                is_local && port.is_none_or(is_port)
            }
            Self::Listed(hosts) => hosts.iter().any(|listed| {
                listed.eq_ignore_ascii_case(host) || listed.eq_ignore_ascii_case(authority.as_str())
            }),
        }
    }
}

/// HTTP/2 has the name in the address of the request, HTTP/1.1 in a header. If it is in both, they
/// must agree.
fn authority(parts: &Parts) -> Option<Authority> {
    let mut headers = parts.headers.get_all(HOST).iter();
    let header = headers.next();
    if headers.next().is_some() {
        return None;
    }
    let header = match header {
        Some(header) => Some(Authority::try_from(header.as_bytes()).ok()?),
        None => None,
    };
    match (parts.uri.authority(), header) {
        (Some(uri), Some(header)) => (*uri == header).then_some(header),
        (Some(uri), None) => Some(uri.clone()),
        (None, header) => header,
    }
    .filter(|authority| !authority.as_str().contains('@'))
}

/// The origin of the page that sends a request.
pub(crate) enum Page {
    /// It comes from a program.
    None,
    /// The page may use the server.
    Allowed(HeaderValue),
    Foreign,
}

impl Page {
    pub(crate) fn of(headers: &HeaderMap, allowed: &[HeaderValue]) -> Self {
        let mut origins = headers.get_all(ORIGIN).iter();
        match (origins.next(), origins.next()) {
            (None, _) => Self::None,
            (Some(origin), None) if allowed.contains(origin) => Self::Allowed(origin.clone()),
            _ => Self::Foreign,
        }
    }

    /// Lets the page read an answer.
    pub(crate) fn allow(&self, headers: &mut HeaderMap) {
        if let Self::Allowed(origin) = self {
            headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
            headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
            headers.append(VARY, HeaderValue::from_static("origin"));
        }
    }

    /// Answers the question of a browser before a request of the page.
    pub(crate) fn allow_preflight(headers: &mut HeaderMap) {
        headers.insert(ACCESS_CONTROL_ALLOW_METHODS, METHODS);
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, ALLOWED);
        headers.insert(ACCESS_CONTROL_MAX_AGE, MAX_AGE);
    }
}
