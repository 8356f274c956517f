//! Headers in which a proxy says for whom it asks.

use std::net::{IpAddr, SocketAddr};

use http::request::Parts;
use http::uri::Authority;
use http::{HeaderMap, HeaderName};

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const FORWARDED_HOST: HeaderName = HeaderName::from_static("x-forwarded-host");

/// The networks of the proxies that are believed: an address, and the bits of it that count.
#[derive(Clone, Debug, Default)]
pub(crate) struct Proxies(Vec<(IpAddr, u8)>);

impl Proxies {
    pub(crate) fn add(&mut self, address: IpAddr, bits: u8) {
        self.0.push((address.to_canonical(), bits));
    }

    /// Returns the address of the client: the last one that no proxy of this server has. A client
    /// can write anything before it.
    pub(crate) fn client(&self, headers: &HeaderMap, peer: SocketAddr) -> SocketAddr {
        if !self.have(peer.ip()) {
            return peer;
        }
        let mut client = peer;
        let hops: Vec<&[u8]> = list(headers, FORWARDED_FOR).collect();
        for hop in hops.into_iter().rev() {
            let Some(address) = address(hop) else { break };
            client = address;
            if !self.have(address.ip()) {
                break;
            }
        }
        client
    }

    /// Returns the names under which the client knows this server, if a proxy tells them.
    pub(crate) fn hosts(&self, parts: &Parts, peer: Option<SocketAddr>) -> Option<Vec<Authority>> {
        peer.filter(|peer| self.have(peer.ip()))?;
        let mut names = list(&parts.headers, FORWARDED_HOST).peekable();
        names.peek()?;
        // A name that is not one is nobody's.
        names.map(|name| Authority::try_from(name).ok()).collect::<Option<Vec<_>>>().or(Some(Vec::new()))
    }

    fn have(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|(network, bits)| match (network, address) {
            (IpAddr::V4(network), IpAddr::V4(address)) => {
                begin_alike(u32::from(*network).into(), u32::from(address).into(), u32::BITS, *bits)
            }
            (IpAddr::V6(network), IpAddr::V6(address)) => {
                begin_alike((*network).into(), address.into(), u128::BITS, *bits)
            }
            _ => false,
        })
    }
}

/// Returns true if the first `bits` of two numbers of this length are the same.
fn begin_alike(one: u128, other: u128, length: u32, bits: u8) -> bool {
    let rest = length.saturating_sub(u32::from(bits));
    (one ^ other).checked_shr(rest).unwrap_or_default() == 0
}

/// Returns the values of a header that is a list.
fn list(headers: &HeaderMap, name: HeaderName) -> impl Iterator<Item = &[u8]> {
    let values = headers.get_all(name).iter();
    values.flat_map(|value| value.as_bytes().split(|byte| *byte == b',')).map(<[u8]>::trim_ascii)
}

/// Reads an address with or without a port. The port is 0 if there is none.
fn address(text: &[u8]) -> Option<SocketAddr> {
    let text = std::str::from_utf8(text).ok()?;
    let bare = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
    bare.parse::<IpAddr>().map(|ip| SocketAddr::new(ip, 0)).or_else(|_| text.parse()).ok()
}
