//! The kind of network of an address.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The kind of network of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The Internet.
    Public,
    /// A private network: RFC 1918, shared address space (RFC 6598), unique local (RFC 4193).
    Private,
    /// This machine.
    Loopback,
    /// An address at which no other machine reaches a server: link-local, where clouds serve the
    /// credentials of machines, unspecified, multicast, broadcast and reserved.
    Other,
}

impl Kind {
    pub(super) fn of(address: IpAddr) -> Self {
        match address {
            IpAddr::V4(address) => Self::of_v4(address),
            IpAddr::V6(address) => embedded(address).map_or_else(|| Self::of_v6(address), Self::of_v4),
        }
    }

    const fn of_v4(address: Ipv4Addr) -> Self {
        match address.octets() {
            [127, ..] => Self::Loopback,
            [10, ..] | [172, 16..=31, ..] | [192, 168, ..] | [100, 64..=127, ..] => Self::Private,
            // This network, link-local, protocol assignments, documentation, benchmarks, multicast
            // and beyond.
            [0, ..]
            | [169, 254, ..]
            | [192, 0, 0 | 2, _]
            | [198, 18 | 19, ..]
            | [198, 51, 100, _]
            | [203, 0, 113, _]
            | [224..=255, ..] => Self::Other,
            _ => Self::Public,
        }
    }

    const fn of_v6(address: Ipv6Addr) -> Self {
        match address.segments() {
            [0, 0, 0, 0, 0, 0, 0, 1] => Self::Loopback,
            [0xfc00..=0xfdff, ..] => Self::Private,
            // Teredo, which hides an IPv4 address, and documentation.
            [0x2001, 0 | 0xdb8, ..] => Self::Other,
            [0x2000..=0x3fff, ..] => Self::Public,
            _ => Self::Other,
        }
    }
}

/// Returns the IPv4 address inside an IPv6 address: mapped, compatible, NAT64 and 6to4.
fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let v4 = |high: u16, low: u16| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
    match address.segments() {
        [0, 0, 0, 0, 0, 0, 0, 0 | 1] => None,
        [0, 0, 0, 0, 0, 0 | 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => Some(v4(high, low)),
        [0x2002, high, low, ..] => Some(v4(high, low)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_of_the_kind_of_network_that_they_lead_to() {
        for (kind, addresses) in [
            (Kind::Public, "93.184.216.34 1.1.1.1 100.63.0.1 100.128.0.1 172.15.0.1 172.32.0.1 198.20.0.1"),
            (Kind::Public, "2606:4700::1111 ::ffff:1.1.1.1 64:ff9b::101:101 2002:101:101::1"),
            (Kind::Private, "10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 100.64.0.1 100.127.255.255"),
            (Kind::Private, "fd00::1 fc00::1 ::ffff:10.0.0.1 64:ff9b::a00:1 2002:a00:1::1 ::10.0.0.1"),
            (Kind::Loopback, "127.0.0.1 127.255.0.1 ::1 ::ffff:127.0.0.1 ::127.0.0.1 2002:7f00:1::"),
            (Kind::Other, "0.0.0.0 0.1.2.3 169.254.169.254 224.0.0.1 239.1.1.1 240.0.0.1 255.255.255.255"),
            (Kind::Other, "192.0.0.8 192.0.2.1 198.18.0.1 198.51.100.7 203.0.113.9 ::ffff:169.254.169.254"),
            (Kind::Other, ":: fe80::1 febf::1 fec0::1 ff02::1 2001::1 2001:db8::1 64:ff9b:1::a00:1 100::1"),
        ] {
            for address in addresses.split(' ') {
                assert_eq!(Kind::of(address.parse().unwrap()), kind, "{address}");
            }
        }
    }
}
