//! The network of a server, and the addresses that may be fetched on its behalf.

use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::{BoxFuture, FutureExt as _};
use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::address::Kind;
use crate::error::AuthorizationError;

/// The variables that name proxies. A proxy resolves the names of requests, and its own name is
/// resolved here.
const PROXIES: [&str; 6] =
    ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];

type Lookup = Arc<dyn Fn(String) -> BoxFuture<'static, io::Result<Vec<SocketAddr>>> + Send + Sync>;

/// The network of one MCP server, as far as its name was resolved.
///
/// The metadata of a server may name any address of the Internet. It may name addresses of this
/// machine or of a private network only if the server itself is there. An attacker who controls the
/// name of a server controls its addresses, and can change them from one look-up to the next. So
/// after a single public address, the server counts as a server of the Internet for good.
pub(crate) struct Reach {
    host: String,
    /// The address of the server, if its URL has one instead of a name.
    literal: Option<IpAddr>,
    is_https: bool,
    seen: Mutex<Vec<Kind>>,
    proxies: Vec<String>,
    lookup: Lookup,
}

impl Reach {
    pub(crate) fn of(url: &Url) -> Self {
        let lookup: Lookup =
            Arc::new(|host| async move { Ok(tokio::net::lookup_host((host, 0)).await?.collect()) }.boxed());
        Self::with_lookup(url, lookup)
    }

    fn with_lookup(url: &Url, lookup: Lookup) -> Self {
        let literal = literal(url);
        let proxies = PROXIES.iter().filter_map(|name| proxy_host(&std::env::var(name).ok()?));
        Self {
            host: normal(url.host_str().unwrap_or_default()),
            literal,
            is_https: url.scheme() == "https",
            seen: Mutex::new(literal.map(Kind::of).into_iter().collect()),
            proxies: proxies.collect(),
            lookup,
        }
    }

    async fn resolved(&self, host: &str) -> io::Result<Vec<SocketAddr>> {
        let addresses = (self.lookup)(host.to_owned()).await?;
        if host == self.host {
            let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            for kind in addresses.iter().map(|address| Kind::of(address.ip())) {
                if !seen.contains(&kind) {
                    seen.push(kind);
                }
            }
        }
        Ok(addresses)
    }

    fn allows(&self, host: &str, address: IpAddr) -> bool {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        match Kind::of(address) {
            Kind::Public => true,
            _ if seen.contains(&Kind::Public) => false,
            // The user has configured the server itself.
            _ if host == self.host => true,
            kind @ (Kind::Private | Kind::Loopback) => seen.contains(&kind),
            Kind::Other => false,
        }
    }

    /// Returns the addresses of a host that may be fetched from.
    async fn allowed(&self, host: &str) -> io::Result<Result<Vec<SocketAddr>, AuthorizationError>> {
        let mut addresses = self.resolved(host).await?;
        let is_nowhere = addresses.is_empty();
        addresses.retain(|address| self.allows(host, address.ip()));
        if addresses.is_empty() && !is_nowhere {
            return Ok(Err(AuthorizationError::Address { host: host.to_owned() }));
        }
        Ok(Ok(addresses))
    }

    fn is_proxy(&self, host: &str) -> bool {
        self.proxies.iter().any(|proxy| proxy == host)
    }
}

/// Shows no names.
impl fmt::Debug for Reach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reach").finish_non_exhaustive()
    }
}

/// Resolves names for the exchanges with the server itself, and notes its network.
pub(crate) struct Noting(pub(crate) Arc<Reach>);

impl Resolve for Noting {
    fn resolve(&self, name: Name) -> Resolving {
        let reach = Arc::clone(&self.0);
        async move {
            let addresses = reach.resolved(&normal(name.as_str())).await?;
            Ok(Box::new(addresses.into_iter()) as Addrs)
        }
        .boxed()
    }
}

/// Allows only the exchanges that a server may cause.
pub(super) struct AddressFilter {
    reach: Arc<Reach>,
    refused: Mutex<Option<AuthorizationError>>,
}

impl AddressFilter {
    pub(super) fn new(reach: Arc<Reach>) -> Arc<Self> {
        Arc::new(Self { reach, refused: Mutex::default() })
    }

    /// Takes the reason of the last refusal. The errors of the libraries in between do not carry
    /// it.
    pub(super) fn refused(&self) -> Option<AuthorizationError> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn refuse(&self, error: AuthorizationError) -> AuthorizationError {
        *self.refused.lock().unwrap_or_else(PoisonError::into_inner) = Some(error.clone());
        error
    }

