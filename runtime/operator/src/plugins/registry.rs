//! The registry client as the command line describes it.

use std::{collections::BTreeMap, path::PathBuf, sync::OnceLock};

use espejote_oci::{Authority, Client, ClientConfig, Proxies};

/// How registries are reached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RegistryOptions {
    /// Files with certificate authorities besides those of the system, each for one host or for all.
    pub authorities: Vec<(Option<String>, PathBuf)>,
    /// Registries, and what is asked before them.
    pub mirrors: Vec<(String, String)>,
    /// Registries that are asked without TLS.
    pub plain_http: Vec<String>,
}

/// Why there is no client.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    /// A certificate's file cannot be read.
    #[error("--registry-ca-file {path}: cannot be read")]
    Authority {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The settings cannot be used.
    #[error(transparent)]
    Client(espejote_oci::Error),
}

impl RegistryOptions {
    /// A client with these settings, and with the proxies of the environment.
    pub fn client(&self) -> Result<Client, RegistryError> {
        let authorities = self.authorities.iter().map(authority).collect::<Result<_, _>>()?;
        let mut mirrors: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (host, mirror) in &self.mirrors {
            mirrors.entry(host.clone()).or_default().push(mirror.clone());
        }
        let config = ClientConfig {
            plain_http: self.plain_http.iter().cloned().collect(),
            authorities,
            mirrors,
            proxies: Proxies::from_variables(|name| std::env::var(name).ok()),
            ..ClientConfig::default()
        };
        Client::new(config).map_err(RegistryError::Client)
    }
}

/// A client that is made when a registry is first asked: it takes a megabyte, and most clusters run templates only.
pub(super) struct Registry {
    options: RegistryOptions,
    client: OnceLock<Client>,
}

impl Registry {
    /// Makes the client at once where anything was set, so that what is wrong is told at the start.
    pub(super) fn new(options: RegistryOptions) -> Result<Self, RegistryError> {
        let client = if options == RegistryOptions::default() {
            OnceLock::new()
        } else {
            OnceLock::from(options.client()?)
        };
        Ok(Self { options, client })
    }

    /// The client.
    pub(super) fn client(&self) -> Result<&Client, RegistryError> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        let client = self.options.client()?;
        Ok(self.client.get_or_init(|| client))
    }
}

fn authority((host, path): &(Option<String>, PathBuf)) -> Result<Authority, RegistryError> {
    let pem = std::fs::read(path).map_err(|source| RegistryError::Authority {
        path: path.clone(),
        source,
    })?;
    Ok(Authority {
        host: host.clone(),
        pem,
    })
}
