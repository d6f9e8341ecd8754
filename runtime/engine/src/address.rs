//! Addresses that a guest's request never reaches by a name, whatever the name resolves to: those of this machine, of its
//! links, and of cloud providers' metadata services, which hand out credentials.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Metadata services outside of the link-local ranges.
const METADATA_V4: [Ipv4Addr; 3] = [
    Ipv4Addr::new(100, 100, 100, 200),
    Ipv4Addr::new(168, 63, 129, 16),
    Ipv4Addr::new(192, 0, 0, 192),
];
const METADATA_V6: [Ipv6Addr; 3] = [
    Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254),
    Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x23),
    Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254),
];
/// Networks in which IPv4 addresses are embedded for translation: RFC 6052, RFC 2765.
const TRANSLATED: [[u16; 6]; 2] = [[0x64, 0xff9b, 0, 0, 0, 0], [0, 0, 0, 0, 0xffff, 0]];
/// The network for translation within a site (RFC 8215): where the address stands in it is the site's choice.
const TRANSLATED_LOCALLY: [u16; 3] = [0x64, 0xff9b, 1];
/// What begins the addresses of 6to4 (RFC 3056).
const SIX_TO_FOUR: u16 = 0x2002;

/// Whether the address is reached only where a grant names it.
pub(crate) fn prohibited(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => prohibited_v4(address),
        IpAddr::V6(address) => match embedded(address) {
            Some(address) => prohibited_v4(address),
            None => prohibited_v6(address),
        },
    }
}

fn prohibited_v4(address: Ipv4Addr) -> bool {
    let this_network = address.octets().starts_with(&[0]);
    this_network
        || address.is_loopback()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_broadcast()
        || METADATA_V4.contains(&address)
}

fn prohibited_v6(address: Ipv6Addr) -> bool {
    address.is_loopback()
        || address.is_unspecified()
        || address.is_multicast()
        || address.is_unicast_link_local()
        // Of one site, as they were once (RFC 3879).
        || address.segments().first().is_some_and(|first| first & 0xffc0 == 0xfec0)
        || address.segments().starts_with(&TRANSLATED_LOCALLY)
        || METADATA_V6.contains(&address)
}

/// The IPv4 address that is meant.
fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let [a, b, c, d, e, f, high, low] = address.segments();
    let translated = TRANSLATED.contains(&[a, b, c, d, e, f]);
    if a == SIX_TO_FOUR {
        return Some(Ipv4Addr::from_bits(u32::from(b) << 16 | u32::from(c)));
    }
    let compatible = [a, b, c, d, e, f] == [0; 6] && !address.is_loopback() && !address.is_unspecified();
    match translated || compatible {
        true => Some(Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low))),
        false => address.to_ipv4_mapped(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_this_machine_its_links_and_metadata_services_are_prohibited() {
        for address in [
            "127.0.0.1",
            "127.9.9.9",
            "0.0.0.0",
            "0.1.2.3",
            "169.254.169.254",
            "169.254.1.1",
            "224.0.0.1",
            "255.255.255.255",
            "100.100.100.200",
            "168.63.129.16",
            "192.0.0.192",
            "::1",
            "::",
            "fe80::1",
            "ff02::1",
            "fd00:ec2::254",
            "fd20:ce::254",
            "::ffff:127.0.0.1",
            "::ffff:169.254.169.254",
            "64:ff9b::a9fe:a9fe",
            "::127.0.0.1",
            "::ffff:0:127.0.0.1",
            "64:ff9b:1::1",
            "2002:7f00:1::",
            "2002:a9fe:a9fe::1",
            "fec0::1",
        ] {
            assert!(prohibited(address.parse().unwrap()), "{address}");
        }
    }

    #[test]
    fn addresses_of_clusters_and_of_the_world_are_not() {
        for address in [
            "10.96.0.1",
            "192.168.1.1",
            "172.16.0.1",
            "100.64.0.1",
            "8.8.8.8",
            "fd00::1",
            "2001:db8::1",
            "::ffff:10.0.0.1",
            "2002:808:808::1",
            "64:ff9b::808:808",
        ] {
            assert!(!prohibited(address.parse().unwrap()), "{address}");
        }
    }
}
