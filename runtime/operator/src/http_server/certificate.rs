//! Certificates that may change while the server runs.

use std::{
    fmt, io,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use arc_swap::ArcSwap;
use rustls::{
    ServerConfig,
    crypto::{CryptoProvider, ring},
    pki_types::{CertificateDer, PrivateKeyDer, pem, pem::PemObject as _},
    server::{ClientHello, ResolvesServerCert},
    sign::CertifiedKey,
};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

/// A certificate that cannot be used. Never holds a key.
#[derive(Debug, thiserror::Error)]
pub enum CertificateError {
    /// A file could not be read.
    #[error("cannot read {}", .path.display())]
    Read {
        /// Which one.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// A file is no PEM of what it should hold.
    #[error("{} holds no {what} in PEM", .path.display())]
    Parse {
        /// Which one.
        path: PathBuf,
        /// What it should hold.
        what: &'static str,
        /// Why.
        #[source]
        source: pem::Error,
    },
    /// Certificate and key do not fit together, or are of a kind that is not known.
    #[error("the certificate cannot be used with its key")]
    Match(#[source] rustls::Error),
    /// No certificate could be made.
    #[error("a self-signed certificate could not be made")]
    SelfSign(#[source] rcgen::Error),
    /// The crypto provider and TLS do not fit together.
    #[error("TLS could not be set up")]
    Configure(#[source] rustls::Error),
}

/// The certificate of a server, read anew when its files change.
#[derive(Debug)]
pub struct Certificates {
    current: Arc<Current>,
    files: Option<Files>,
    config: Arc<ServerConfig>,
}

#[derive(Clone, Debug)]
struct Files {
    certificate: PathBuf,
    key: PathBuf,
}

/// What the next handshake gets.
struct Current(ArcSwap<CertifiedKey>);

impl Certificates {
    /// The certificate chain and key in two PEM files.
    pub async fn from_files(certificate: PathBuf, key: PathBuf) -> Result<Self, CertificateError> {
        let files = Files { certificate, key };
        let current = files.read().await?;
        Self::new(current, Some(files))
    }

    /// A certificate for `names`, signed by itself. Clients can only trust it by not asking.
    pub fn self_signed(names: Vec<String>) -> Result<Self, CertificateError> {
        let made = rcgen::generate_simple_self_signed(names).map_err(CertificateError::SelfSign)?;
        let key = PrivateKeyDer::Pkcs8(made.signing_key.serialize_der().into());
        let chain = vec![made.cert.der().clone()];
        Self::new(certified(chain, key)?, None)
    }

    /// From now on another certificate is used: chain and key in PEM.
    pub fn replace(&self, chain: &[u8], key: &[u8]) -> Result<(), CertificateError> {
        self.current.0.store(Arc::new(given(chain, key)?));
        Ok(())
    }

    /// Whether chain and key, in PEM, can be used.
    pub fn check(chain: &[u8], key: &[u8]) -> Result<(), CertificateError> {
        given(chain, key).map(drop)
    }

    fn new(current: CertifiedKey, files: Option<Files>) -> Result<Self, CertificateError> {
        let current = Arc::new(Current(ArcSwap::from_pointee(current)));
        let config = Arc::new(config(Arc::clone(&current))?);
        Ok(Self {
            current,
            files,
            config,
        })
    }

    /// Holds what the caller made.
    #[cfg(test)]
    pub(super) fn new_for_test(current: CertifiedKey) -> Self {
        Self::new(current, None).expect("ring knows TLS")
    }

    /// TLS with HTTP/2 and HTTP/1.1; every handshake uses the certificate of that moment.
    pub fn server_config(&self) -> Arc<ServerConfig> {
        Arc::clone(&self.config)
    }

    /// The chain of the moment, the server's own certificate first.
    pub fn chain(&self) -> Vec<CertificateDer<'static>> {
        self.current.0.load().cert.clone()
    }

    /// Looks at the files each `every` until `cancel` is cancelled. A pair that cannot be used changes nothing: files
    /// of a mounted Secret may be seen half replaced. Content is compared, since such mounts swap a link far above.
    pub async fn keep_fresh(&self, every: Duration, cancel: CancellationToken) {
        let Some(files) = &self.files else { return };
        let forever = async {
            loop {
                sleep(every).await;
                self.refresh(files).await;
            }
        };
        cancel.run_until_cancelled(forever).await;
    }

    async fn refresh(&self, files: &Files) {
        match files.read().await {
            Ok(read) if read.cert == self.chain() => {}
            Ok(read) => {
                self.current.0.store(Arc::new(read));
                info!(file = %files.certificate.display(), "the certificate was replaced");
            }
            Err(error) => warn!(
                error = &error as &dyn std::error::Error,
                "the old certificate stays in use"
            ),
        }
    }
}

impl Files {
    async fn read(&self) -> Result<CertifiedKey, CertificateError> {
        let (chain, key) = (read(&self.certificate).await?, read(&self.key).await?);
        parse((&chain, &self.certificate), (&key, &self.key))
    }
}

/// Chain and key in PEM, from no file.
fn given(chain: &[u8], key: &[u8]) -> Result<CertifiedKey, CertificateError> {
    parse((chain, Path::new("the certificate")), (key, Path::new("its key")))
}

/// Chain and key in PEM, each with where it is from.
fn parse(
    (chain, certificate): (&[u8], &Path),
    (key, file): (&[u8], &Path),
) -> Result<CertifiedKey, CertificateError> {
    let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(chain).collect();
    let chain = chain.and_then(|chain| {
        if chain.is_empty() {
            Err(pem::Error::NoItemsFound)
        } else {
            Ok(chain)
        }
    });
    let chain = chain.map_err(|source| unparsed(certificate, "certificate", source))?;
    let key = PrivateKeyDer::from_pem_slice(key).map_err(|source| unparsed(file, "private key", source))?;
    certified(chain, key)
}

impl ResolvesServerCert for Current {
    fn resolve(&self, _hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.0.load_full())
    }
}

impl fmt::Debug for Current {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Current")
    }
}

async fn read(path: &PathBuf) -> Result<Vec<u8>, CertificateError> {
    tokio::fs::read(path)
        .await
        .map_err(|source| CertificateError::Read {
            path: path.clone(),
            source,
        })
}

fn unparsed(path: &Path, what: &'static str, source: pem::Error) -> CertificateError {
    CertificateError::Parse {
        path: path.to_owned(),
        what,
        source,
    }
}

fn certified(
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
) -> Result<CertifiedKey, CertificateError> {
    CertifiedKey::from_der(chain, key, &provider()).map_err(CertificateError::Match)
}

fn provider() -> CryptoProvider {
    ring::default_provider()
}

fn config(current: Arc<Current>) -> Result<ServerConfig, CertificateError> {
    let builder = ServerConfig::builder_with_provider(Arc::new(provider()))
        .with_safe_default_protocol_versions()
        .map_err(CertificateError::Configure)?;
    let mut config = builder.with_no_client_auth().with_cert_resolver(current);
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}
