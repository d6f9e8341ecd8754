//! From a kubeconfig to TLS.
//!
//! Owns which certificates are shown and accepted. HTTP/2 is chosen by ALPN, so a proxy that only speaks HTTP/1.1
//! works too. A proxy URL in the kubeconfig is not used.

use std::time::Duration;

use hyper_rustls::{FixedServerNameResolver, HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use kube::client::ConfigExt;
use rustls::pki_types::{InvalidDnsNameError, ServerName};

use super::fence::Fence;
use crate::leading::Leading;

/// Connections with TLS where the address asks for it, as long as this process has not ceased to lead.
pub(super) type Connector = HttpsConnector<Fence<HttpConnector>>;

/// The TLS part of a kubeconfig cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConnectorError {
    /// Certificates or keys cannot be read.
    #[error("TLS settings of the kubeconfig: {source}")]
    Tls {
        /// What was wrong.
        #[source]
        source: Box<kube::Error>,
    },
    /// `tls-server-name` is no host name.
    #[error("tls-server-name {name:?} of the kubeconfig is no host name")]
    ServerName {
        /// What stands there.
        name: String,
        /// What was wrong.
        #[source]
        source: InvalidDnsNameError,
    },
}

pub(super) fn https_connector(config: &kube::Config, leading: Leading) -> Result<Connector, ConnectorError> {
    let tls = config
        .rustls_client_config()
        .map_err(|source| ConnectorError::Tls {
            source: Box::new(source),
        })?;
    let mut builder = HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http();
    if let Some(name) = &config.tls_server_name {
        let resolver = FixedServerNameResolver::new(server_name(name)?);
        builder = builder.with_server_name_resolver(resolver);
    }
    Ok(builder
        .enable_all_versions()
        .wrap_connector(Fence::new(tcp(config), leading)))
}

fn tcp(config: &kube::Config) -> HttpConnector {
    let mut connector = HttpConnector::new();
    connector.enforce_http(false);
    connector.set_nodelay(true);
    connector.set_connect_timeout(Some(config.connect_timeout.unwrap_or(Duration::from_secs(10))));
    connector.set_keepalive(Some(Duration::from_secs(30)));
    connector
}

fn server_name(name: &str) -> Result<ServerName<'static>, ConnectorError> {
    ServerName::try_from(name.to_owned()).map_err(|source| ConnectorError::ServerName {
        name: name.to_owned(),
        source,
    })
}