    /// Checks a URL before its name is resolved.
    pub(super) async fn check(&self, url: &Url) -> Result<(), AuthorizationError> {
        let reach = &self.reach;
        if reach.is_https && url.scheme() != "https" {
            // The addresses in the metadata have been checked already, so this is the metadata
            // itself.
            return Err(self.refuse(AuthorizationError::Insecure { endpoint: "issuer" }));
        }
        let host = normal(url.host_str().unwrap_or_default());
        match literal(url) {
            Some(address) if reach.literal != Some(address) && !reach.allows(&host, address) => {
                Err(self.refuse(AuthorizationError::Address { host }))
            }
            // The name of a proxy is resolved without a check, so the check is made here.
            None if reach.is_proxy(&host) => match reach.allowed(&host).await {
                Ok(Err(error)) => Err(self.refuse(error)),
                _ => Ok(()),
            },
            _ => Ok(()),
        }
    }
}

/// Resolves names to the addresses that are allowed. The checked addresses are the ones that are
/// used, so a later look-up changes nothing.
pub(super) struct FilteredResolver(pub(super) Arc<AddressFilter>);

impl Resolve for FilteredResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let filter = Arc::clone(&self.0);
        async move {
            let (host, reach) = (normal(name.as_str()), &filter.reach);
            let addresses = if reach.is_proxy(&host) {
                reach.resolved(&host).await?
            } else {
                reach.allowed(&host).await?.map_err(|error| filter.refuse(error))?
            };
            Ok(Box::new(addresses.into_iter()) as Addrs)
        }
        .boxed()
    }
}

/// Returns the address of a URL that has one instead of a name.
fn literal(url: &Url) -> Option<IpAddr> {
    url.host_str()?.trim_matches(['[', ']']).parse().ok()
}

fn normal(host: &str) -> String {
    host.trim_end_matches('.').to_ascii_lowercase()
}

