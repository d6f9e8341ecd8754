//! Values of flags, as Go programs take them.

use std::{fmt, io, net::SocketAddr, str::FromStr, time::Duration};

/// A boolean: `--flag`, `--flag=false`, in Go's spellings.
pub fn boolean(text: &str) -> Result<bool, String> {
    match text {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Ok(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Ok(false),
        _ => Err("expected true or false".to_owned()),
    }
}

/// A time of more than zero, as Go writes it: `5m`, `1h30m`.
pub fn duration(text: &str) -> Result<Duration, String> {
    match espejote_api::duration::parse(text) {
        Ok(duration) if duration.is_zero() => Err("expected more than zero".to_owned()),
        Ok(duration) => Ok(duration),
        Err(error) => Err(error.to_string()),
    }
}

/// An address to listen at: `:8080` (all interfaces), `127.0.0.1:8080`, `[::1]:8080`, `localhost:8080`; `0` is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Listen {
    /// Nothing listens.
    Nowhere,
    /// Something does.
    At {
        /// A name or an address; empty: all interfaces.
        host: String,
        /// 0: any free one.
        port: u16,
    },
}

impl Listen {
    /// The addresses to try, the best one first. Empty: do not listen. Asks the resolver for a name.
    pub fn addresses(&self) -> io::Result<Vec<SocketAddr>> {
        match self {
            Self::Nowhere => Ok(Vec::new()),
            Self::At { host, port } if host.is_empty() => Ok(vec![
                SocketAddr::from(([0u16; 8], *port)),
                SocketAddr::from(([0u8; 4], *port)),
            ]),
            Self::At { host, port } => {
                std::net::ToSocketAddrs::to_socket_addrs(&(host.as_str(), *port)).map(Iterator::collect)
            }
        }
    }
}

impl FromStr for Listen {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "0" {
            return Ok(Self::Nowhere);
        }
        let (host, port) = text
            .rsplit_once(':')
            .ok_or("expected [host]:port, such as :8080, or 0 for none")?;
        let host = host
            .strip_prefix('[')
            .and_then(|h| h.strip_suffix(']'))
            .unwrap_or(host);
        let port = port.parse().map_err(|_| format!("{port:?} is no port"))?;
        Ok(Self::At {
            host: host.to_owned(),
            port,
        })
    }
}

impl fmt::Display for Listen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nowhere => f.write_str("0"),
            Self::At { host, port } if host.contains(':') => write!(f, "[{host}]:{port}"),
            Self::At { host, port } => write!(f, "{host}:{port}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_go_reads_them() {
        for text in ["0", ":8443", "127.0.0.1:0", "[::1]:80", "localhost:80"] {
            assert_eq!(text.parse::<Listen>().unwrap().to_string(), text);
        }
        for text in ["", "8080", ":", ":http", ":70000"] {
            assert!(text.parse::<Listen>().is_err(), "{text}");
        }
    }

    #[test]
    fn no_host_means_all_interfaces_of_both_families() {
        let listen: Listen = ":80".parse().unwrap();
        let addresses: Vec<String> = listen
            .addresses()
            .unwrap()
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(addresses, ["[::]:80", "0.0.0.0:80"]);
        assert!(Listen::Nowhere.addresses().unwrap().is_empty());
    }
}
