//! What a plugin may reach beside the contract: files and hosts. Nothing unless granted.
//!
//! Owns the forms that a grant has, and the question whether a request is granted. Which addresses are never reached by a
//! name is a question of `address.rs`.

use std::{
    fmt,
    net::IpAddr,
    path::{Component, Path, PathBuf},
    str::FromStr,
};

use serde::de::{Deserialize, Deserializer, Error as _};

use crate::address;

/// What a plugin may reach.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grants {
    /// Folders that it may read.
    pub directories: Vec<GrantedDirectory>,
    /// Hosts that it may send requests to.
    pub hosts: Vec<HostPattern>,
}

/// A folder of the host that a guest may read. Nothing outside of it is reached, by links neither.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrantedDirectory {
    /// Where the guest finds it: an absolute path without `.` and `..`.
    pub guest_path: String,
    /// Where it is.
    pub host_path: PathBuf,
}

/// A grant that cannot be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GrantError {
    /// The guest's path has another form.
    #[error("the path {0:?} of a granted directory has to be absolute, without \".\", \"..\" and \"//\"")]
    GuestPath(String),
    /// Two directories in one place.
    #[error("two directories are granted at {0:?}")]
    Twice(String),
    /// A host of another form.
    #[error(
        "host {0:?} is of none of the forms example.com, *.example.com, example.com:8443, 10.0.0.1, [fd00::1]:443 or \
         http://example.com:8080: {1}"
    )]
    Host(String, &'static str),
}

impl Grants {
    /// Whether all of it can be. Whether the folders exist is found out when a call starts.
    pub fn check(&self) -> Result<(), GrantError> {
        let mut seen = Vec::new();
        for directory in &self.directories {
            let path = directory.guest_path.as_str();
            if !is_plain(path) {
                return Err(GrantError::GuestPath(path.to_owned()));
            }
            if seen.contains(&path) {
                return Err(GrantError::Twice(path.to_owned()));
            }
            seen.push(path);
        }
        Ok(())
    }
}

/// The first pattern that grants a request.
pub(crate) fn find<'a>(
    hosts: &'a [HostPattern],
    tls: bool,
    host: &str,
    port: u16,
) -> Option<&'a HostPattern> {
    let host = normal(host);
    hosts
        .iter()
        .find(|pattern| pattern.tls == tls && pattern.port == port && pattern.host.matches(&host))
}

fn is_plain(path: &str) -> bool {
    let plain = |component| matches!(component, Component::RootDir | Component::Normal(_));
    path.starts_with('/')
        && !path.contains("//")
        && !path.contains("/./")
        && !path.ends_with("/.")
        && !path.contains('\0')
        && Path::new(path).components().all(plain)
}

/// Hosts that a plugin may send requests to.
///
/// `example.com` and `*.example.com` (all names below it, not itself) mean HTTPS on port 443; a port may follow. With
/// `http://` in front it is plain HTTP, on port 80 unless another one follows. An address is written as it is in a URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostPattern {
    tls: bool,
    host: Host,
    port: u16,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Host {
    Name(String),
    /// All names that end with this; it begins with a dot.
    Below(String),
    Address(IpAddr),
}

impl Host {
    fn matches(&self, host: &str) -> bool {
        match self {
            Self::Name(name) => name == host,
            Self::Below(suffix) => host.len() > suffix.len() && host.ends_with(suffix.as_str()),
            Self::Address(address) => parse_address(host) == Some(*address),
        }
    }
}

impl HostPattern {
    /// Whether it names an address that no name leads to: of this machine, of its links, of a cloud provider's metadata
    /// service.
    pub fn is_guarded(&self) -> bool {
        self.address().is_some_and(address::prohibited)
    }

    /// The address that the pattern names, if it names one.
    pub(crate) fn address(&self) -> Option<IpAddr> {
        match self.host {
            Host::Address(address) => Some(address),
            Host::Name(_) | Host::Below(_) => None,
        }
    }
}

/// Names are the same in upper and lower case, and with a dot at the end.
fn normal(host: &str) -> String {
    let lower = host.to_ascii_lowercase();
    lower.strip_suffix('.').map_or(lower.clone(), str::to_owned)
}

fn parse_address(host: &str) -> Option<IpAddr> {
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    bare.unwrap_or(host).parse().ok()
}

impl FromStr for HostPattern {
    type Err = GrantError;

    fn from_str(text: &str) -> Result<Self, GrantError> {
        let bad = |why| GrantError::Host(text.to_owned(), why);
        let (tls, rest) = match text.split_once("://") {
            None => (true, text),
            Some(("https", rest)) => (true, rest),
            Some(("http", rest)) => (false, rest),
            Some(_) => return Err(bad("the scheme is neither http nor https")),
        };
        let (host, port) = split_port(rest).map_err(bad)?;
        let default = if tls { 443 } else { 80 };
        Ok(Self {
            tls,
            host: parse_host(host).map_err(bad)?,
            port: port.unwrap_or(default),
        })
    }
}

fn split_port(text: &str) -> Result<(&str, Option<u16>), &'static str> {
    if text.parse::<IpAddr>().is_ok() {
        return Ok((text, None));
    }
    let end_of_address = text.rfind(']').map_or(0, |at| at + 1);
    let Some(colon) = text.get(end_of_address..).and_then(|rest| rest.rfind(':')) else {
        return Ok((text, None));
    };
    let (host, port) = text.split_at(end_of_address + colon);
    match port.trim_start_matches(':').parse() {
        Ok(0) | Err(_) => Err("the port is no number from 1 to 65535"),
        Ok(port) => Ok((host, Some(port))),
    }
}