fn proxy_host(proxy: &str) -> Option<String> {
    let url = if proxy.contains("://") { proxy.parse::<Url>() } else { format!("http://{proxy}").parse() };
    url.ok()?.host_str().map(normal)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::net::TcpListener;

    use super::*;
    use crate::http::client::Clients;
    use crate::http::oauth::exchange::Exchanges;

    /// Returns the reach of a server at `url`. Each look-up of a name returns the next of its
    /// listed addresses, and at the end the last one again.
    fn reach(url: &str, names: &[(&str, &[&str])]) -> Arc<Reach> {
        let names: Vec<(String, Vec<String>)> = names
            .iter()
            .map(|(name, steps)| ((*name).to_owned(), steps.iter().map(|step| (*step).to_owned()).collect()))
            .collect();
        let names = Mutex::new(names);
        let lookup = move |host: String| {
            let mut names = names.lock().unwrap();
            let (_, steps) = names.iter_mut().find(|(name, _)| *name == host).expect("a name that is listed");
            let step = if steps.len() > 1 { steps.remove(0) } else { steps[0].clone() };
            let addresses = step.split(' ').map(|ip| SocketAddr::new(ip.parse().unwrap(), 0)).collect();
            async move { Ok(addresses) }.boxed()
        };
        Arc::new(Reach::with_lookup(&url.parse().unwrap(), Arc::new(lookup)))
    }

    /// Returns the addresses that these names may lead to, in order, after the server was reached.
    async fn allowed(url: &str, names: &[(&str, &[&str])], asked: &[&str]) -> Vec<String> {
        let reach = reach(url, names);
        if reach.literal.is_none() {
            reach.resolved(&reach.host).await.unwrap();
        }
        let filter = AddressFilter::new(reach);
        let mut shown = Vec::new();
        for name in asked {
            let resolved = FilteredResolver(Arc::clone(&filter)).resolve(name.parse().unwrap()).await;
            shown.push(match resolved {
                Ok(addresses) => {
                    addresses.map(|address| address.ip().to_string()).collect::<Vec<_>>().join(" ")
                }
                Err(_) => {
                    filter.refused().unwrap().to_string().split('`').nth(1).unwrap().to_owned() + " refused"
                }
            });
        }
        shown
    }

    #[tokio::test]
    async fn names_resolve_to_what_a_server_may_name() {
        const WEB: (&str, &[&str]) = ("mcp.example", &["93.184.216.34"]);
        const EVIL: (&str, &[&str]) = ("evil.example", &["127.0.0.1"]);
        let evil = |address| async move {
            allowed("https://mcp.example/mcp", &[WEB, ("evil.example", &[address])], &["evil.example"]).await
        };
        for address in
            ["127.0.0.1", "::1", "10.0.0.1", "169.254.169.254", "::ffff:10.0.0.1", "0.0.0.0", "fd00::1"]
        {
            assert_eq!(evil(address).await, ["evil.example refused"], "{address}");
        }
        assert_eq!(evil("10.0.0.1 1.1.1.1 127.0.0.1").await, ["1.1.1.1"], "of several, those that may be");
        let asked = &["EVIL.example.", "evil.example"];
        assert_eq!(
            allowed("https://mcp.example/mcp", &[WEB, EVIL], asked).await,
            ["evil.example refused"; 2]
        );
        // A server of a private network, and one of this machine.
        let sso = ("sso.corp", &["10.0.0.9"][..]);
        let private = &[("mcp.corp", &["10.0.0.5 fe80::1"][..]), sso, EVIL];
        let asked = &["sso.corp", "evil.example", "mcp.corp"];
        let expected = ["10.0.0.9", "evil.example refused", "10.0.0.5 fe80::1"];
        assert_eq!(allowed("http://mcp.corp/mcp", private, asked).await, expected);
        assert_eq!(allowed("http://10.0.0.5/mcp", private, &asked[..2]).await, expected[..2]);
        let expected = ["sso.corp refused", "127.0.0.1"];
        assert_eq!(allowed("http://127.0.0.1:1/mcp", &[sso, EVIL], &asked[..2]).await, expected);
        let local = ("localhost", &["::1 127.0.0.1"][..]);
        assert_eq!(allowed("http://localhost:1/mcp", &[local, sso, EVIL], &asked[..2]).await, expected);
    }

    #[tokio::test]
    async fn who_controls_names_gains_nothing_by_changing_them() {
        let name = "evil.example";
        let url = "https://evil.example/mcp";
        // The server itself, after it was in the Internet.
        let rebound = ("evil.example", &["93.184.216.34", "127.0.0.1"][..]);
        assert_eq!(allowed(url, &[rebound], &[name]).await, ["evil.example refused"]);
        let both = ("evil.example", &["93.184.216.34 127.0.0.1"][..]);
        let inside = ("x.example", &["127.0.0.1"][..]);
        assert_eq!(
            allowed(url, &[both, inside], &[name, "x.example"]).await,
            ["93.184.216.34", "x.example refused"]
        );
        // On this machine, but in the Internet for a time.
        let back = ("evil.example", &["127.0.0.1", "93.184.216.34", "127.0.0.1"][..]);
        let asked = [name, "x.example", name];
        let expected = ["93.184.216.34", "x.example refused", "evil.example refused"];
        assert_eq!(allowed(url, &[back, inside], &asked).await, expected);
    }

    // Without a provider of cryptography no client can be created.
    #[cfg(any(feature = "tls-rustls", not(feature = "tls-rustls-no-provider")))]
    #[tokio::test]
    async fn what_is_checked_is_what_is_connected_to() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let lookup: &[(&str, &[&str])] =
            &[("mcp.example", &["93.184.216.34"]), ("evil.example", &["1.1.1.1", "127.0.0.1"])];
        let reach = reach("http://mcp.example/mcp", lookup);
        reach.resolved("mcp.example").await.unwrap();
        reach.resolved("evil.example").await.unwrap();
        let exchanges = Exchanges::new(&Clients::plain(), &reach, Duration::from_secs(60)).unwrap();
        let request = http::Request::get(format!("http://evil.example:{port}/")).body(Vec::new()).unwrap();
        tokio::select! {
            answer = exchanges.exchange(request) => assert!(answer.is_err()),
            _ = listener.accept() => panic!("somebody was there"),
        }
        let refused = Some(AuthorizationError::Address { host: "evil.example".to_owned() });
        assert_eq!(exchanges.filter().refused(), refused);
    }

    #[tokio::test]
    async fn addresses_that_need_no_look_up_are_checked_as_well() {
        let filter = AddressFilter::new(reach("https://mcp.example/mcp", &[]));
        let insecure = Err(AuthorizationError::Insecure { endpoint: "issuer" });
        assert_eq!(filter.check(&"http://auth.example/".parse().unwrap()).await, insecure);
        assert_eq!(filter.check(&"https://auth.example/".parse().unwrap()).await, Ok(()));
        for host in
            ["127.0.0.1", "2130706433", "0x7f.1", "[::1]", "[::ffff:169.254.169.254]", "10.0.0.1.", "0.0.0.0"]
        {
            let checked = filter.check(&format!("https://{host}/").parse().unwrap()).await;
            assert!(matches!(checked, Err(AuthorizationError::Address { .. })), "{host}: {checked:?}");
        }
        // The server itself may be anywhere, because the user has configured it.
        let filter = AddressFilter::new(reach("http://169.254.1.2/mcp", &[]));
        assert_eq!(filter.check(&"http://169.254.1.2/.well-known/x".parse().unwrap()).await, Ok(()));
        assert!(filter.check(&"http://169.254.1.3/".parse().unwrap()).await.is_err());
    }
}
