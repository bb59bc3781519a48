//! Where a page is served, and which requests are meant for it.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::str::FromStr;

/// An address with a port: `127.0.0.1:8080`, `localhost:8080`, `[::1]:8080`, or a port alone, which
/// is one of this machine only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageAddress(SocketAddr);

impl FromStr for PageAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Ok(port) = text.parse() {
            return Ok(Self(loopback(port)));
        }
        let port_of = |name| text.strip_prefix(name)?.parse().ok();
        if let Some(port) = port_of("localhost:") {
            return Ok(Self(loopback(port)));
        }
        text.parse().map(Self).map_err(|_| {
            "an address is IP:PORT, as in 127.0.0.1:8080, or a port alone (0 takes a free one); \
             without an address, write the option behind everything else"
                .to_owned()
        })
    }
}

impl PageAddress {
    /// The address to listen at.
    pub const fn socket(self) -> SocketAddr {
        self.0
    }

    /// Whether other machines can reach it.
    pub fn is_public(self) -> bool {
        !self.0.ip().is_loopback()
    }
}

impl fmt::Display for PageAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

const fn loopback(port: u16) -> SocketAddr {
    SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port)
}

/// Whether a request for this host is meant for a page that listens at this address.
///
/// A page in the Internet can give its name the address of this machine, and then read what the
/// browser gets from here (DNS rebinding). Such a request has the name of that page. So a host is
/// an address or a name that nobody else can have: `localhost`, and that of this machine.
pub fn is_meant_for(host: &str, listening: SocketAddr, machine: Option<&str>) -> bool {
    let (name, port) = split_port(host);
    if port.map_or(Some(80), |port| port.parse().ok()) != Some(listening.port()) {
        return false;
    }
    let is_public = !listening.ip().is_loopback();
    if name.eq_ignore_ascii_case("localhost") {
        return true;
    }
    let literal = name.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
    match literal.unwrap_or(name).parse::<IpAddr>() {
        Ok(address) => is_public || address.is_loopback(),
        Err(_) => is_public && machine.is_some_and(|own| own.eq_ignore_ascii_case(name)),
    }
}

/// A host without and with its port.
fn split_port(host: &str) -> (&str, Option<&str>) {
    match host.rsplit_once(':') {
        // The colons within an address of IPv6 stand in brackets.
        Some((name, port)) if !port.contains(']') => (name, Some(port)),
        _ => (host, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read() {
        for (text, expected) in [
            ("8080", "127.0.0.1:8080"),
            ("localhost:9000", "127.0.0.1:9000"),
            ("127.0.0.1:0", "127.0.0.1:0"),
            ("[::1]:80", "[::1]:80"),
            ("0.0.0.0:8080", "0.0.0.0:8080"),
        ] {
            let address: PageAddress = text.parse().unwrap();
            assert_eq!(address.to_string(), expected);
            assert_eq!(address.is_public(), text.starts_with("0."));
        }
        for wrong in [
            "",
            "example.org:80",
            "127.0.0.1",
            "99999",
            "configs/open.toml",
            "-1",
        ] {
            assert!(wrong.parse::<PageAddress>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn only_requests_for_this_machine_are_answered() {
        let at = |text: &str| text.parse::<SocketAddr>().unwrap();
        for (host, listening, is_answered) in [
            ("127.0.0.1:8080", "127.0.0.1:8080", true),
            ("localhost:8080", "127.0.0.1:8080", true),
            ("LocalHost:8080", "127.0.0.1:8080", true),
            ("[::1]:8080", "[::1]:8080", true),
            ("127.0.0.1", "127.0.0.1:80", true),
            ("127.0.0.1", "127.0.0.1:8080", false),
            ("127.0.0.1:8081", "127.0.0.1:8080", false),
            ("evil.example:8080", "127.0.0.1:8080", false),
            ("localhost.evil.example:8080", "127.0.0.1:8080", false),
            ("127.0.0.1.evil.example:8080", "127.0.0.1:8080", false),
            ("192.168.1.5:8080", "127.0.0.1:8080", false),
            ("lab:8080", "127.0.0.1:8080", false),
            ("", "127.0.0.1:8080", false),
            (":8080", "127.0.0.1:8080", false),
            ("192.168.1.5:8080", "0.0.0.0:8080", true),
            ("localhost:8080", "0.0.0.0:8080", true),
            ("lab:8080", "0.0.0.0:8080", true),
            ("evil.example:8080", "0.0.0.0:8080", false),
        ] {
            assert_eq!(
                is_meant_for(host, at(listening), Some("lab")),
                is_answered,
                "{host} at {listening}"
            );
        }
    }
}