fn parse_host(text: &str) -> Result<Host, &'static str> {
    let host = normal(text);
    if let Some(address) = parse_address(&host) {
        return match (address.is_ipv6(), host.starts_with('[')) {
            (true, false) => Err("an IPv6 address stands in brackets"),
            _ => Ok(Host::Address(address)),
        };
    }
    match host.strip_prefix("*.") {
        Some(suffix) if suffix.contains('.') => name(suffix).map(|name| Host::Below(format!(".{name}"))),
        Some(_) => Err("a whole top-level domain is no host"),
        None => name(&host).map(|name| Host::Name(name.to_owned())),
    }
}

fn name(text: &str) -> Result<&str, &'static str> {
    let of_label = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let label = |label: &str| !label.is_empty() && label.len() <= 63 && label.chars().all(of_label);
    // A name that ends with a number is an address in disguise for many resolvers.
    let last = text.rsplit('.').next().unwrap_or_default();
    match text.len() <= 253 && text.split('.').all(label) {
        true if last.starts_with(|c: char| c.is_ascii_digit()) => Err("it is neither a name nor an address"),
        true => Ok(text),
        false => Err("it is no DNS name"),
    }
}

/// As it would be written in a grant, with the port.
impl fmt::Display for HostPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.tls { "" } else { "http://" };
        match &self.host {
            Host::Name(name) => write!(f, "{scheme}{name}:{}", self.port),
            Host::Below(suffix) => write!(f, "{scheme}*{suffix}:{}", self.port),
            Host::Address(IpAddr::V4(address)) => write!(f, "{scheme}{address}:{}", self.port),
            Host::Address(IpAddr::V6(address)) => write!(f, "{scheme}[{address}]:{}", self.port),
        }
    }
}

impl<'de> Deserialize<'de> for HostPattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn granted(pattern: &str, tls: bool, host: &str, port: u16) -> bool {
        find(&[pattern.parse().unwrap()], tls, host, port).is_some()
    }

    #[test]
    fn a_name_means_https_on_its_port_and_nothing_else() {
        assert!(granted("api.example.com", true, "api.example.com", 443));
        assert!(granted("API.example.com.", true, "api.EXAMPLE.com.", 443));
        for (tls, host, port) in [
            (false, "api.example.com", 80),
            (false, "api.example.com", 443),
            (true, "api.example.com", 8443),
            (true, "example.com", 443),
            (true, "x.api.example.com", 443),
            (true, "api.example.com.evil.org", 443),
        ] {
            assert!(
                !granted("api.example.com", tls, host, port),
                "{tls} {host} {port}"
            );
        }
    }

    #[test]
    fn a_star_takes_all_names_below_but_not_the_name_itself() {
        let granted = |host| granted("*.example.com", true, host, 443);
        assert!(granted("a.example.com") && granted("a.b.example.com"));
        assert!(!granted("example.com") && !granted(".example.com") && !granted("badexample.com"));
    }

    #[test]
    fn ports_and_plain_http_are_said_in_the_pattern() {
        assert!(granted("example.com:8443", true, "example.com", 8443));
        assert!(!granted("example.com:8443", true, "example.com", 443));
        assert!(granted("http://example.com", false, "example.com", 80));
        assert!(granted("http://example.com:8080", false, "example.com", 8080));
        assert!(!granted("http://example.com", true, "example.com", 443));
    }

    #[test]
    fn addresses_are_written_as_in_a_url() {
        assert!(granted("10.0.0.1", true, "10.0.0.1", 443));
        assert!(granted("[fd00::1]:444", true, "[fd00:0::1]", 444));
        assert!(granted("http://[::1]", false, "[::1]", 80));
    }

    #[test]
    fn other_forms_are_refused_with_the_reason() {
        for (text, why) in [
            ("", "DNS name"),
            ("*", "DNS name"),
            ("*.com", "top-level"),
            ("a.*.com", "DNS name"),
            ("ftp://a.b", "neither http"),
            ("a.b:0", "port"),
            ("a.b:65536", "port"),
            ("a.b/path", "DNS name"),
            ("user@a.b", "DNS name"),
            ("fd00::1", "brackets"),
            ("127.1", "neither a name nor an address"),
            ("0x7f.0x1", "neither a name nor an address"),
            ("a..b", "DNS name"),
        ] {
            let error = text.parse::<HostPattern>().unwrap_err().to_string();
            assert!(error.contains(why), "{text:?}: {error}");
        }
    }

    #[test]
    fn patterns_are_written_with_their_ports() {
        for (text, written) in [
            ("a.b", "a.b:443"),
            ("http://*.a.b", "http://*.a.b:80"),
            ("[::1]:1", "[::1]:1"),
        ] {
            let pattern: HostPattern = text.parse().unwrap();
            assert_eq!(pattern.to_string(), written);
            assert_eq!(pattern.to_string().parse(), Ok(pattern));
        }
    }

    fn at(paths: &[&str]) -> Result<(), GrantError> {
        let directory = |path: &&str| GrantedDirectory {
            guest_path: (*path).to_owned(),
            host_path: "/x".into(),
        };
        Grants {
            directories: paths.iter().map(directory).collect(),
            hosts: Vec::new(),
        }
        .check()
    }

    #[test]
    fn guest_paths_are_absolute_and_plain_and_given_once() {
        assert_eq!(at(&["/config", "/a/b"]), Ok(()));
        for path in ["", "config", "./a", "/a/../b", "/a/./b", "//a", "/a/.", "/a\0"] {
            assert!(at(&[path]).is_err(), "{path:?}");
        }
        assert_eq!(at(&["/a", "/a"]), Err(GrantError::Twice("/a".into())));
    }
}
