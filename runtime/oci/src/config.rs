//! How registries are reached: trust, mirrors, proxies, bounds. Data only; nothing is read from the environment here.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

/// Settings of a client.
#[derive(Clone, Debug)]
pub struct ClientConfig {
    /// Registries (`host` or `host:port`) that are asked over plain HTTP.
    pub plain_http: BTreeSet<String>,
    /// Certificate authorities besides those of the system.
    pub authorities: Vec<Authority>,
    /// For a registry, those that are asked before it, in order. A mirror gets the credentials that are meant for its own
    /// host, never those of the registry it stands for.
    pub mirrors: BTreeMap<String, Vec<String>>,
    /// Proxies.
    pub proxies: Proxies,
    /// What is read at most.
    pub limits: SizeLimits,
    /// How long is waited.
    pub timeouts: Timeouts,
    /// How often is tried again.
    pub retry: Retry,
    /// The `User-Agent` header.
    pub user_agent: String,
}

/// Certificates, in PEM, that are trusted as authorities.
#[derive(Clone, Debug)]
pub struct Authority {
    /// Only for this host (`host` or `host:port`); for all if none.
    pub host: Option<String>,
    /// One or more certificates.
    pub pem: Vec<u8>,
}

/// Proxies, as the variables of the same names have them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proxies {
    /// `HTTP_PROXY`: for registries over plain HTTP.
    pub http: Option<String>,
    /// `HTTPS_PROXY`: for all others.
    pub https: Option<String>,
    /// `NO_PROXY`: hosts, domains, addresses and networks that are reached directly, divided by commas.
    pub none: Option<String>,
}

/// Bounds on what is read into memory.
#[derive(Clone, Copy, Debug)]
pub struct SizeLimits {
    /// A manifest or an index.
    pub manifest: u64,
    /// A module: the layer as it is stored, and what is unpacked of it.
    pub module: u64,
}

/// Bounds on waiting.
#[derive(Clone, Copy, Debug)]
pub struct Timeouts {
    /// Until a connection stands, with TLS.
    pub connect: Duration,
    /// Until an answer begins, and between two pieces of it.
    pub idle: Duration,
    /// For a whole operation, with all that is tried again.
    pub total: Duration,
}

/// When something that may pass is tried again.
#[derive(Clone, Copy, Debug)]
pub struct Retry {
    /// How often something is tried in all.
    pub attempts: u32,
    /// The first pause; each further one is twice as long, and all vary by up to a half.
    pub pause: Duration,
    /// The longest pause. A registry that asks for a longer one (`Retry-After`) ends the attempts.
    pub longest_pause: Duration,
}

impl Default for ClientConfig {
    fn default() -> Self {
        Self {
            plain_http: BTreeSet::new(),
            authorities: Vec::new(),
            mirrors: BTreeMap::new(),
            proxies: Proxies::default(),
            limits: SizeLimits::default(),
            timeouts: Timeouts::default(),
            retry: Retry::default(),
            user_agent: concat!("espejote/", env!("CARGO_PKG_VERSION")).to_owned(),
        }
    }
}

impl Default for SizeLimits {
    fn default() -> Self {
        Self {
            manifest: 4 << 20,
            module: 64 << 20,
        }
    }
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            idle: Duration::from_secs(30),
            total: Duration::from_secs(300),
        }
    }
}

impl Default for Retry {
    fn default() -> Self {
        Self {
            attempts: 4,
            pause: Duration::from_millis(300),
            longest_pause: Duration::from_secs(30),
        }
    }
}

impl Proxies {
    /// From the variables of an environment, which `get` looks up; spelled in lower case too, which wins as in curl.
    /// `HTTP_PROXY` in upper case is not heeded when `REQUEST_METHOD` is set, since then a caller's header may have set it.
    pub fn from_variables(get: impl Fn(&str) -> Option<String>) -> Self {
        let get = |name: &str| get(name).filter(|value| !value.is_empty());
        let either = |lower: &str, upper: &str| get(lower).or_else(|| get(upper));
        let http = match get("REQUEST_METHOD") {
            Some(_) => get("http_proxy"),
            None => either("http_proxy", "HTTP_PROXY"),
        };
        let all = either("all_proxy", "ALL_PROXY");
        Self {
            http: http.or_else(|| all.clone()),
            https: either("https_proxy", "HTTPS_PROXY").or(all),
            none: either("no_proxy", "NO_PROXY"),
        }
    }
}

impl ClientConfig {
    /// Whether a registry is asked over plain HTTP.
    pub(crate) fn is_plain_http(&self, host: &str) -> bool {
        self.plain_http.contains(host)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proxies(variables: &[(&str, &str)]) -> Proxies {
        let find = |name: &str| variables.iter().find(|(key, _)| *key == name);
        Proxies::from_variables(|name| find(name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn proxies_come_from_either_spelling_and_lower_case_wins() {
        let found = proxies(&[
            ("HTTPS_PROXY", "http://u:1"),
            ("https_proxy", "http://l:1"),
            ("NO_PROXY", "a"),
        ]);
        assert_eq!(found.https.as_deref(), Some("http://l:1"));
        assert_eq!((found.http, found.none.as_deref()), (None, Some("a")));
    }

    #[test]
    fn an_empty_variable_is_none_and_all_proxy_fills_both() {
        let found = proxies(&[("HTTP_PROXY", ""), ("ALL_PROXY", "http://all:1")]);
        assert_eq!(found.http.as_deref(), Some("http://all:1"));
        assert_eq!(found.https.as_deref(), Some("http://all:1"));
    }

    #[test]
    fn a_callers_proxy_header_is_not_heeded() {
        assert_eq!(
            proxies(&[("REQUEST_METHOD", "GET"), ("HTTP_PROXY", "http://evil:1")]).http,
            None
        );
    }
}
